// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A driver that does nothing, and nothing late: every call returns at once, host calls run inside
// the call that enqueues them, kernels never run. Legal in none of its parts, it shows what loading
// and probing make of a poor driver.
//
//   FAKE_LOOKUP   2: both forms of cuGetProcAddress, 1: the old one, 0: exported symbols alone
//   FAKE_DEVICES  how many it shows
//   FAKE_VERSION  what cuDriverGetVersion says
//   FAKE_STUCK    no event ever completes
//   FAKE_BROKEN   cuDriverGetVersion fails with this code

#include <cuda.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>

#ifndef FAKE_LOOKUP
#define FAKE_LOOKUP 2
#endif
#ifndef FAKE_DEVICES
#define FAKE_DEVICES 1
#endif
#ifndef FAKE_VERSION
#define FAKE_VERSION 13000
#endif

extern "C" {
#pragma GCC visibility push(default)

/// How often cuGetProcAddress was asked for something newer than the driver.
int fake_too_new = 0;

CUresult CUDAAPI cuInit(unsigned) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDriverGetVersion(int* version) {
  *version = FAKE_VERSION;
#ifdef FAKE_BROKEN
  return FAKE_BROKEN;
#else
  return CUDA_SUCCESS;
#endif
}
CUresult CUDAAPI cuDeviceGetCount(int* count) {
  *count = FAKE_DEVICES;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGet(CUdevice* device, int ordinal) {
  *device = ordinal;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetName(char* name, int length, CUdevice) {
  std::strncpy(name, "fake", static_cast<std::size_t>(length));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  if (attribute == CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY) return CUDA_ERROR_INVALID_VALUE;
  *value = attribute == CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED ? 1 : 0;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDeviceCanAccessPeer(int* can, CUdevice, CUdevice) {
  *can = 0;
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice) {
  *context = reinterpret_cast<CUcontext>(0x10);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxSetCurrent(CUcontext) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetCurrent(CUcontext* context) {
  *context = reinterpret_cast<CUcontext>(0x10);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxSynchronize() {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  *least = *greatest = 0;
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreate(CUstream* stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(0x20);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamDestroy(CUstream) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamSynchronize(CUstream) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamQuery(CUstream) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamWaitEvent(CUstream, CUevent, unsigned) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuLaunchHostFunc(CUstream, CUhostFn function, void* data) {
  function(data);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
                                unsigned, unsigned, CUstream, void**, void**) {
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(0x30);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventDestroy(CUevent) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventRecord(CUevent, CUstream) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuEventQuery(CUevent) {
#ifdef FAKE_STUCK
  return CUDA_ERROR_NOT_READY;
#else
  return CUDA_SUCCESS;
#endif
}
CUresult CUDAAPI cuEventSynchronize(CUevent) {
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  *address = reinterpret_cast<CUdeviceptr>(std::malloc(bytes));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFree(CUdeviceptr address) {
  std::free(reinterpret_cast<void*>(address));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemHostAlloc(void** address, std::size_t bytes, unsigned) {
  *address = std::aligned_alloc(4096, bytes);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemFreeHost(void* address) {
  std::free(address);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr* device, void* host, unsigned) {
  *device = reinterpret_cast<CUdeviceptr>(host);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemcpyDtoHAsync(void*, CUdeviceptr, std::size_t, CUstream) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr, unsigned, std::size_t, CUstream) {
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamWriteValue32(CUstream, CUdeviceptr address, cuuint32_t value, unsigned) {
  std::atomic_ref(*reinterpret_cast<cuuint32_t*>(address)).store(value);
  return CUDA_SUCCESS;
}
/// Returns when the value is there: the call waits for its work.
CUresult CUDAAPI cuStreamWaitValue32(CUstream, CUdeviceptr address, cuuint32_t value, unsigned) {
  const std::atomic_ref word(*reinterpret_cast<cuuint32_t*>(address));
  while (word.load() != value) std::this_thread::yield();
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void*) {
  *module = reinterpret_cast<CUmodule>(0x40);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleUnload(CUmodule) {
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuModuleGetFunction(CUfunction* function, CUmodule, const char*) {
  *function = reinterpret_cast<CUfunction>(0x50);
  return CUDA_SUCCESS;
}

#if FAKE_LOOKUP >= 1
// The list that the look-up knows: a few functions, in one version each.
static void* find(const char* name, int version, CUresult* result) {
  static const struct {
    const char* name;
    int since;
    void* function;
  } known[] = {
      {"cuInit", 2000, reinterpret_cast<void*>(&cuInit)},
      {"cuDriverGetVersion", 2020, reinterpret_cast<void*>(&cuDriverGetVersion)},
      {"cuStreamQuery", 2000, reinterpret_cast<void*>(&cuStreamQuery)},
      {"cuMemAlloc", 3020, reinterpret_cast<void*>(&cuMemAlloc)},
  };
  if (version > FAKE_VERSION) {
    ++fake_too_new;
    *result = CUDA_ERROR_INVALID_VALUE;
    return nullptr;
  }
  *result = CUDA_SUCCESS;
  for (const auto& entry : known) {
    if (std::strcmp(entry.name, name) == 0 && version >= entry.since) return entry.function;
  }
  *result = CUDA_ERROR_NOT_FOUND;
  return nullptr;
}

#undef cuGetProcAddress
CUresult CUDAAPI cuGetProcAddress(const char* name, void** function, int version, cuuint64_t) {
  CUresult result;
  *function = find(name, version, &result);
  return result;
}
#endif
#if FAKE_LOOKUP >= 2
CUresult CUDAAPI cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t,
                                     CUdriverProcAddressQueryResult* status) {
  CUresult result;
  *function = find(name, version, &result);
  *status =
      *function != nullptr ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return result;
}
#endif

#pragma GCC visibility pop
}
