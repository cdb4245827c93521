// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <functional>

#include "harness/driver/functions.h"
#include "harness/driver/kernels.h"
#include "harness/observe/calibration.h"

namespace streamcts::program {

/// The driver under test, as programs are run on it. What it refers to must outlive the executor.
struct environment {
  const driver::function_table* cuda = nullptr;        ///< of the legacy stream mode
  const driver::function_table* per_thread = nullptr;  ///< of the other
  const driver::kernel_set* kernels = nullptr;         ///< loaded and warmed up
  CUcontext context = nullptr;
  std::function<void()> make_current;  ///< called once on each further thread
  streamcts::calibration limits;
  bool managed = false;   ///< managed memory, with concurrent access
  bool memops = false;    ///< stream value writes
  std::size_t slots = 4;  ///< how many runs side by side, at most
};

/// The kernels that programs are made of, for the current context.
class program_kernels {
 public:
  /// Loads them and runs the item kernel once. @throws driver::call_error, driver::not_supported
  explicit program_kernels(const environment& where);

  /// The parameters of streamcts_program_item. Kept by value where a graph needs them.
  struct item_parameters {
    CUdeviceptr begun = 0, done = 0;
    std::uint32_t token = 0;
    CUdeviceptr gate = 0;
    std::uint64_t timeout_ns = 0;
    CUdeviceptr out = 0, in = 0;
    std::uint64_t bytes = 0, base = 0, step = 0;

    /// In the form of cuLaunchKernel; refers to this object.
    std::array<void*, 10> pointers() {
      return {&begun, &done, &token, &gate, &timeout_ns, &out, &in, &bytes, &base, &step};
    }
    unsigned threads() const { return bytes == 0 ? 1 : bytes <= 4096 ? 64 : 256; }
  };
  CUresult launch_item(CUstream stream, item_parameters parameters) const;
  /// Parameters of a graph's node; @p pointers from item_parameters::pointers().
  CUDA_KERNEL_NODE_PARAMS node(const item_parameters& parameters, void** pointers) const;

  void release() { image_.release(); }

 private:
  const driver::function_table& cuda_;
  driver::kernel_image image_;
  driver::kernel item_;
};

}  // namespace streamcts::program
