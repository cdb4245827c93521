// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and memsets.

#include "harness/reference/runtime/copies.h"
#include "harness/reference/runtime/registered_code.h"

using namespace streamcts::runtime;

RUNTIME_STREAM_ENTRY(cudaMemcpy, _ptds,
                     (void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
                     (to, from, bytes, kind)) {
  return copy(driver, to, from, bytes, kind);
}
RUNTIME_STREAM_ENTRY(cudaMemcpyAsync, _ptsz,
                     (void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                      cudaStream_t stream),
                     (to, from, bytes, kind, stream)) {
  return copy_async(driver, to, from, bytes, kind, stream);
}

RUNTIME_STREAM_ENTRY(cudaMemcpy2D, _ptds,
                     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind),
                     (to, to_pitch, from, from_pitch, width, height, kind)) {
  if (!known(kind)) return cudaErrorInvalidMemcpyDirection;
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  const CUDA_MEMCPY2D made = describe({to, to_pitch}, {from, from_pitch}, width, height, kind);
  return driver.cuMemcpy2DUnaligned(&made);
}
RUNTIME_STREAM_ENTRY(cudaMemcpy2DAsync, _ptsz,
                     (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, cudaMemcpyKind kind, cudaStream_t stream),
                     (to, to_pitch, from, from_pitch, width, height, kind, stream)) {
  if (!known(kind)) return cudaErrorInvalidMemcpyDirection;
  if (width > to_pitch || width > from_pitch) return cudaErrorInvalidPitchValue;
  const CUDA_MEMCPY2D made = describe({to, to_pitch}, {from, from_pitch}, width, height, kind);
  return driver.cuMemcpy2DAsync(&made, stream);
}

