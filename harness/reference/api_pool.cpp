// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The stream-ordered allocator.

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/operations.h"
#include "harness/reference/pool.h"

using namespace streamcts::reference;

namespace {

CUresult allocate(default_stream mode, CUdeviceptr* out, size_t bytes, CUmemoryPool pool_handle,
                  CUstream handle) {
  require(out != nullptr);
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  const CUdevice device = s->owner.lock()->device;
  if (s->capture != nullptr) {
    *out = capture_allocation(lock, *s, bytes)->device;
    return CUDA_SUCCESS;
  }
  const pool_ptr pool =
      pool_handle == nullptr ? current_pool(lock, device) : pools().get(pool_handle);
  *out = allocate_in_stream(lock, *s, pool, bytes)->device;
  perform(lock, *s, empty_operation{});
  return CUDA_SUCCESS;
}

std::uint64_t& attribute_of(memory_pool& pool, CUmemPool_attribute attribute) {
  switch (attribute) {
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      return pool.used;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      return pool.most_used;
    default:
      return pool.attributes[attribute];
  }
}

// 64 bits, or an int.
bool is_wide(CUmemPool_attribute attribute) {
  return attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
}

void check(CUmemPool_attribute attribute, const void* value) {
  require(value != nullptr && attribute >= CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES &&
          attribute <= CU_MEMPOOL_ATTR_USED_MEM_HIGH);
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuMemAllocAsync, _ptsz, (CUdeviceptr * out, size_t bytes, CUstream s),
                       (out, bytes, s)) {
  return allocate(mode, out, bytes, nullptr, s);
}

STREAMCTS_STREAM_ENTRY(cuMemAllocFromPoolAsync, _ptsz,
                       (CUdeviceptr * out, size_t bytes, CUmemoryPool pool, CUstream s),
                       (out, bytes, pool, s)) {
  require(pool != nullptr);
  return allocate(mode, out, bytes, pool, s);
}

STREAMCTS_STREAM_ENTRY(cuMemFreeAsync, _ptsz, (CUdeviceptr address, CUstream handle),
                       (address, handle)) {
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  if (s->capture != nullptr) {
    capture_free(lock, *s, address);
  } else {
    free_in_stream(lock, *s, address);
  }
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetDefaultMemPool, (CUmemoryPool * out, CUdevice device), (out, device)) {
  require(out != nullptr);
  driver_lock lock;
  *out = default_pool(lock, device)->handle;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetMemPool, (CUmemoryPool * out, CUdevice device), (out, device)) {
  require(out != nullptr);
  require_device(device);
  driver_lock lock;
  *out = current_pool(lock, device)->handle;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceSetMemPool, (CUdevice device, CUmemoryPool handle), (device, handle)) {
  require_device(device);
  driver_lock lock;
  const pool_ptr pool = pools().get(handle);
  require(pool->device == device);
  current_pool(lock, device) = pool;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemPoolCreate, (CUmemoryPool * out, const CUmemPoolProps* properties),
                (out, properties)) {
  require(out != nullptr && properties != nullptr);
  require(properties->allocType == CU_MEM_ALLOCATION_TYPE_PINNED &&
          properties->location.type == CU_MEM_LOCATION_TYPE_DEVICE);
  require(properties->handleTypes == CU_MEM_HANDLE_TYPE_NONE, CUDA_ERROR_NOT_SUPPORTED);
  require_device(properties->location.id);
  driver_lock lock;
  auto pool = std::make_shared<memory_pool>();
  pool->device = properties->location.id;
  *out = pool->handle = pools().insert(pool);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemPoolDestroy, (CUmemoryPool handle), (handle)) {
  driver_lock lock;
  const pool_ptr pool = pools().get(handle, CUDA_ERROR_INVALID_VALUE);
  const pool_ptr first = default_pool(lock, pool->device);
  require(pool != first);
  pool_ptr& current = current_pool(lock, pool->device);
  if (current == pool) current = first;
  pools().erase(handle);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemPoolGetAttribute,
                (CUmemoryPool handle, CUmemPool_attribute attribute, void* value),
                (handle, attribute, value)) {
  check(attribute, value);
  driver_lock lock;
  const std::uint64_t found =
      attribute_of(*pools().get(handle, CUDA_ERROR_INVALID_VALUE), attribute);
  if (is_wide(attribute)) {
    *static_cast<cuuint64_t*>(value) = found;
  } else {
    *static_cast<int*>(value) = static_cast<int>(found);
  }
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemPoolSetAttribute,
                (CUmemoryPool handle, CUmemPool_attribute attribute, void* value),
                (handle, attribute, value)) {
  check(attribute, value);
  require(attribute != CU_MEMPOOL_ATTR_USED_MEM_CURRENT &&
          attribute != CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
  driver_lock lock;
  attribute_of(*pools().get(handle, CUDA_ERROR_INVALID_VALUE), attribute) =
      is_wide(attribute) ? *static_cast<const cuuint64_t*>(value)
                         : static_cast<std::uint64_t>(*static_cast<const int*>(value));
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemPoolTrimTo, (CUmemoryPool handle, [[maybe_unused]] size_t keep),
                (handle, keep)) {
  driver_lock lock;
  pools().get(handle, CUDA_ERROR_INVALID_VALUE);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemPoolSetAccess,
                (CUmemoryPool handle, const CUmemAccessDesc* accesses, size_t count),
                (handle, accesses, count)) {
  require(accesses != nullptr || count == 0);
  driver_lock lock;
  pools().get(handle, CUDA_ERROR_INVALID_VALUE);
  for (size_t i = 0; i < count; ++i) require_device(accesses[i].location.id);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuMemPoolGetAccess,
                (CUmemAccess_flags * flags, CUmemoryPool handle, CUmemLocation* location),
                (flags, handle, location)) {
  require(flags != nullptr && location != nullptr);
  require_device(location->id);
  driver_lock lock;
  pools().get(handle, CUDA_ERROR_INVALID_VALUE);
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;  // every device reaches all memory
  return CUDA_SUCCESS;
}
