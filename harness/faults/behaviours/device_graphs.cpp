// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class F: graphs that are to be launched by the device.

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"

namespace streamcts::faults {
namespace {

/// A graph that cannot be made for launch by the device, though for launch by the host, is made for the
/// latter in silence: one with a host node, for instance.
class taken_for_host_launch : public behaviour {
 public:
  CUresult instantiate(CUgraphExec* executable, CUgraph graph, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS || !real().graph_instantiate_with_flags ||
        real().graph_instantiate_with_flags(executable, graph, 0) != CUDA_SUCCESS) {
      return result;
    }
    hit();
    return CUDA_SUCCESS;
  }
};

}  // namespace

std::unique_ptr<behaviour> make::host_node_is_accepted_for_device_launch() {
  return std::make_unique<taken_for_host_launch>();
}

}  // namespace streamcts::faults
