// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies of a stretch of bytes.

#include "harness/reference/entry.h"
#include "harness/reference/transfer.h"

using namespace streamcts::reference;

namespace {

constexpr auto now = call_form::synchronous;
constexpr auto async = call_form::asynchronous;

std::uintptr_t number(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

CUresult copy(default_stream mode, CUstream s, call_form form, CUdeviceptr to, CUdeviceptr from,
              size_t n) {
  return transfer_bytes(mode, s, form, any_place(from, n), any_place(to, n), n);
}
CUresult upload(default_stream mode, CUstream s, call_form form, CUdeviceptr to, const void* from,
                size_t n) {
  return transfer_bytes(mode, s, form, any_place(number(from), n), device_place(to, n), n);
}
CUresult download(default_stream mode, CUstream s, call_form form, void* to, CUdeviceptr from,
                  size_t n) {
  return transfer_bytes(mode, s, form, device_place(from, n), any_place(number(to), n), n);
}
CUresult within(default_stream mode, CUstream s, call_form form, CUdeviceptr to, CUdeviceptr from,
                size_t n) {
  return transfer_bytes(mode, s, form, device_place(from, n), device_place(to, n), n);
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuMemcpy, _ptds, (CUdeviceptr to, CUdeviceptr from, size_t n),
                       (to, from, n)) {
  return copy(mode, nullptr, now, to, from, n);
}
STREAMCTS_STREAM_ENTRY(cuMemcpyAsync, _ptsz,
                       (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s)) {
  return copy(mode, s, async, to, from, n);
}
STREAMCTS_STREAM_ENTRY(cuMemcpyHtoD_v2, _ptds, (CUdeviceptr to, const void* from, size_t n),
                       (to, from, n)) {
  return upload(mode, nullptr, now, to, from, n);
}
STREAMCTS_STREAM_ENTRY(cuMemcpyHtoDAsync_v2, _ptsz,
                       (CUdeviceptr to, const void* from, size_t n, CUstream s), (to, from, n, s)) {
  return upload(mode, s, async, to, from, n);
}
STREAMCTS_STREAM_ENTRY(cuMemcpyDtoH_v2, _ptds, (void* to, CUdeviceptr from, size_t n),
                       (to, from, n)) {
  return download(mode, nullptr, now, to, from, n);
}
STREAMCTS_STREAM_ENTRY(cuMemcpyDtoHAsync_v2, _ptsz,
                       (void* to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s)) {
  return download(mode, s, async, to, from, n);
}
STREAMCTS_STREAM_ENTRY(cuMemcpyDtoD_v2, _ptds, (CUdeviceptr to, CUdeviceptr from, size_t n),
                       (to, from, n)) {
  return within(mode, nullptr, now, to, from, n);
}
STREAMCTS_STREAM_ENTRY(cuMemcpyDtoDAsync_v2, _ptsz,
                       (CUdeviceptr to, CUdeviceptr from, size_t n, CUstream s), (to, from, n, s)) {
  return within(mode, s, async, to, from, n);
}
