// AT-002: attaching managed memory singly to the NULL stream is an error.
// nvcc -o attach attach_to_legacy.cu -lcuda && ./attach; exit code 1: broken.
#include <cuda.h>
#include <cstdio>

int main() {
  void* data;
  cudaMallocManaged(&data, 4096);
  const CUresult null = cuStreamAttachMemAsync(nullptr, (CUdeviceptr)data, 0, CU_MEM_ATTACH_SINGLE);
  const CUresult legacy = cuStreamAttachMemAsync(CU_STREAM_LEGACY, (CUdeviceptr)data, 0, CU_MEM_ATTACH_SINGLE);
  std::printf("NULL: %d, CU_STREAM_LEGACY: %d (expected: an error from both)\n", null, legacy);
  return null == CUDA_SUCCESS || legacy == CUDA_SUCCESS;
}
