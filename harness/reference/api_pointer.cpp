// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What can be asked about a pointer.

#include "harness/reference/entry.h"
#include "harness/reference/memory.h"

using namespace streamcts::reference;

namespace {

template <typename T>
void put(void* out, T value) {
  *static_cast<T*>(out) = value;
}

// Of a known pointer. False for an attribute that this driver has not.
bool describe(const allocation& a, CUdeviceptr p, CUpointer_attribute attribute, void* out) {
  const bool from_host = p - a.device >= a.size;
  const std::uintptr_t offset = p - (from_host ? a.host : a.device);
  const bool in_host_memory = a.kind == memory_kind::pinned || a.kind == memory_kind::registered;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put(out, a.context), true;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put<unsigned>(out, in_host_memory ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE), true;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put<CUdeviceptr>(out, a.device + offset), true;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return put(out, a.host == 0 ? nullptr : reinterpret_cast<void*>(a.host + offset)),
             a.host != 0;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
      return put<unsigned>(out, a.sync_memops), true;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
      return put(out, a.id), true;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put<unsigned>(out, a.kind == memory_kind::managed), true;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put<int>(out, a.ordinal), true;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
      return put<CUdeviceptr>(out, a.device), true;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
      return put<size_t>(out, a.size), true;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put<unsigned>(out, 1), true;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
      return put<int>(out, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE), true;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return put(out, a.pool), true;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
      return put<unsigned>(out, 0), true;
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put<std::uint64_t>(out, 0), true;
    default:
      return false;
  }
}

// Of memory that CUDA does not know, as cuPointerGetAttributes answers.
void describe_unknown(CUdeviceptr p, CUpointer_attribute attribute, void* out) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put<int>(out, -2);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      return put(out, reinterpret_cast<void*>(p));
    case CU_POINTER_ATTRIBUTE_CONTEXT:
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
      return put<std::uint64_t>(out, 0);
    default:
      return put<unsigned>(out, 0);
  }
}

}  // namespace

STREAMCTS_ENTRY(cuPointerGetAttribute,
                (void* out, CUpointer_attribute attribute, CUdeviceptr pointer),
                (out, attribute, pointer)) {
  require(out != nullptr);
  const allocation_ptr a = memory::find(pointer);
  require(a != nullptr && describe(*a, pointer, attribute, out));
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuPointerGetAttributes,
                (unsigned count, CUpointer_attribute* attributes, void** out,
                 CUdeviceptr pointer),
                (count, attributes, out, pointer)) {
  require(attributes != nullptr && out != nullptr);
  const allocation_ptr a = memory::find(pointer);
  for (unsigned i = 0; i < count; ++i) {
    require(out[i] != nullptr);
    if (a == nullptr || !describe(*a, pointer, attributes[i], out[i])) {
      describe_unknown(a == nullptr ? pointer : 0, attributes[i], out[i]);
    }
  }
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuPointerSetAttribute,
                (const void* value, CUpointer_attribute attribute, CUdeviceptr pointer),
                (value, attribute, pointer)) {
  require(value != nullptr && attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS);
  const allocation_ptr a = memory::find(pointer);
  require(a != nullptr && a->kind == memory_kind::device);
  a->sync_memops = *static_cast<const unsigned*>(value) != 0;
  return CUDA_SUCCESS;
}
