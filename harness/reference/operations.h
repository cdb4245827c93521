// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a stream or a graph node can do. An operation is a value: enqueuing it makes a work item,
// capturing it makes a graph node, and each launch of the graph makes items of its nodes.

#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "harness/reference/event.h"
#include "harness/reference/kernel_launch.h"
#include "harness/reference/memory.h"
#include "harness/reference/stream.h"

namespace streamcts::reference {

struct graph;

/// Nothing: an empty node, a prefetch, an attachment.
struct empty_operation {};

/// A box of bytes from one place to another. Addresses are real ones, host and device alike.
struct copy_operation {
  std::uintptr_t from = 0, to = 0;
  std::size_t width = 0, height = 1, depth = 1;  ///< width in bytes
  std::size_t from_pitch = 0, from_plane = 0, to_pitch = 0, to_plane = 0;
  CUDA_MEMCPY3D described{};  ///< for graph node queries
};

struct set_operation {
  std::uintptr_t to = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  std::size_t width = 0, height = 1, pitch = 0;  ///< width in elements
};

/// A host call. A callback also gets the stream handle as registered, and a status.
struct host_operation {
  CUhostFn function = nullptr;
  CUstreamCallback callback = nullptr;
  CUstream stream = nullptr;
  void* data = nullptr;
};

struct memory_operation_batch {
  std::vector<CUstreamBatchMemOpParams> steps;
  CUcontext context = nullptr;
};

struct event_record_operation {
  event_ptr target;
};
struct event_wait_operation {
  event_ptr target;
};
struct child_operation {
  std::shared_ptr<graph> child;
};
/// Nodes of graphs: the memory exists all the time, so that neither does anything.
struct allocate_operation {
  allocation_ptr memory;
  CUDA_MEM_ALLOC_NODE_PARAMS described{};
};
struct free_operation {
  allocation_ptr memory;
};

using operation =
    std::variant<empty_operation, kernel_launch, copy_operation, set_operation, host_operation,
                 memory_operation_batch, event_record_operation, event_wait_operation,
                 child_operation, allocate_operation, free_operation>;

/// An item that performs @p o, which is not one of an event or a child graph. Not submitted.
item_ptr make_item(driver_lock&, const std::shared_ptr<context>& c, const operation& o);

/// Enqueues @p o in @p s, or captures it if the stream captures. The item, null if captured.
item_ptr perform(driver_lock&, stream& s, operation o);

/// The functions that the items run, without the lock.
void run_copy(const copy_operation& o);
void run_set(const set_operation& o);
void run_host_call(const host_operation& o);
void run_memory_operations(const memory_operation_batch& batch);

/// Refuses operations that no driver takes, with INVALID_VALUE or NOT_SUPPORTED.
void check_memory_operations(const std::vector<CUstreamBatchMemOpParams>& steps);

}  // namespace streamcts::reference
