// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocation, registration and freeing. Freeing device, pinned or registered memory waits until the
// context is idle, as common drivers do: work that was enqueued may still use the memory.

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/memory.h"
#include "harness/reference/pool.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"

using namespace streamcts::reference;

namespace {

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

std::shared_ptr<context> context_for_allocation(driver_lock& lock) {
  const std::shared_ptr<context> c = current_context(lock);
  refuse_unsafe_during_capture(lock);
  if (active(variant::alloc_synchronizes)) wait(lock, frontier(lock, *c));
  return c;
}

allocation_ptr allocate(memory_kind kind, std::size_t size, unsigned flags) {
  require(size > 0);
  driver_lock lock;
  const std::shared_ptr<context> c = context_for_allocation(lock);
  return memory::allocate(kind, size, flags, c->handle, c->device);
}

// Waits for all work of the allocation's context, then frees.
CUresult free_when_idle(const allocation_ptr& a) {
  driver_lock lock;
  refuse_unsafe_during_capture(lock);
  require(!freed_in_stream(lock, a));
  if (const auto c = contexts().find(a->context)) wait(lock, frontier(lock, *c));
  if (!a->graph_owned) memory::release(a);
  return fault();
}

CUresult free_device(CUdeviceptr address) {
  if (address == 0) return CUDA_SUCCESS;
  const allocation_ptr a = memory::find_device(address);
  require(a != nullptr && a->device == address);
  require(a->kind == memory_kind::device || a->kind == memory_kind::managed);
  return free_when_idle(a);
}

CUresult free_host(void* address, memory_kind kind, CUresult otherwise) {
  const allocation_ptr a = memory::find_host(number(address));
  require(a != nullptr && a->host == number(address) && a->kind == kind, otherwise);
  return free_when_idle(a);
}

CUresult register_host(void* address, size_t size, unsigned flags) {
  constexpr unsigned known = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
                             CU_MEMHOSTREGISTER_READ_ONLY;
  require(address != nullptr && size > 0 && (flags & ~(known | CU_MEMHOSTREGISTER_IOMEMORY)) == 0);
  require((flags & CU_MEMHOSTREGISTER_IOMEMORY) == 0, CUDA_ERROR_NOT_SUPPORTED);
  driver_lock lock;
  const std::shared_ptr<context> c = context_for_allocation(lock);
  memory::adopt(address, size, flags, c->handle, c->device);
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_ENTRY(cuMemAlloc_v2, (CUdeviceptr * out, size_t size), (out, size)) {
  require(out != nullptr);
  *out = allocate(memory_kind::device, size, 0)->device;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemAllocPitch_v2,
                (CUdeviceptr * out, size_t* pitch, size_t width, size_t height, unsigned element),
                (out, pitch, width, height, element)) {
  require(out != nullptr && pitch != nullptr && (element == 4 || element == 8 || element == 16));
  constexpr std::size_t alignment = 512;
  *pitch = (width + alignment - 1) / alignment * alignment;
  *out = allocate(memory_kind::device, *pitch * height, 0)->device;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemAllocManaged, (CUdeviceptr * out, size_t size, unsigned flags),
                (out, size, flags)) {
  require(out != nullptr);
  require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST);
  const allocation_ptr a = allocate(memory_kind::managed, size, flags);
  a->attach_flags = flags;
  *out = a->device;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemAllocHost_v2, (void** out, size_t size), (out, size)) {
  require(out != nullptr);
  *out = reinterpret_cast<void*>(allocate(memory_kind::pinned, size, 0)->host);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemHostAlloc, (void** out, size_t size, unsigned flags), (out, size, flags)) {
  constexpr unsigned known =
      CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  require(out != nullptr && (flags & ~known) == 0);
  *out = reinterpret_cast<void*>(allocate(memory_kind::pinned, size, flags)->host);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemFree_v2, (CUdeviceptr address), (address)) { return free_device(address); }

STREAMCTS_ENTRY(cuMemFreeHost, (void* address), (address)) {
  return free_host(address, memory_kind::pinned, CUDA_ERROR_INVALID_VALUE);
}

STREAMCTS_ENTRY(cuMemHostRegister, (void* address, size_t size, unsigned flags),
                (address, size, flags)) {
  return register_host(address, size, flags);
}
STREAMCTS_ENTRY(cuMemHostRegister_v2, (void* address, size_t size, unsigned flags),
                (address, size, flags)) {
  return register_host(address, size, flags);
}

STREAMCTS_ENTRY(cuMemHostUnregister, (void* address), (address)) {
  return free_host(address, memory_kind::registered, CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

STREAMCTS_ENTRY(cuMemHostGetDevicePointer_v2, (CUdeviceptr * out, void* host, unsigned flags),
                (out, host, flags)) {
  require(out != nullptr && flags == 0);
  const allocation_ptr a = memory::find_host(number(host));
  require(a != nullptr && a->kind != memory_kind::managed);
  *out = a->device + (number(host) - a->host);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemHostGetFlags, (unsigned* flags, void* host), (flags, host)) {
  require(flags != nullptr);
  const allocation_ptr a = memory::find_host(number(host));
  require(a != nullptr && a->kind == memory_kind::pinned);
  *flags = a->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemGetInfo_v2, (size_t * available, size_t* total), (available, total)) {
  require(available != nullptr && total != nullptr);
  driver_lock lock;
  current_context(lock);
  *total = memory::total_bytes();
  *available = *total - memory::used_bytes();
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemGetAddressRange_v2, (CUdeviceptr * base, size_t* size, CUdeviceptr address),
                (base, size, address)) {
  const allocation_ptr a = memory::find_device(address);
  require(a != nullptr, CUDA_ERROR_NOT_FOUND);
  if (base != nullptr) *base = a->device;
  if (size != nullptr) *size = a->size;
  return CUDA_SUCCESS;
}
