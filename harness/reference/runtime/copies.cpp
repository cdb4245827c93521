// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/runtime/copies.h"

namespace streamcts::runtime {
namespace {

struct ends {
  CUmemorytype to, from;
};
ends ends_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST};
    case cudaMemcpyHostToDevice:
      return {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST};
    case cudaMemcpyDeviceToHost:
      return {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE};
    case cudaMemcpyDeviceToDevice:
      return {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE};
    default:
      return {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED};
  }
}

/// Both kinds of description name their ends alike. A unified address stands in the device field.
template <typename Copy>
void set_ends(Copy& copy, const void* to, const void* from, cudaMemcpyKind kind) {
  const ends e = ends_of(kind);
  copy.dstMemoryType = e.to;
  copy.srcMemoryType = e.from;
  if (e.to == CU_MEMORYTYPE_HOST) {
    copy.dstHost = const_cast<void*>(to);
  } else {
    copy.dstDevice = address(to);
  }
  if (e.from == CU_MEMORYTYPE_HOST) {
    copy.srcHost = from;
  } else {
    copy.srcDevice = address(from);
  }
}

}  // namespace

bool known(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}

outcome copy(const driver_calls& driver, void* to, const void* from, size_t bytes,
             cudaMemcpyKind kind) {
  if (!known(kind)) return cudaErrorInvalidMemcpyDirection;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return driver.cuMemcpyHtoD(address(to), from, bytes);
    case cudaMemcpyDeviceToHost:
      return driver.cuMemcpyDtoH(to, address(from), bytes);
    case cudaMemcpyDeviceToDevice:
      return driver.cuMemcpyDtoD(address(to), address(from), bytes);
    default:
      return driver.cuMemcpy(address(to), address(from), bytes);
  }
}

outcome copy_async(const driver_calls& driver, void* to, const void* from, size_t bytes,
                   cudaMemcpyKind kind, cudaStream_t stream) {
  if (!known(kind)) return cudaErrorInvalidMemcpyDirection;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      return driver.cuMemcpyHtoDAsync(address(to), from, bytes, stream);
    case cudaMemcpyDeviceToHost:
      return driver.cuMemcpyDtoHAsync(to, address(from), bytes, stream);
    case cudaMemcpyDeviceToDevice:
      return driver.cuMemcpyDtoDAsync(address(to), address(from), bytes, stream);
    default:
      return driver.cuMemcpyAsync(address(to), address(from), bytes, stream);
  }
}

CUDA_MEMCPY2D describe(plane to, plane from, size_t width, size_t height, cudaMemcpyKind kind) {
  CUDA_MEMCPY2D made{};
  set_ends(made, to.memory, from.memory, kind);
  made.dstPitch = to.pitch;
  made.srcPitch = from.pitch;
  made.WidthInBytes = width;
  made.Height = height;
  return made;
}

outcome describe(const cudaMemcpy3DParms& p, CUDA_MEMCPY3D* made) {
  if (!known(p.kind)) return cudaErrorInvalidMemcpyDirection;
  if (p.srcArray != nullptr || p.dstArray != nullptr) return cudaErrorNotSupported;
  *made = {};
  set_ends(*made, p.dstPtr.ptr, p.srcPtr.ptr, p.kind);
  made->dstXInBytes = p.dstPos.x;
  made->dstY = p.dstPos.y;
  made->dstZ = p.dstPos.z;
  made->dstPitch = p.dstPtr.pitch;
  made->dstHeight = p.dstPtr.ysize;
  made->srcXInBytes = p.srcPos.x;
  made->srcY = p.srcPos.y;
  made->srcZ = p.srcPos.z;
  made->srcPitch = p.srcPtr.pitch;
  made->srcHeight = p.srcPtr.ysize;
  made->WidthInBytes = p.extent.width;
  made->Height = p.extent.height;
  made->Depth = p.extent.depth;
  return cudaSuccess;
}

CUDA_MEMCPY3D describe(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  CUDA_MEMCPY3D made{};
  set_ends(made, to, from, kind);
  made.dstPitch = made.srcPitch = made.WidthInBytes = bytes;
  made.dstHeight = made.srcHeight = made.Height = made.Depth = 1;
  return made;
}

}  // namespace streamcts::runtime
