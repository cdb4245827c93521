// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A driver for the unit tests of the forwarding layer: it has a handful of entry points, and each
// says by its result what it was given.

#include <cuda.h>

#include <cstring>
#include <string>

#undef cuGetProcAddress
#undef cuMemAlloc

#define EXPORTED extern "C" __attribute__((visibility("default")))

namespace {

/// Stands for a result that names the stream it was called with.
CUresult naming(int base, CUstream stream) {
  return static_cast<CUresult>(base + static_cast<int>(reinterpret_cast<std::uintptr_t>(stream)));
}

}  // namespace

EXPORTED CUresult cuInit(unsigned flags) { return static_cast<CUresult>(10000 + flags); }

EXPORTED CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  *address = bytes + 1;
  return CUDA_SUCCESS;
}

EXPORTED CUresult cuTexRefSetMipmapLevelBias(CUtexref, float bias) {
  return static_cast<CUresult>(static_cast<int>(bias * 8));
}

/// Eleven arguments, some of them on the stack.
EXPORTED CUresult cuLaunchKernel(CUfunction, unsigned a, unsigned b, unsigned c, unsigned d,
                                 unsigned e, unsigned f, unsigned g, CUstream stream, void**,
                                 void** extra) {
  return naming(static_cast<int>(a + b + c + d + e + f + g) + (extra ? 1000 : 0), stream);
}

EXPORTED CUresult cuStreamSynchronize(CUstream stream) { return naming(20000, stream); }
EXPORTED CUresult cuStreamSynchronize_ptsz(CUstream stream) { return naming(30000, stream); }
EXPORTED CUresult cuStreamQuery(CUstream) { return CUDA_ERROR_NOT_READY; }
EXPORTED CUresult cuStreamQuery_ptsz(CUstream) { return CUDA_ERROR_NOT_READY; }
/// The question is refused for streams whose number is that of one of two errors.
EXPORTED CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  *status = CU_STREAM_CAPTURE_STATUS_NONE;
  const auto number = static_cast<CUresult>(reinterpret_cast<std::uintptr_t>(stream));
  const bool refused = number == CUDA_ERROR_ILLEGAL_ADDRESS ||
                       number == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  return refused ? number : CUDA_SUCCESS;
}
EXPORTED CUresult cuStreamIsCapturing_ptsz(CUstream s, CUstreamCaptureStatus* status) {
  return cuStreamIsCapturing(s, status);
}

namespace {

CUresult newer_synchronize(CUstream) { return static_cast<CUresult>(40000); }
/// A look-up may give another address than the export, for the same function.
CUresult synchronize_by_look_up(CUstream stream) { return naming(50000, stream); }

CUresult look_up(const std::string& name, void** function, int version, cuuint64_t flags) {
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  *function = nullptr;
  if (name == "cuStreamSynchronize") {
    if (version >= 14000) {
      *function = reinterpret_cast<void*>(&newer_synchronize);
    } else if (per_thread) {
      *function = reinterpret_cast<void*>(&cuStreamSynchronize_ptsz);
    } else {
      *function = reinterpret_cast<void*>(&synchronize_by_look_up);
    }
  }
  if (name == "cuInit") *function = reinterpret_cast<void*>(&cuInit);
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

}  // namespace

EXPORTED CUresult cuGetProcAddress(const char* name, void** function, int version,
                                   cuuint64_t flags) {
  return look_up(name, function, version, flags);
}
EXPORTED CUresult cuGetProcAddress_v2(const char* name, void** function, int version,
                                      cuuint64_t flags, CUdriverProcAddressQueryResult* status) {
  const CUresult result = look_up(name, function, version, flags);
  if (status) {
    *status = result == CUDA_SUCCESS ? CU_GET_PROC_ADDRESS_SUCCESS
                                     : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  return result;
}