RUNTIME_STREAM_ENTRY(cudaMemcpy3D, _ptds, (const cudaMemcpy3DParms* parameters), (parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D made;
  if (const outcome o = describe(*parameters, &made); o.failed()) return o;
  return driver.cuMemcpy3D(&made);
}
RUNTIME_STREAM_ENTRY(cudaMemcpy3DAsync, _ptsz,
                     (const cudaMemcpy3DParms* parameters, cudaStream_t stream),
                     (parameters, stream)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D made;
  if (const outcome o = describe(*parameters, &made); o.failed()) return o;
  return driver.cuMemcpy3DAsync(&made, stream);
}

RUNTIME_ENTRY(cudaMemcpyPeer,
              (void* to, int to_device, const void* from, int from_device, size_t bytes),
              (to, to_device, from, from_device, bytes)) {
  CUcontext to_context = nullptr, from_context = nullptr;
  if (const CUresult r = primary_context(to_device, &to_context); r != CUDA_SUCCESS) return r;
  if (const CUresult r = primary_context(from_device, &from_context); r != CUDA_SUCCESS) return r;
  return driver.cuMemcpyPeer(address(to), to_context, address(from), from_context, bytes);
}
RUNTIME_ENTRY(cudaMemcpyPeerAsync,
              (void* to, int to_device, const void* from, int from_device, size_t bytes,
               cudaStream_t stream),
              (to, to_device, from, from_device, bytes, stream)) {
  CUcontext to_context = nullptr, from_context = nullptr;
  if (const CUresult r = primary_context(to_device, &to_context); r != CUDA_SUCCESS) return r;
  if (const CUresult r = primary_context(from_device, &from_context); r != CUDA_SUCCESS) return r;
  return driver.cuMemcpyPeerAsync(address(to), to_context, address(from), from_context, bytes,
                                  stream);
}

namespace {

/// Copies to or from @p bytes at @p offset of a variable.
template <typename Copy>
outcome with_variable(const void* symbol, size_t offset, size_t bytes, const Copy& copy_at) {
  void* memory = nullptr;
  size_t size = 0;
  if (const outcome o = find_variable(symbol, &memory, &size); o.failed()) return o;
  if (offset > size || bytes > size - offset) return cudaErrorInvalidValue;
  return copy_at(static_cast<char*>(memory) + offset);
}

}  // namespace

RUNTIME_STREAM_ENTRY(cudaMemcpyToSymbol, _ptds,
                     (const void* symbol, const void* from, size_t bytes, size_t offset,
                      cudaMemcpyKind kind),
                     (symbol, from, bytes, offset, kind)) {
  return with_variable(symbol, offset, bytes,
                       [&](void* at) { return copy(driver, at, from, bytes, kind); });
}
RUNTIME_STREAM_ENTRY(cudaMemcpyFromSymbol, _ptds,
                     (void* to, const void* symbol, size_t bytes, size_t offset,
                      cudaMemcpyKind kind),
                     (to, symbol, bytes, offset, kind)) {
  return with_variable(symbol, offset, bytes,
                       [&](void* at) { return copy(driver, to, at, bytes, kind); });
}
RUNTIME_STREAM_ENTRY(cudaMemcpyToSymbolAsync, _ptsz,
                     (const void* symbol, const void* from, size_t bytes, size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream),
                     (symbol, from, bytes, offset, kind, stream)) {
  return with_variable(symbol, offset, bytes,
                       [&](void* at) { return copy_async(driver, at, from, bytes, kind, stream); });
}
RUNTIME_STREAM_ENTRY(cudaMemcpyFromSymbolAsync, _ptsz,
                     (void* to, const void* symbol, size_t bytes, size_t offset,
                      cudaMemcpyKind kind, cudaStream_t stream),
                     (to, symbol, bytes, offset, kind, stream)) {
  return with_variable(symbol, offset, bytes,
                       [&](void* at) { return copy_async(driver, to, at, bytes, kind, stream); });
}

// Memsets set bytes to the low byte of the value.

namespace {

/// Calls @p set(address, height) for the planes of a box: once where they lie without a gap.
template <typename Set>
outcome for_planes(const cudaPitchedPtr& box, cudaExtent extent, const Set& set) {
  if (extent.width > box.pitch) return cudaErrorInvalidPitchValue;
  if (box.ysize == extent.height) return set(address(box.ptr), extent.height * extent.depth);
  for (size_t z = 0; z < extent.depth; ++z) {
    const CUresult result = set(address(box.ptr) + z * box.pitch * box.ysize, extent.height);
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

unsigned char byte(int value) {
  return static_cast<unsigned char>(value);
}

}  // namespace

RUNTIME_STREAM_ENTRY(cudaMemset, _ptds, (void* memory, int value, size_t bytes),
                     (memory, value, bytes)) {
  return driver.cuMemsetD8(address(memory), byte(value), bytes);
}
RUNTIME_STREAM_ENTRY(cudaMemsetAsync, _ptsz,
                     (void* memory, int value, size_t bytes, cudaStream_t stream),
                     (memory, value, bytes, stream)) {
  return driver.cuMemsetD8Async(address(memory), byte(value), bytes, stream);
}
RUNTIME_STREAM_ENTRY(cudaMemset2D, _ptds,
                     (void* memory, size_t pitch, int value, size_t width, size_t height),
                     (memory, pitch, value, width, height)) {
  return driver.cuMemsetD2D8(address(memory), pitch, byte(value), width, height);
}
RUNTIME_STREAM_ENTRY(cudaMemset2DAsync, _ptsz,
                     (void* memory, size_t pitch, int value, size_t width, size_t height,
                      cudaStream_t stream),
                     (memory, pitch, value, width, height, stream)) {
  return driver.cuMemsetD2D8Async(address(memory), pitch, byte(value), width, height, stream);
}
RUNTIME_STREAM_ENTRY(cudaMemset3D, _ptds, (cudaPitchedPtr box, int value, cudaExtent extent),
                     (box, value, extent)) {
  return for_planes(box, extent, [&](CUdeviceptr at, size_t height) {
    return driver.cuMemsetD2D8(at, box.pitch, byte(value), extent.width, height);
  });
}
RUNTIME_STREAM_ENTRY(cudaMemset3DAsync, _ptsz,
                     (cudaPitchedPtr box, int value, cudaExtent extent, cudaStream_t stream),
                     (box, value, extent, stream)) {
  return for_planes(box, extent, [&](CUdeviceptr at, size_t height) {
    return driver.cuMemsetD2D8Async(at, box.pitch, byte(value), extent.width, height, stream);
  });
}
