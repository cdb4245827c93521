// VS-COPY-008: with CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL the sources may be overwritten as soon as
// cuMemcpyBatchAsync has returned. nvcc -o batch batch_during_call.cu -lcuda && ./batch; exit code 1: broken.
#include <cuda.h>
#include <cstdio>
#include <vector>

__global__ void delay(long long ns) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - begin < ns);
}

int main() {
  cudaFree(nullptr);
  int wrong_runs = 0;
  for (size_t bytes : {size_t{4096}, size_t{65536}, size_t{131072}, size_t{1} << 20}) {
    std::vector<unsigned char> source(bytes, 1), back(bytes, 0);
    CUdeviceptr target;
    CUstream stream;
    cuMemAlloc(&target, bytes);
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    delay<<<1, 1, 0, (cudaStream_t)stream>>>(20'000'000);
    CUmemcpyAttributes how{};
    how.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL;
    CUdeviceptr from = (CUdeviceptr)source.data();
    size_t first = 0;
    const CUresult code = cuMemcpyBatchAsync(&target, &from, &bytes, 1, &how, &first, 1, stream);
    const CUresult busy = cuStreamQuery(stream);
    for (auto& byte : source) byte = 2;  // allowed: the call has returned
    cuStreamSynchronize(stream);
    cuMemcpyDtoH(back.data(), target, bytes);
    size_t late = 0;
    for (auto byte : back) late += byte == 2;
    std::printf("%zu bytes: call %d, stream then %s, %zu bytes read after the call returned\n", bytes, code,
                busy == CUDA_ERROR_NOT_READY ? "busy" : "idle", late);
    wrong_runs += late != 0;
  }
  return wrong_runs != 0;
}
