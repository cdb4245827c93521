// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/driver/functions.h"
#include "harness/driver/runtime.h"

namespace streamcts::driver {

/// The runtime API under the names of the driver API: a copy of @p driver in which each function
/// that the runtime has too, with the same meaning, is the runtime's. So whatever is written
/// against a function_table can go by either API, and handles of one be used by the other.
///
/// By the runtime go: streams, their synchronization, queries and waits; callbacks and host
/// functions; events; linear copies, memsets of bytes; allocation; capture, instantiation and
/// launch of graphs; and kernels, where the runtime loads libraries (load the image anew by this
/// table: a kernel of a driver's module is none of the runtime's). All else stays the driver's.
///
/// @p mode is that of both arguments. The runtime of the last call with this mode serves all tables
/// made for it: there is one runtime in a process. Not thread safe.
function_table runtime_as_driver(const function_table& driver, const runtime_table& runtime,
                                 stream_mode mode);

}  // namespace streamcts::driver
