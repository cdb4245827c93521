// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/pool.h"

#include <algorithm>
#include <array>

#include "harness/reference/operations.h"
#include "harness/reference/scheduler.h"

namespace streamcts::reference {
namespace {

struct freed_block {
  allocation_ptr memory;
  unsigned long long stream_id;
  pool_ptr pool;
};

struct pools_state {
  std::array<pool_ptr, 8> first, current;
  std::vector<freed_block> freed;  // free calls have returned, but have not been executed
  std::map<const allocation*, pool_ptr> owners;
};

pools_state& state() {
  static pools_state& only = *new pools_state;
  return only;
}

void count_use(memory_pool& pool, std::int64_t change) {
  pool.used += static_cast<std::uint64_t>(change);
  pool.most_used = std::max(pool.most_used, pool.used);
}

// Runs in stream order: unless the block was handed out again, its memory goes back.
void execute_free(const allocation_ptr& a) {
  driver_lock lock;
  auto& freed = state().freed;
  const auto at = std::find_if(freed.begin(), freed.end(),
                               [&](const freed_block& b) { return b.memory == a; });
  if (at == freed.end()) return;
  freed.erase(at);
  state().owners.erase(a.get());
  memory::release(a);
}

}  // namespace

handle_table<memory_pool, CUmemoryPool>& pools() {
  static auto& only = *new handle_table<memory_pool, CUmemoryPool>;
  return only;
}

pool_ptr default_pool(driver_lock&, CUdevice device) {
  require_device(device);
  pool_ptr& pool = state().first[static_cast<std::size_t>(device)];
  if (pool == nullptr) {
    pool = std::make_shared<memory_pool>();
    pool->device = device;
    pool->handle = pools().insert(pool);
  }
  return pool;
}

pool_ptr& current_pool(driver_lock& lock, CUdevice device) {
  pool_ptr& pool = state().current[static_cast<std::size_t>(device)];
  if (pool == nullptr) pool = default_pool(lock, device);
  return pool;
}

allocation_ptr allocate_in_stream(driver_lock&, stream& s, const pool_ptr& pool,
                                  std::size_t bytes) {
  require(bytes > 0);
  count_use(*pool, static_cast<std::int64_t>(bytes));
  auto& freed = state().freed;
  const auto again = std::find_if(freed.begin(), freed.end(), [&](const freed_block& b) {
    return b.stream_id == s.id && b.pool == pool && b.memory->size == bytes;
  });
  if (again != freed.end()) {
    const allocation_ptr a = again->memory;
    freed.erase(again);
    return a;
  }
  const std::shared_ptr<context> c = s.owner.lock();
  const allocation_ptr a =
      memory::allocate(memory_kind::device, bytes, 0, c->handle, pool->device);
  a->stream_ordered = true;
  a->pool = pool->handle;
  state().owners[a.get()] = pool;
  return a;
}

void free_in_stream(driver_lock& lock, stream& s, CUdeviceptr address) {
  const allocation_ptr a = memory::find_device(address);
  require(a != nullptr && a->device == address && a->kind == memory_kind::device);
  require(!freed_in_stream(lock, a));
  if (a->graph_owned) {  // its graph keeps the memory
    perform(lock, s, empty_operation{});
    return;
  }
  const auto owner = state().owners.find(a.get());
  const pool_ptr pool = owner == state().owners.end() ? nullptr : owner->second;
  if (pool != nullptr) count_use(*pool, -static_cast<std::int64_t>(a->size));
  state().freed.push_back({a, s.id, pool});
  enqueue(lock, s,
          make_item(lock, s.owner.lock(), executor::device, [a] { execute_free(a); }));
}

bool freed_in_stream(driver_lock&, const allocation_ptr& a) {
  return std::any_of(state().freed.begin(), state().freed.end(),
                     [&](const freed_block& b) { return b.memory == a; });
}

}  // namespace streamcts::reference
