// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/environment.h"

#include "harness/driver/graph.h"
#include "kernels/embedded.h"

namespace streamcts::program {
namespace {

constexpr std::array names{"streamcts_program_item"};

driver::kernel_image load(const driver::function_table& cuda) {
  const auto image = kernels::embedded_image();
  try {
    return driver::kernel_image(cuda, driver::kernel_loading::library, image, names);
  } catch (const driver::call_error&) {
    return driver::kernel_image(cuda, driver::kernel_loading::module, image, names);
  }
}

}  // namespace

program_kernels::program_kernels(const environment& where)
    : cuda_(*where.cuda), image_(load(cuda_)), item_(image_.get(names.front())) {
  const driver::stream first(cuda_, driver::stream_kind::non_blocking);
  STREAMCTS_CHECK(launch_item(first.get(), {}));
  if (!first.wait_idle(where.limits.patience())) {
    throw driver::not_supported("the kernel of stream programs did not end in time");
  }
}

CUresult program_kernels::launch_item(CUstream stream, item_parameters parameters) const {
  auto pointers = parameters.pointers();
  return cuda_.cuLaunchKernel(item_.launchable(), 1, 1, 1, parameters.threads(), 1, 1, 0, stream,
                              pointers.data(), nullptr);
}

CUDA_KERNEL_NODE_PARAMS program_kernels::node(const item_parameters& parameters,
                                              void** pointers) const {
  return driver::kernel_node_parameters(item_, {1, parameters.threads()}, pointers);
}

}  // namespace streamcts::program
