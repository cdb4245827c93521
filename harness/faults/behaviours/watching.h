// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include "harness/faults/layer/behaviour.h"
#include "harness/faults/tools/undelivered.h"

namespace streamcts::faults {

/// Keeps the list of allocations of payload size up to date.
class watching : public behaviour {
 public:
  explicit watching(undelivered::watched what) : writes_(std::move(what)) {}

  CUresult enqueue(operation& op) override {
    writes_.follow(op);
    return op.forward();
  }
  void allocated(const host_memory& memory) override { writes_.ranges().add(memory); }
  CUresult release(void* address, forward_call forward) override {
    writes_.forget(address);
    return forward();
  }
  CUresult synchronize(host_wait& w) override {
    const CUresult result = w.forward();
    if (result == CUDA_SUCCESS) delivered(w);
    return result;
  }
  CUresult query(host_wait& w) override {
    const CUresult result = w.forward();
    if (result == CUDA_SUCCESS) delivered(w);
    return result;
  }

 protected:
  void delivered(const host_wait& w) {
    if (w.of == host_wait::target::stream) writes_.delivered(w.stream);
    if (w.of == host_wait::target::event) writes_.delivered(writes_.behind(w.event));
    if (w.of == host_wait::target::context) writes_.delivered_all();
  }

  undelivered writes_;
};

}  // namespace streamcts::faults
