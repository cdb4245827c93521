// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/graph_memory.h"

#include "harness/reference/context.h"

namespace streamcts::reference {
namespace {

// Shared by the operations that refer to the memory; the table has a reference of its own.
struct graph_allocation {
  explicit graph_allocation(allocation_ptr a) : memory(std::move(a)) {}
  graph_allocation(const graph_allocation&) = delete;
  ~graph_allocation() { memory::release(memory); }
  allocation_ptr memory;
};

}  // namespace

allocation_ptr allocate_for_graph(driver_lock& lock, std::size_t bytes) {
  require(bytes > 0);
  const std::shared_ptr<context> c = current_context(lock);
  const allocation_ptr a =
      memory::allocate(memory_kind::device, bytes, 0, c->handle, c->device);
  a->stream_ordered = a->graph_owned = true;
  const auto owner = std::make_shared<graph_allocation>(a);
  return {owner, a.get()};
}

}  // namespace streamcts::reference
