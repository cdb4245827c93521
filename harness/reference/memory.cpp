// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>
#include <vector>

#include "harness/reference/refusal.h"

namespace streamcts::reference::memory {
namespace {

constexpr std::size_t device_bytes = std::size_t{16} << 30;
constexpr std::size_t alignment = 512;
constexpr std::size_t page_bytes = 4096;

struct table {
  std::mutex mutex;
  std::map<std::uintptr_t, allocation_ptr> by_device;
  std::map<std::uintptr_t, allocation_ptr> by_host;  // write-combined memory alone
  std::size_t used = 0;
  unsigned long long last_id = 0;
};

table& all() {
  static table& only = *new table;
  return only;
}

allocation_ptr find_in(const std::map<std::uintptr_t, allocation_ptr>& ranges,
                       std::uintptr_t address, std::uintptr_t allocation::* base) {
  auto at = ranges.upper_bound(address);
  if (at == ranges.begin()) return nullptr;
  const allocation_ptr& a = (--at)->second;
  return address - (*a).*base < a->size ? a : nullptr;
}

std::size_t rounded(std::size_t size, std::size_t to) { return (size + to - 1) / to * to; }

// One piece of memory at two addresses.
void map_twice(allocation& a) {
  const std::size_t bytes = rounded(a.size, page_bytes);
  const int file = memfd_create("write-combined", MFD_CLOEXEC);
  require(file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0, CUDA_ERROR_OUT_OF_MEMORY);
  void* first = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  void* second = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  require(first != MAP_FAILED && second != MAP_FAILED, CUDA_ERROR_OUT_OF_MEMORY);
  a.host = reinterpret_cast<std::uintptr_t>(first);
  a.device = reinterpret_cast<std::uintptr_t>(second);
  a.aliased = true;
}

void take_memory(allocation& a) {
  if (a.kind == memory_kind::pinned && (a.flags & CU_MEMHOSTALLOC_WRITECOMBINED) != 0) {
    return map_twice(a);
  }
  // Host-visible memory has pages of its own, so that no two allocations share one.
  const std::size_t to = a.host_visible() ? page_bytes : alignment;
  void* memory = std::aligned_alloc(to, rounded(a.size, to));
  require(memory != nullptr, CUDA_ERROR_OUT_OF_MEMORY);
  a.device = reinterpret_cast<std::uintptr_t>(memory);
  a.host = a.host_visible() ? a.device : 0;
}

void give_back(const allocation& a) {
  if (a.kind == memory_kind::registered) return;
  if (!a.aliased) {
    std::free(reinterpret_cast<void*>(a.device));
    return;
  }
  munmap(reinterpret_cast<void*>(a.host), rounded(a.size, page_bytes));
  munmap(reinterpret_cast<void*>(a.device), rounded(a.size, page_bytes));
}

void insert(table& t, const allocation_ptr& a) {
  a->id = ++t.last_id;
  t.by_device.emplace(a->device, a);
  if (a->aliased) t.by_host.emplace(a->host, a);
  if (!a->host_visible()) t.used += a->size;
}

}  // namespace

allocation_ptr allocate(memory_kind kind, std::size_t size, unsigned flags, CUcontext context,
                        CUdevice ordinal) {
  table& t = all();
  const std::scoped_lock lock(t.mutex);
  require(size <= device_bytes && (kind != memory_kind::device || t.used + size <= device_bytes),
          CUDA_ERROR_OUT_OF_MEMORY);
  auto a = std::make_shared<allocation>();
  a->kind = kind;
  a->size = size;
  a->flags = flags;
  a->context = context;
  a->ordinal = ordinal;
  take_memory(*a);
  insert(t, a);
  return a;
}

allocation_ptr adopt(void* host, std::size_t size, unsigned flags, CUcontext context,
                     CUdevice ordinal) {
  table& t = all();
  const std::scoped_lock lock(t.mutex);
  const auto begin = reinterpret_cast<std::uintptr_t>(host);
  const auto next = t.by_device.lower_bound(begin);
  const bool overlaps = find_in(t.by_device, begin, &allocation::device) != nullptr ||
                        (next != t.by_device.end() && next->first < begin + size);
  require(!overlaps, CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  auto a = std::make_shared<allocation>();
  a->kind = memory_kind::registered;
  a->device = a->host = begin;
  a->size = size;
  a->flags = flags;
  a->context = context;
  a->ordinal = ordinal;
  insert(t, a);
  return a;
}

void release(const allocation_ptr& a) {
  table& t = all();
  const std::scoped_lock lock(t.mutex);
  if (t.by_device.erase(a->device) == 0) return;
  if (a->aliased) t.by_host.erase(a->host);
  if (!a->host_visible()) t.used -= a->size;
  give_back(*a);
}

allocation_ptr find_device(std::uintptr_t address) {
  table& t = all();
  const std::scoped_lock lock(t.mutex);
  return find_in(t.by_device, address, &allocation::device);
}

allocation_ptr find_host(std::uintptr_t address) {
  table& t = all();
  const std::scoped_lock lock(t.mutex);
  if (allocation_ptr a = find_in(t.by_host, address, &allocation::host)) return a;
  allocation_ptr a = find_in(t.by_device, address, &allocation::device);
  return a != nullptr && a->host == a->device ? a : nullptr;
}

allocation_ptr find(std::uintptr_t address) {
  allocation_ptr a = find_device(address);
  return a != nullptr ? a : find_host(address);
}

void release_all(CUcontext context) {
  std::vector<allocation_ptr> owned;
  {
    const std::scoped_lock lock(all().mutex);
    for (const auto& [address, a] : all().by_device) {
      if (a->context == context) owned.push_back(a);
    }
  }
  for (const allocation_ptr& a : owned) release(a);
}

std::size_t count(CUcontext context) {
  const std::scoped_lock lock(all().mutex);
  return static_cast<std::size_t>(
      std::count_if(all().by_device.begin(), all().by_device.end(),
                    [&](const auto& entry) { return entry.second->context == context; }));
}

std::size_t total_bytes() { return device_bytes; }

std::size_t used_bytes() {
  const std::scoped_lock lock(all().mutex);
  return all().used;
}

}  // namespace streamcts::reference::memory
