// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A runtime library that has what every runtime has, and does nothing.
//
//   FAKE_VERSION     what cudaRuntimeGetVersion says
//   FAKE_INCOMPLETE  it lacks cudaMemcpyAsync
//   FAKE_REFUSES     cudaLaunchHostFunc returns cudaErrorNotPermitted

#include <cuda_runtime_api.h>

#ifndef FAKE_VERSION
#define FAKE_VERSION CUDART_VERSION
#endif

extern "C" {
#pragma GCC visibility push(default)

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = FAKE_VERSION;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
cudaError_t cudaPeekAtLastError() {
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int*) {
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) {
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int*) {
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t*, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamQuery(cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t*, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t) {
  return cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) {
  return cudaSuccess;
}
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t function, void* data) {
#ifdef FAKE_REFUSES
  (void)function, (void)data;
  return cudaErrorNotPermitted;
#else
  function(data);
  return cudaSuccess;
#endif
}
cudaError_t cudaMalloc(void**, size_t) {
  return cudaSuccess;
}
cudaError_t cudaFree(void*) {
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void*, const void*, size_t, cudaMemcpyKind) {
  return cudaSuccess;
}
#ifndef FAKE_INCOMPLETE
cudaError_t cudaMemcpyAsync(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t) {
  return cudaSuccess;
}
#endif
cudaError_t cudaMemsetAsync(void*, int, size_t, cudaStream_t) {
  return cudaSuccess;
}

#pragma GCC visibility pop
}
