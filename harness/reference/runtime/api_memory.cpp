// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocation, registration, and what is known of a pointer. Freeing null does nothing, unlike in
// the driver API.

#include "harness/reference/runtime/entry.h"

using namespace streamcts::runtime;

static_assert(cudaHostAllocMapped == CU_MEMHOSTALLOC_DEVICEMAP);
static_assert(cudaHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED);
static_assert(cudaHostRegisterMapped == CU_MEMHOSTREGISTER_DEVICEMAP);
static_assert(cudaMemAttachSingle == CU_MEM_ATTACH_SINGLE);

namespace {

CUdeviceptr address(const void* pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

/// The runtime gives a null pointer for no bytes; the driver refuses.
template <typename Allocate>
outcome allocate(void** out, size_t bytes, const Allocate& allocate_bytes) {
  if (out == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr made = 0;
  const CUresult result = bytes == 0 ? CUDA_SUCCESS : allocate_bytes(&made);
  if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(made);
  return result;
}

template <typename Value>
Value pointer_attribute(const driver_calls& driver, CUpointer_attribute which, const void* pointer,
                        Value otherwise) {
  Value found = otherwise;
  return driver.cuPointerGetAttribute(&found, which, address(pointer)) == CUDA_SUCCESS ? found
                                                                                       : otherwise;
}

cudaMemoryType type_of(const driver_calls& driver, const void* pointer) {
  if (pointer_attribute<unsigned>(driver, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer, 0) != 0) {
    return cudaMemoryTypeManaged;
  }
  switch (pointer_attribute<unsigned>(driver, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer, 0)) {
    case CU_MEMORYTYPE_HOST:
      return cudaMemoryTypeHost;
    case CU_MEMORYTYPE_DEVICE:
      return cudaMemoryTypeDevice;
    default:
      return cudaMemoryTypeUnregistered;
  }
}

CUmemLocation location_of(const cudaMemLocation& location) {
  CUmemLocation same{};
  same.type = static_cast<CUmemLocationType>(location.type);
  same.id = location.id;
  return same;
}

}  // namespace

RUNTIME_ENTRY(cudaMalloc, (void** out, size_t bytes), (out, bytes)) {
  return allocate(out, bytes, [&](CUdeviceptr* p) { return driver.cuMemAlloc(p, bytes); });
}
RUNTIME_ENTRY(cudaMallocPitch, (void** out, size_t* pitch, size_t width, size_t height),
              (out, pitch, width, height)) {
  if (pitch == nullptr) return cudaErrorInvalidValue;
  return allocate(out, width * height, [&](CUdeviceptr* p) {
    return driver.cuMemAllocPitch(p, pitch, width, height, 16);
  });
}
RUNTIME_ENTRY(cudaMalloc3D, (cudaPitchedPtr * out, cudaExtent extent), (out, extent)) {
  if (out == nullptr) return cudaErrorInvalidValue;
  const size_t rows = extent.height * extent.depth;
  out->xsize = extent.width;
  out->ysize = extent.height;
  return allocate(&out->ptr, extent.width * rows, [&](CUdeviceptr* p) {
    return driver.cuMemAllocPitch(p, &out->pitch, extent.width, rows, 16);
  });
}
RUNTIME_ENTRY(cudaFree, (void* memory), (memory)) {
  return memory == nullptr ? CUDA_SUCCESS : driver.cuMemFree(address(memory));
}
RUNTIME_ENTRY(cudaMallocManaged, (void** out, size_t bytes, unsigned flags), (out, bytes, flags)) {
  if (bytes == 0) return cudaErrorInvalidValue;
  return allocate(out, bytes,
                  [&](CUdeviceptr* p) { return driver.cuMemAllocManaged(p, bytes, flags); });
}

RUNTIME_ENTRY(cudaMallocHost, (void** out, size_t bytes), (out, bytes)) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  return bytes == 0 ? CUDA_SUCCESS : driver.cuMemAllocHost(out, bytes);
}
RUNTIME_ENTRY(cudaHostAlloc, (void** out, size_t bytes, unsigned flags), (out, bytes, flags)) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  return bytes == 0 ? CUDA_SUCCESS : driver.cuMemHostAlloc(out, bytes, flags);
}
RUNTIME_ENTRY(cudaFreeHost, (void* memory), (memory)) {
  return memory == nullptr ? CUDA_SUCCESS : driver.cuMemFreeHost(memory);
}
RUNTIME_ENTRY(cudaHostRegister, (void* memory, size_t bytes, unsigned flags),
              (memory, bytes, flags)) {
  return driver.cuMemHostRegister(memory, bytes, flags);
}
RUNTIME_ENTRY(cudaHostUnregister, (void* memory), (memory)) {
  return driver.cuMemHostUnregister(memory);
}
RUNTIME_ENTRY(cudaHostGetDevicePointer, (void** out, void* memory, unsigned flags),
              (out, memory, flags)) {
  if (out == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr found = 0;
  const CUresult result = driver.cuMemHostGetDevicePointer(&found, memory, flags);
  if (result == CUDA_SUCCESS) *out = reinterpret_cast<void*>(found);
  return result;
}
RUNTIME_ENTRY(cudaHostGetFlags, (unsigned* flags, void* memory), (flags, memory)) {
  return driver.cuMemHostGetFlags(flags, memory);
}

RUNTIME_ENTRY(cudaMemGetInfo, (size_t * free, size_t* total), (free, total)) {
  return driver.cuMemGetInfo(free, total);
}

RUNTIME_ENTRY(cudaPointerGetAttributes, (cudaPointerAttributes * out, const void* pointer),
              (out, pointer)) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = {};
  out->type = type_of(driver, pointer);
  if (out->type == cudaMemoryTypeUnregistered) {
    out->device = cudaInvalidDeviceId;
    out->hostPointer = const_cast<void*>(pointer);
    return cudaSuccess;
  }
  out->device = pointer_attribute<int>(driver, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer, 0);
  out->devicePointer =
      pointer_attribute<void*>(driver, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, pointer, nullptr);
  if (out->type != cudaMemoryTypeDevice) {
    out->hostPointer =
        pointer_attribute<void*>(driver, CU_POINTER_ATTRIBUTE_HOST_POINTER, pointer, nullptr);
  }
  return cudaSuccess;
}

