// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <span>
#include <string>

#include "harness/driver/driver_library.h"
#include "harness/driver/runtime.h"
#include "kernels/pattern.h"

// CUDA calls made inside host calls, which the documentation forbids in different words
// (clause-notes A1): what a driver does is observed, not judged.

namespace streamcts::inside {

/// What the calls use: made before the host call begins, and not in use otherwise.
struct surroundings {
  const driver::function_table& cuda;
  const driver::runtime_table* runtime;  ///< null where there is none
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream own = nullptr;   ///< the stream that the host call is in
  CUstream idle = nullptr;  ///< another one, with nothing in it
  CUevent event = nullptr;  ///< recorded and complete
  CUevent timed[2] = {};    ///< the same, with timing
  CUdeviceptr memory = 0;   ///< 64 KiB
  void* pinned = nullptr;   ///< 64 KiB
  CUdeviceptr managed = 0;  ///< 64 KiB, or 0
  CUgraph graph = nullptr;  ///< of an empty node
  CUgraphExec executable = nullptr;
  CUfunction kernel = nullptr;  ///< one that fills words
};

/// One call that is tried. What it makes is not given back: the process ends soon.
struct call {
  const char* name;  ///< the entry point, and the stream or state where that matters
  int (*make)(surroundings& with);
};

/// Calls of the driver and of the runtime, the ones that may never return last.
std::span<const call> driver_calls();
std::span<const call> runtime_calls();

/// The enumerator for what a call returned.
std::string code_name(int code, bool of_runtime);

}  // namespace streamcts::inside
