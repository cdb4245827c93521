// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>
#include <cudaProfiler.h>

namespace streamcts::runtime {

enum class stream_mode { legacy, per_thread };

/// The driver's functions in one stream mode: `driver.cuStreamQuery(stream)`. Those that the driver
/// lacks answer CUDA_ERROR_NOT_SUPPORTED; none is null.
struct driver_calls {
#define DRIVER_FUNCTION(name, per_thread_suffix) decltype(&::name) name;
#include "harness/reference/runtime/driver_functions.def"
};

/// The driver of this process: the `libcuda.so.1` that is loaded already, else the one that the
/// loader finds by that name. Opened and initialized at the first use, never closed.
struct driver_library {
  bool found = false;  ///< false: `calls` answer NOT_SUPPORTED, all of them
  CUresult initialized = CUDA_ERROR_NOT_FOUND;  ///< what cuInit answered
  driver_calls legacy, per_thread;

  const driver_calls& calls(stream_mode mode) const {
    return mode == stream_mode::legacy ? legacy : per_thread;
  }
};

/// From any thread.
const driver_library& driver();

}  // namespace streamcts::runtime
