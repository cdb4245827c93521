// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of rows and boxes. There are no arrays.

#include "harness/reference/copy_description.h"

#include "harness/reference/entry.h"

using namespace streamcts::reference;

namespace streamcts::reference {
namespace {

// An end of a described copy.
struct end_description {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  std::size_t x, y, z, pitch, height;
};

// Rows and planes of the box within the memory.
struct box {
  place at;
  std::size_t pitch, plane;
};

box locate(const end_description& e, std::size_t width, std::size_t height, std::size_t depth) {
  require(e.type == CU_MEMORYTYPE_HOST || e.type == CU_MEMORYTYPE_DEVICE ||
              e.type == CU_MEMORYTYPE_UNIFIED,
          e.type == CU_MEMORYTYPE_ARRAY ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE);
  const std::size_t pitch = e.pitch == 0 ? width + e.x : e.pitch;
  const std::size_t plane = pitch * (e.height == 0 ? height + e.y : e.height);
  require(pitch >= width + e.x);
  const bool by_host_pointer = e.type == CU_MEMORYTYPE_HOST;
  const std::uintptr_t base =
      by_host_pointer ? reinterpret_cast<std::uintptr_t>(e.host) : e.device;
  const std::uintptr_t first = base + e.z * plane + e.y * pitch + e.x;
  const bool nothing = width == 0 || height == 0 || depth == 0;
  const std::size_t bytes = nothing ? 0 : (depth - 1) * plane + (height - 1) * pitch + width;
  const bool any = e.type != CU_MEMORYTYPE_DEVICE;
  return {any ? any_place(first, bytes) : device_place(first, bytes), pitch, plane};
}

}  // namespace

described_copy describe(const CUDA_MEMCPY3D& d) {
  const box from = locate({d.srcMemoryType, d.srcHost, d.srcDevice, d.srcXInBytes, d.srcY, d.srcZ,
                           d.srcPitch, d.srcHeight},
                          d.WidthInBytes, d.Height, d.Depth);
  const box to = locate({d.dstMemoryType, d.dstHost, d.dstDevice, d.dstXInBytes, d.dstY, d.dstZ,
                         d.dstPitch, d.dstHeight},
                        d.WidthInBytes, d.Height, d.Depth);
  described_copy c{from.at, to.at, {}};
  c.operation.from = from.at.address;
  c.operation.to = to.at.address;
  c.operation.width = d.WidthInBytes;
  c.operation.height = d.Height;
  c.operation.depth = d.Depth;
  c.operation.from_pitch = from.pitch;
  c.operation.from_plane = from.plane;
  c.operation.to_pitch = to.pitch;
  c.operation.to_plane = to.plane;
  c.operation.described = d;
  return c;
}

CUDA_MEMCPY3D as_3d(const CUDA_MEMCPY2D& d) {
  CUDA_MEMCPY3D out{};
  out.srcXInBytes = d.srcXInBytes;
  out.srcY = d.srcY;
  out.srcMemoryType = d.srcMemoryType;
  out.srcHost = d.srcHost;
  out.srcDevice = d.srcDevice;
  out.srcPitch = d.srcPitch;
  out.dstXInBytes = d.dstXInBytes;
  out.dstY = d.dstY;
  out.dstMemoryType = d.dstMemoryType;
  out.dstHost = d.dstHost;
  out.dstDevice = d.dstDevice;
  out.dstPitch = d.dstPitch;
  out.WidthInBytes = d.WidthInBytes;
  out.Height = d.Height;
  out.Depth = 1;
  return out;
}

}  // namespace streamcts::reference

namespace {

CUresult copy(default_stream mode, CUstream s, call_form form, const CUDA_MEMCPY3D& d) {
  const described_copy c = describe(d);
  return transfer(mode, s, form, c.from, c.to, c.operation);
}

template <typename Description>
const Description& given(const Description* d) {
  require(d != nullptr);
  return *d;
}

constexpr auto now = call_form::synchronous;
constexpr auto async = call_form::asynchronous;

}  // namespace

STREAMCTS_STREAM_ENTRY(cuMemcpy2D_v2, _ptds, (const CUDA_MEMCPY2D* d), (d)) {
  return copy(mode, nullptr, now, as_3d(given(d)));
}
STREAMCTS_STREAM_ENTRY(cuMemcpy2DUnaligned_v2, _ptds, (const CUDA_MEMCPY2D* d), (d)) {
  return copy(mode, nullptr, now, as_3d(given(d)));
}
STREAMCTS_STREAM_ENTRY(cuMemcpy2DAsync_v2, _ptsz, (const CUDA_MEMCPY2D* d, CUstream s), (d, s)) {
  return copy(mode, s, async, as_3d(given(d)));
}
STREAMCTS_STREAM_ENTRY(cuMemcpy3D_v2, _ptds, (const CUDA_MEMCPY3D* d), (d)) {
  return copy(mode, nullptr, now, given(d));
}
STREAMCTS_STREAM_ENTRY(cuMemcpy3DAsync_v2, _ptsz, (const CUDA_MEMCPY3D* d, CUstream s), (d, s)) {
  return copy(mode, s, async, given(d));
}
