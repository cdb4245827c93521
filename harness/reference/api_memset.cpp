// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Memsets.

#include "harness/reference/entry.h"
#include "harness/reference/transfer.h"

using namespace streamcts::reference;

namespace {
constexpr auto now = call_form::synchronous;
constexpr auto async = call_form::asynchronous;
}  // namespace

STREAMCTS_STREAM_ENTRY(cuMemsetD8_v2, _ptds, (CUdeviceptr to, unsigned char value, size_t n),
                       (to, value, n)) {
  return fill(mode, nullptr, now, to, value, 1, n, 1, 0);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD16_v2, _ptds, (CUdeviceptr to, unsigned short value, size_t n),
                       (to, value, n)) {
  return fill(mode, nullptr, now, to, value, 2, n, 1, 0);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD32_v2, _ptds, (CUdeviceptr to, unsigned value, size_t n),
                       (to, value, n)) {
  return fill(mode, nullptr, now, to, value, 4, n, 1, 0);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD2D8_v2, _ptds,
                       (CUdeviceptr to, size_t pitch, unsigned char value, size_t w, size_t h),
                       (to, pitch, value, w, h)) {
  return fill(mode, nullptr, now, to, value, 1, w, h, pitch);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD2D16_v2, _ptds,
                       (CUdeviceptr to, size_t pitch, unsigned short value, size_t w, size_t h),
                       (to, pitch, value, w, h)) {
  return fill(mode, nullptr, now, to, value, 2, w, h, pitch);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD2D32_v2, _ptds,
                       (CUdeviceptr to, size_t pitch, unsigned value, size_t w, size_t h),
                       (to, pitch, value, w, h)) {
  return fill(mode, nullptr, now, to, value, 4, w, h, pitch);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD8Async, _ptsz,
                       (CUdeviceptr to, unsigned char value, size_t n, CUstream s),
                       (to, value, n, s)) {
  return fill(mode, s, async, to, value, 1, n, 1, 0);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD16Async, _ptsz,
                       (CUdeviceptr to, unsigned short value, size_t n, CUstream s),
                       (to, value, n, s)) {
  return fill(mode, s, async, to, value, 2, n, 1, 0);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD32Async, _ptsz,
                       (CUdeviceptr to, unsigned value, size_t n, CUstream s), (to, value, n, s)) {
  return fill(mode, s, async, to, value, 4, n, 1, 0);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD2D8Async, _ptsz,
                       (CUdeviceptr to, size_t pitch, unsigned char value, size_t w, size_t h,
                        CUstream s),
                       (to, pitch, value, w, h, s)) {
  return fill(mode, s, async, to, value, 1, w, h, pitch);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD2D16Async, _ptsz,
                       (CUdeviceptr to, size_t pitch, unsigned short value, size_t w, size_t h,
                        CUstream s),
                       (to, pitch, value, w, h, s)) {
  return fill(mode, s, async, to, value, 2, w, h, pitch);
}
STREAMCTS_STREAM_ENTRY(cuMemsetD2D32Async, _ptsz,
                       (CUdeviceptr to, size_t pitch, unsigned value, size_t w, size_t h,
                        CUstream s),
                       (to, pitch, value, w, h, s)) {
  return fill(mode, s, async, to, value, 4, w, h, pitch);
}
