// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Questions about operations, from which faults are put together.

#pragma once

#include <functional>

#include "harness/faults/layer/operation.h"

namespace streamcts::faults {

using condition = std::function<bool(const operation&)>;

condition any_of(condition a, condition b);
condition all_of(condition a, condition b);

bool is_kernel(const operation& op);
bool is_memset(const operation& op);
bool is_copy(const operation& op);
bool is_graph(const operation& op);
bool is_wait(const operation& op);
bool is_record(const operation& op);
bool is_value_wait(const operation& op);
bool is_value_write(const operation& op);
bool is_host_call(const operation& op);
bool is_add_callback(const operation& op);
bool is_launch_host_func(const operation& op);
bool is_download(const operation& op);  ///< device to host
bool is_upload(const operation& op);    ///< host to device
/// What some faults take for a large copy.
inline constexpr std::size_t large_copy = std::size_t{4} << 20;
/// Copies that move at least @p bytes.
condition copies_of_at_least(std::size_t bytes);

bool in_nonblocking_stream(const operation& op);
bool in_priority_stream(const operation& op);
bool in_per_thread_stream(const operation& op);
bool in_legacy_stream(const operation& op);
bool in_created_stream(const operation& op);

/// True for every call from the @p n th in its stream on that gets asked; counts as it is asked.
condition from_nth_in_stream(unsigned n);
/// True for the first call in its stream alone; counts as it is asked.
condition first_in_stream();
/// True for every @p n th call of the process; counts as it is asked.
condition every_nth(unsigned n);

}  // namespace streamcts::faults