RUNTIME_ENTRY(cudaMemAdvise,
              (const void* memory, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation where),
              (memory, bytes, advice, where)) {
  return driver.cuMemAdvise(address(memory), bytes, static_cast<CUmem_advise>(advice),
                            location_of(where));
}
RUNTIME_STREAM_ENTRY(cudaMemPrefetchAsync, _ptsz,
                     (const void* memory, size_t bytes, cudaMemLocation where, unsigned flags,
                      cudaStream_t stream),
                     (memory, bytes, where, flags, stream)) {
  return driver.cuMemPrefetchAsync(address(memory), bytes, location_of(where), flags, stream);
}
RUNTIME_ENTRY(cudaMemRangeGetAttribute,
              (void* data, size_t size, cudaMemRangeAttribute attribute, const void* memory,
               size_t bytes),
              (data, size, attribute, memory, bytes)) {
  return driver.cuMemRangeGetAttribute(data, size, static_cast<CUmem_range_attribute>(attribute),
                                       address(memory), bytes);
}

// Allocation in stream order, and pools. Properties have the same layout in both APIs.

static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps));

RUNTIME_STREAM_ENTRY(cudaMallocAsync, _ptsz, (void** out, size_t bytes, cudaStream_t stream),
                     (out, bytes, stream)) {
  return allocate(out, bytes,
                  [&](CUdeviceptr* p) { return driver.cuMemAllocAsync(p, bytes, stream); });
}
RUNTIME_STREAM_ENTRY(cudaMallocFromPoolAsync, _ptsz,
                     (void** out, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
                     (out, bytes, pool, stream)) {
  return allocate(out, bytes, [&](CUdeviceptr* p) {
    return driver.cuMemAllocFromPoolAsync(p, bytes, pool, stream);
  });
}
RUNTIME_STREAM_ENTRY(cudaFreeAsync, _ptsz, (void* memory, cudaStream_t stream), (memory, stream)) {
  return memory == nullptr ? CUDA_SUCCESS : driver.cuMemFreeAsync(address(memory), stream);
}
RUNTIME_ENTRY(cudaDeviceGetDefaultMemPool, (cudaMemPool_t * pool, int device), (pool, device)) {
  return driver.cuDeviceGetDefaultMemPool(pool, device);
}
RUNTIME_ENTRY(cudaDeviceGetMemPool, (cudaMemPool_t * pool, int device), (pool, device)) {
  return driver.cuDeviceGetMemPool(pool, device);
}
RUNTIME_ENTRY(cudaDeviceSetMemPool, (int device, cudaMemPool_t pool), (device, pool)) {
  return driver.cuDeviceSetMemPool(device, pool);
}
RUNTIME_ENTRY(cudaMemPoolCreate, (cudaMemPool_t * pool, const cudaMemPoolProps* properties),
              (pool, properties)) {
  return driver.cuMemPoolCreate(pool, reinterpret_cast<const CUmemPoolProps*>(properties));
}
RUNTIME_ENTRY(cudaMemPoolDestroy, (cudaMemPool_t pool), (pool)) {
  return driver.cuMemPoolDestroy(pool);
}
RUNTIME_ENTRY(cudaMemPoolTrimTo, (cudaMemPool_t pool, size_t keep), (pool, keep)) {
  return driver.cuMemPoolTrimTo(pool, keep);
}
RUNTIME_ENTRY(cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr which, void* value),
              (pool, which, value)) {
  return driver.cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(which), value);
}
RUNTIME_ENTRY(cudaMemPoolGetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr which, void* value),
              (pool, which, value)) {
  return driver.cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(which), value);
}
