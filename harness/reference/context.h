// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "harness/reference/handle_table.h"
#include "harness/reference/host_calls.h"
#include "harness/reference/work_item.h"

namespace streamcts::reference {

struct stream;

/// A context: streams, a host-call thread, and settings. All fields are guarded by the driver lock.
struct context {
  CUcontext handle = nullptr;
  CUdevice device = 0;
  unsigned flags = 0;
  unsigned version = 0;
  unsigned long long id = 0;
  bool primary = false;

  std::shared_ptr<stream> legacy;
  std::vector<std::shared_ptr<stream>> streams;  ///< legacy and per-thread ones included
  std::map<std::uint64_t, std::shared_ptr<stream>> per_thread;  ///< by thread_number()
  item_ptr barrier;  ///< all later work of the context is behind it; usually null
  std::vector<item_ptr> orphans;  ///< last items of destroyed streams, for synchronization
  std::shared_ptr<host_call_queue> host_calls;

  std::map<int, std::size_t> limits;
  std::set<CUcontext> peers;
  CUfunc_cache cache = CU_FUNC_CACHE_PREFER_NONE;
  CUsharedconfig shared_memory = CU_SHARED_MEM_CONFIG_DEFAULT_BANK_SIZE;
};

using context_table = handle_table<context, CUcontext>;
context_table& contexts();

/// A number that no other thread of the process ever has.
std::uint64_t thread_number();

/// The calling thread's stack of current contexts, the top last.
std::vector<CUcontext>& context_stack();

/// The current context. Refuses with INVALID_CONTEXT without one, CONTEXT_IS_DESTROYED, or, unless
/// @p even_if_faulted, with the code of the process's device fault.
std::shared_ptr<context> current_context(driver_lock&, bool even_if_faulted = false);

std::shared_ptr<context> create_context(driver_lock&, CUdevice device, unsigned flags,
                                        unsigned version);

/// Waits until the context is idle and removes it with its streams.
void destroy_context(driver_lock&, const std::shared_ptr<context>& c);

/// Everything enqueued in the context so far, destroyed streams included.
std::vector<item_ptr> frontier(driver_lock&, context& c);

/// Devices that the process sees: 1, or STREAMCTS_REFERENCE_DEVICES (at most 8).
int device_count();
void require_device(CUdevice device);

/// The primary context of a device and its count of owners.
struct primary_context {
  std::shared_ptr<context> active;
  unsigned owners = 0;
  unsigned flags = 0;
};
primary_context& primary(driver_lock&, CUdevice device);

}  // namespace streamcts::reference
