// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <chrono>
#include <functional>

#include "harness/faults/layer/operation.h"

namespace streamcts::faults {

/// A host call of the program at the moment when the driver makes it.
struct host_run {
  host_call original;
  CUstream shown = nullptr;      ///< the handle that a stream callback is told
  CUresult status = CUDA_SUCCESS;  ///< the status that a stream callback is told
  /// Calls the program's function.
  void call() const;
};

/// Puts @p around in place of the program's function: it is called instead, once, on the driver's
/// thread, and calls `run.call()` where the program's function is to run. May be applied again to
/// what it has wrapped. @p op must be a host call.
void wrap_host_call(operation& op, std::function<void(host_run&)> around);

/// Lets a stream callback be told @p handle, whichever stream it is enqueued in.
void show_stream(operation& op, CUstream handle);

/// Runs the program's function on a thread of its own and waits for it, no longer than @p limit.
/// @return whether it has returned.
bool run_for_at_most(const host_run& run, std::chrono::milliseconds limit);

/// True on a thread while a wrapped host call runs on it.
bool in_host_call();

}  // namespace streamcts::faults
