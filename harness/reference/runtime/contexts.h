// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Which device a thread uses, and its context (CUDA Runtime API, "Interactions with the CUDA Driver
// API"): a context that is current in the thread is used, whoever made it so; where there is none,
// the primary context of the thread's device is retained and made current.

#pragma once

#include "harness/reference/runtime/driver_calls.h"

namespace streamcts::runtime {

/// Makes sure that a context is current in this thread.
CUresult ensure_context();

/// The device of this thread's context, or the one it has chosen (0 at first) while it has none.
CUresult current_device(int* device);

/// Chooses a device for this thread and makes its primary context current.
CUresult choose_device(int device);

/// The primary context of @p device, retained once for the whole process.
CUresult primary_context(int device, CUcontext* context);

/// Destroys the primary context of this thread's device. Threads that had it current retain another
/// one at their next call.
CUresult reset_device();

}  // namespace streamcts::runtime
