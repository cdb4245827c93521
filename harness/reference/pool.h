// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "harness/reference/memory.h"
#include "harness/reference/stream.h"

namespace streamcts::reference {

/// A pool of the stream-ordered allocator. Guarded by the driver lock.
struct memory_pool {
  CUmemoryPool handle = nullptr;
  CUdevice device = 0;
  std::map<int, std::uint64_t> attributes;
  std::uint64_t used = 0, most_used = 0;
};
using pool_ptr = std::shared_ptr<memory_pool>;

handle_table<memory_pool, CUmemoryPool>& pools();

/// The pool that a device had from the beginning, and the one that its allocations come from now.
pool_ptr default_pool(driver_lock&, CUdevice device);
pool_ptr& current_pool(driver_lock&, CUdevice device);

/// Memory for later work of @p s. What was freed earlier in the same stream is handed out again at
/// once: stream order keeps the two uses apart (AL-003).
allocation_ptr allocate_in_stream(driver_lock&, stream& s, const pool_ptr& pool,
                                  std::size_t bytes);

/// Frees behind the present work of @p s. Refuses with INVALID_VALUE what is no device memory.
void free_in_stream(driver_lock&, stream& s, CUdeviceptr address);

/// Whether @p a was freed by a call that has returned.
bool freed_in_stream(driver_lock&, const allocation_ptr& a);

}  // namespace streamcts::reference
