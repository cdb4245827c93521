// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "harness/reference/cuda_api.h"

namespace streamcts::reference {

enum class memory_kind {
  device,      ///< cuMemAlloc and the stream-ordered allocator
  pinned,      ///< cuMemAllocHost, cuMemHostAlloc
  registered,  ///< cuMemHostRegister: the program's own memory
  managed,     ///< cuMemAllocManaged
};

/// A range that the device may use. Device and host addresses are equal, except for write-combined
/// memory, which the device sees at an address of its own (VS-MAP-002): a program that passes the
/// host's to a kernel is caught.
struct allocation {
  std::uintptr_t device = 0;
  std::uintptr_t host = 0;  ///< 0 for device memory, which the host must not touch
  std::size_t size = 0;
  memory_kind kind = memory_kind::device;
  unsigned flags = 0;
  CUcontext context = nullptr;
  CUdevice ordinal = 0;
  unsigned long long id = 0;
  bool stream_ordered = false;
  bool graph_owned = false;  ///< given back by the graph it was allocated in
  CUmemoryPool pool = nullptr;
  bool sync_memops = false;  ///< CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
  bool aliased = false;      ///< mapped twice: write-combined

  // Of managed memory; guarded by the driver lock.
  unsigned attach_flags = 0;
  bool read_mostly = false;
  CUmemLocation preferred{}, last_prefetch{};

  bool host_visible() const { return kind != memory_kind::device; }
};
using allocation_ptr = std::shared_ptr<allocation>;

/// The table of allocations. Has a lock of its own, since kernels look addresses up while they run.
/// Thread-safe.
namespace memory {

/// New memory of @p size bytes (not 0), aligned to 512 bytes. Refuses with OUT_OF_MEMORY.
allocation_ptr allocate(memory_kind kind, std::size_t size, unsigned flags, CUcontext context,
                        CUdevice ordinal);
/// Makes [host, host + size) known. Refuses with HOST_MEMORY_ALREADY_REGISTERED on overlap.
allocation_ptr adopt(void* host, std::size_t size, unsigned flags, CUcontext context,
                     CUdevice ordinal);
/// Removes an allocation from the table and gives its memory back, unless it was adopted.
void release(const allocation_ptr& a);

/// The allocation that holds @p address as seen from the device, from the host, or either. Null if
/// there is none.
allocation_ptr find_device(std::uintptr_t address);
allocation_ptr find_host(std::uintptr_t address);
allocation_ptr find(std::uintptr_t address);
/// Allocations of @p context.
std::size_t count(CUcontext context);

/// Frees everything that belongs to @p context.
void release_all(CUcontext context);

/// The device's memory, in bytes.
std::size_t total_bytes();
std::size_t used_bytes();

}  // namespace memory
}  // namespace streamcts::reference
