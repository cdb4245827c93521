// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Versions, devices, and what concerns a device's context as a whole.

#include <cuda_profiler_api.h>

#include "harness/reference/runtime/entry.h"

using namespace streamcts::runtime;

namespace {

constexpr unsigned device_flags = cudaDeviceMask;

/// Flags that can be given before or while the primary context is active.
outcome set_flags(const driver_calls& driver, int device, unsigned flags) {
  if ((flags & ~device_flags) != 0) return cudaErrorInvalidValue;
  CUdevice handle = 0;
  if (const CUresult r = driver.cuDeviceGet(&handle, device); r != CUDA_SUCCESS) return r;
  // Mapping of host memory is always on.
  return driver.cuDevicePrimaryCtxSetFlags(handle, flags & ~cudaDeviceMapHost);
}

/// Calls @p use with the handle of a device.
template <typename Use>
outcome with_device(const driver_calls& driver, int device, const Use& use) {
  CUdevice handle = 0;
  const CUresult result = driver.cuDeviceGet(&handle, device);
  return result == CUDA_SUCCESS ? outcome(use(handle)) : outcome(result);
}

}  // namespace

RUNTIME_EXPORT cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = CUDART_VERSION;
  return cudaSuccess;
}

/// Without a driver the version is 0 (CUDA Runtime API, cudaDriverGetVersion).
RUNTIME_EXPORT cudaError_t CUDARTAPI cudaDriverGetVersion(int* version) {
  if (version == nullptr) return remember(cudaErrorInvalidValue);
  *version = 0;
  return driver().found ? remember(driver().legacy.cuDriverGetVersion(version)) : cudaSuccess;
}

RUNTIME_BARE_ENTRY(cudaGetDeviceCount, (int* count), (count)) {
  if (count == nullptr) return cudaErrorInvalidValue;
  const CUresult result = driver.cuDeviceGetCount(count);
  return result == CUDA_SUCCESS && *count == 0 ? CUDA_ERROR_NO_DEVICE : result;
}

RUNTIME_BARE_ENTRY(cudaSetDevice, (int device), (device)) {
  return choose_device(device);
}

RUNTIME_BARE_ENTRY(cudaGetDevice, (int* device), (device)) {
  if (device == nullptr) return cudaErrorInvalidValue;
  return current_device(device);
}

RUNTIME_BARE_ENTRY(cudaInitDevice, (int device, unsigned device_flags_, unsigned flags),
                   (device, device_flags_, flags)) {
  if ((flags & ~static_cast<unsigned>(cudaInitDeviceFlagsAreValid)) != 0) {
    return cudaErrorInvalidValue;
  }
  if (flags != 0) {
    if (const outcome set = set_flags(driver, device, device_flags_); set.failed()) return set;
  }
  CUcontext context = nullptr;
  return primary_context(device, &context);
}

RUNTIME_BARE_ENTRY(cudaSetDeviceFlags, (unsigned flags), (flags)) {
  int device = 0;
  if (const CUresult r = current_device(&device); r != CUDA_SUCCESS) return r;
  return set_flags(driver, device, flags);
}

RUNTIME_BARE_ENTRY(cudaGetDeviceFlags, (unsigned* flags), (flags)) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  int device = 0;
  if (const CUresult r = current_device(&device); r != CUDA_SUCCESS) return r;
  return with_device(driver, device, [&](CUdevice handle) {
    int active = 0;
    const CUresult result = driver.cuDevicePrimaryCtxGetState(handle, flags, &active);
    if (result == CUDA_SUCCESS) *flags |= cudaDeviceMapHost;
    return result;
  });
}

RUNTIME_BARE_ENTRY(cudaDeviceReset, (), ()) {
  return reset_device();
}

RUNTIME_ENTRY(cudaDeviceSynchronize, (), ()) {
  return driver.cuCtxSynchronize();
}

RUNTIME_ENTRY(cudaDeviceGetStreamPriorityRange, (int* least, int* greatest), (least, greatest)) {
  return driver.cuCtxGetStreamPriorityRange(least, greatest);
}

RUNTIME_ENTRY(cudaDeviceGetLimit, (size_t * value, cudaLimit limit), (value, limit)) {
  return driver.cuCtxGetLimit(value, static_cast<CUlimit>(limit));
}
RUNTIME_ENTRY(cudaDeviceSetLimit, (cudaLimit limit, size_t value), (limit, value)) {
  return driver.cuCtxSetLimit(static_cast<CUlimit>(limit), value);
}
RUNTIME_ENTRY(cudaDeviceGetCacheConfig, (cudaFuncCache * config), (config)) {
  if (config == nullptr) return cudaErrorInvalidValue;
  CUfunc_cache found = CU_FUNC_CACHE_PREFER_NONE;
  const CUresult result = driver.cuCtxGetCacheConfig(&found);
  if (result == CUDA_SUCCESS) *config = static_cast<cudaFuncCache>(found);
  return result;
}
RUNTIME_ENTRY(cudaDeviceSetCacheConfig, (cudaFuncCache config), (config)) {
  return driver.cuCtxSetCacheConfig(static_cast<CUfunc_cache>(config));
}

