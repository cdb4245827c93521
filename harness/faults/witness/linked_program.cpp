// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A program linked against libcuda in the ordinary way. Exit status 0: a stream's priority is
// clamped to the device's range; 1: it is not; 2: something failed.

#include <cuda.h>

int main() {
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  int least = 0, greatest = 0, priority = 0;
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&device, 0) != CUDA_SUCCESS ||
      cuDevicePrimaryCtxRetain(&context, device) != CUDA_SUCCESS ||
      cuCtxSetCurrent(context) != CUDA_SUCCESS ||
      cuCtxGetStreamPriorityRange(&least, &greatest) != CUDA_SUCCESS ||
      cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, greatest - 10) != CUDA_SUCCESS ||
      cuStreamGetPriority(stream, &priority) != CUDA_SUCCESS ||
      cuStreamDestroy(stream) != CUDA_SUCCESS) {
    return 2;
  }
  return priority == greatest ? 0 : 1;
}
