// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed memory: attachment, prefetches, advice. Concurrent access is supported, so that none of
// them restricts anybody; prefetches and attachments take their place in stream order.

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/operations.h"

using namespace streamcts::reference;

namespace {

allocation_ptr managed_range(CUdeviceptr address, size_t bytes) {
  const allocation_ptr a = memory::find_device(address);
  require(a != nullptr && a->kind == memory_kind::managed);
  require(bytes > 0 && bytes <= a->size - (address - a->device));
  return a;
}

void check_location(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return require_device(location.id);
  require(location.type == CU_MEM_LOCATION_TYPE_HOST ||
              location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA ||
              location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
          CUDA_ERROR_INVALID_VALUE);
}

CUmemLocation location_of(CUdevice device) {
  CUmemLocation location{};
  const bool host = device == CU_DEVICE_CPU;
  location.type = host ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = host ? 0 : device;
  return location;
}

CUresult prefetch(default_stream mode, CUdeviceptr address, size_t bytes,
                  const CUmemLocation& location, CUstream handle) {
  const allocation_ptr a = managed_range(address, bytes);
  check_location(location);
  driver_lock lock;
  perform(lock, *stream_for_use(lock, handle, mode), empty_operation{});
  a->last_prefetch = location;
  return CUDA_SUCCESS;
}

CUresult advise(CUdeviceptr address, size_t bytes, CUmem_advise advice,
                const CUmemLocation& location) {
  const allocation_ptr a = managed_range(address, bytes);
  driver_lock lock;
  switch (advice) {
    case CU_MEM_ADVISE_SET_READ_MOSTLY:
    case CU_MEM_ADVISE_UNSET_READ_MOSTLY:
      a->read_mostly = advice == CU_MEM_ADVISE_SET_READ_MOSTLY;
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_SET_PREFERRED_LOCATION:
      check_location(location);
      a->preferred = location;
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION:
      a->preferred = {};
      return CUDA_SUCCESS;
    case CU_MEM_ADVISE_SET_ACCESSED_BY:
    case CU_MEM_ADVISE_UNSET_ACCESSED_BY:
      check_location(location);
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

int as_device(const CUmemLocation& location) {
  if (location.type == CU_MEM_LOCATION_TYPE_DEVICE) return location.id;
  return location.type == CU_MEM_LOCATION_TYPE_INVALID ? CU_DEVICE_INVALID : CU_DEVICE_CPU;
}

int range_attribute(const allocation& a, CUmem_range_attribute attribute) {
  switch (attribute) {
    case CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY:
      return a.read_mostly ? 1 : 0;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION:
      return as_device(a.preferred);
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE:
      return a.preferred.type;
    case CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID:
      return a.preferred.id;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION:
      return as_device(a.last_prefetch);
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE:
      return a.last_prefetch.type;
    case CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID:
      return a.last_prefetch.id;
    default:
      refuse(CUDA_ERROR_INVALID_VALUE);
  }
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuMemPrefetchAsync, _ptsz,
                       (CUdeviceptr address, size_t bytes, CUdevice device, CUstream s),
                       (address, bytes, device, s)) {
  return prefetch(mode, address, bytes, location_of(device), s);
}

STREAMCTS_STREAM_ENTRY(cuMemPrefetchAsync_v2, _ptsz,
                       (CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                        CUstream s),
                       (address, bytes, location, flags, s)) {
  require(flags == 0);
  return prefetch(mode, address, bytes, location, s);
}

STREAMCTS_ENTRY(cuMemAdvise,
                (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUdevice device),
                (address, bytes, advice, device)) {
  return advise(address, bytes, advice, location_of(device));
}

STREAMCTS_ENTRY(cuMemAdvise_v2,
                (CUdeviceptr address, size_t bytes, CUmem_advise advice, CUmemLocation location),
                (address, bytes, advice, location)) {
  return advise(address, bytes, advice, location);
}

STREAMCTS_ENTRY(cuMemRangeGetAttribute,
                (void* out, size_t size, CUmem_range_attribute attribute, CUdeviceptr address,
                 size_t bytes),
                (out, size, attribute, address, bytes)) {
  require(out != nullptr && size == sizeof(int));
  const allocation_ptr a = managed_range(address, bytes);
  driver_lock lock;
  *static_cast<int*>(out) = range_attribute(*a, attribute);
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamAttachMemAsync, _ptsz,
                       (CUstream handle, CUdeviceptr address, size_t length, unsigned flags),
                       (handle, address, length, flags)) {
  require(flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST ||
          flags == CU_MEM_ATTACH_SINGLE);
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  refuse_uncapturable(lock, *s);
  // AT-002: there is no stream to attach to in the legacy stream.
  require(flags != CU_MEM_ATTACH_SINGLE || s->kind != stream_kind::legacy);
  const allocation_ptr a = memory::find_device(address);
  require(a != nullptr && a->kind == memory_kind::managed && a->device == address);
  require(length == 0 || length == a->size);
  a->attach_flags = flags;
  perform(lock, *s, empty_operation{});
  return CUDA_SUCCESS;
}
