// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "harness/reference/cuda_api.h"
#include "kernels/kernel.h"

namespace streamcts::reference {

/// One launch: kernel, shape, and parameter values copied at the call.
struct kernel_launch {
  const kernels::host_kernel* kernel = nullptr;
  CUfunction function = nullptr;  ///< as passed
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  std::shared_ptr<std::vector<std::byte>> values;  ///< each parameter at parameter_offset()

  mutable std::vector<void*> described;  ///< what a query of the node's parameters points to

  /// Where parameter @p index begins in `values`, and in the buffer of CU_LAUNCH_PARAM_BUFFER_POINTER.
  std::size_t parameter_offset(std::size_t index) const;
  std::size_t parameter_bytes() const;
  /// Pointers to the values, for graph node queries.
  std::vector<void*> parameter_pointers() const;
};

/// Copies parameters given as @p parameters or in @p extra. Refuses with INVALID_VALUE.
void take_parameters(kernel_launch& launch, void** parameters, void** extra);

/// Refuses shapes that no device of ours can run, with INVALID_VALUE.
void check_shape(const kernel_launch& launch);

/// Runs every thread of the grid on the calling thread, one after another, then retires its stores.
/// Throws device_fault.
void run_kernel(const kernel_launch& launch);

/// One system-scope look at memory from the device, for value waits.
std::uint64_t load_system(std::uintptr_t address, std::size_t size);
void store_system(std::uintptr_t address, std::uint64_t value, std::size_t size);

}  // namespace streamcts::reference