RUNTIME_BARE_ENTRY(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device),
                   (value, attribute, device)) {
  return with_device(driver, device, [&](CUdevice handle) {
    return driver.cuDeviceGetAttribute(value, static_cast<CUdevice_attribute>(attribute), handle);
  });
}
RUNTIME_BARE_ENTRY(cudaDeviceGetP2PAttribute,
                   (int* value, cudaDeviceP2PAttr attribute, int source, int destination),
                   (value, attribute, source, destination)) {
  return with_device(driver, source, [&](CUdevice from) {
    return with_device(driver, destination, [&](CUdevice to) {
      return driver.cuDeviceGetP2PAttribute(value, static_cast<CUdevice_P2PAttribute>(attribute),
                                            from, to);
    });
  });
}
RUNTIME_BARE_ENTRY(cudaDeviceGetByPCIBusId, (int* device, const char* id), (device, id)) {
  return driver.cuDeviceGetByPCIBusId(device, id);
}
RUNTIME_BARE_ENTRY(cudaDeviceGetPCIBusId, (char* id, int length, int device),
                   (id, length, device)) {
  return with_device(driver, device, [&](CUdevice handle) {
    return driver.cuDeviceGetPCIBusId(id, length, handle);
  });
}
RUNTIME_BARE_ENTRY(cudaDeviceCanAccessPeer, (int* can, int device, int peer), (can, device, peer)) {
  return with_device(driver, device, [&](CUdevice from) {
    return with_device(driver, peer,
                       [&](CUdevice to) { return driver.cuDeviceCanAccessPeer(can, from, to); });
  });
}
RUNTIME_ENTRY(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags)) {
  CUcontext context = nullptr;
  const CUresult result = primary_context(peer, &context);
  return result == CUDA_SUCCESS ? driver.cuCtxEnablePeerAccess(context, flags) : result;
}
RUNTIME_ENTRY(cudaDeviceDisablePeerAccess, (int peer), (peer)) {
  CUcontext context = nullptr;
  const CUresult result = primary_context(peer, &context);
  return result == CUDA_SUCCESS ? driver.cuCtxDisablePeerAccess(context) : result;
}

RUNTIME_ENTRY(cudaProfilerStart, (), ()) {
  return driver.cuProfilerStart();
}
RUNTIME_ENTRY(cudaProfilerStop, (), ()) {
  return driver.cuProfilerStop();
}

namespace {

/// Looks up with the stream mode of the caller's own calls, unless the flags name one.
cudaError_t entry_point(const char* symbol, void** function, unsigned version,
                        unsigned long long flags, cudaDriverEntryPointQueryResult* status,
                        stream_mode mode) {
  return call(needs::driver, mode, [&](const driver_calls& driver) -> outcome {
    if (symbol == nullptr || function == nullptr) return cudaErrorInvalidValue;
    if (flags == cudaEnableDefault) {
      flags =
          mode == stream_mode::legacy ? cudaEnableLegacyStream : cudaEnablePerThreadDefaultStream;
    }
    CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    const CUresult result =
        driver.cuGetProcAddress(symbol, function, static_cast<int>(version), flags, &found);
    if (status == nullptr) return result;
    *status = static_cast<cudaDriverEntryPointQueryResult>(found);
    // With a place for the status, a missing symbol is no error.
    return result == CUDA_ERROR_NOT_FOUND ? CUDA_SUCCESS : result;
  });
}

}  // namespace

RUNTIME_EXPORT cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion(
    const char* symbol, void** function, unsigned version, unsigned long long flags,
    cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, function, version, flags, status, stream_mode::legacy);
}
RUNTIME_EXPORT cudaError_t CUDARTAPI cudaGetDriverEntryPointByVersion_ptsz(
    const char* symbol, void** function, unsigned version, unsigned long long flags,
    cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, function, version, flags, status, stream_mode::per_thread);
}
RUNTIME_EXPORT cudaError_t CUDARTAPI
cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long flags,
                        cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, function, CUDART_VERSION, flags, status, stream_mode::legacy);
}
RUNTIME_EXPORT cudaError_t CUDARTAPI
cudaGetDriverEntryPoint_ptsz(const char* symbol, void** function, unsigned long long flags,
                             cudaDriverEntryPointQueryResult* status) {
  return entry_point(symbol, function, CUDART_VERSION, flags, status, stream_mode::per_thread);
}
