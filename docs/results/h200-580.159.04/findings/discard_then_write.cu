// VS-MAN-009: what is written to managed memory behind a discard is there for later readers.
// nvcc -o discard discard_then_write.cu -lcuda && ./discard; exit code 1: broken.
#include <cuda.h>
#include <cstdio>

__global__ void delay(long long ns) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - begin < ns);
}
__global__ void write(unsigned* word, unsigned count) {
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) word[i] = 7;
}

int main() {
  int wrong_runs = 0;
  for (int run = 0; run < 20; ++run) {
    const size_t bytes = size_t{4} << 20;
    unsigned* data;
    CUstream stream;
    cudaMallocManaged(&data, bytes);
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    for (size_t i = 0; i < bytes / 4; ++i) data[i] = 1;
    if (run % 2) delay<<<1, 1, 0, (cudaStream_t)stream>>>(10'000'000);
    CUdeviceptr begin = (CUdeviceptr)data;
    size_t size = bytes;
    const CUresult code = cuMemDiscardBatchAsync(&begin, &size, 1, 0, stream);
    write<<<32, 256, 0, (cudaStream_t)stream>>>(data, bytes / 8);  // the first half
    cuStreamSynchronize(stream);
    size_t stale = 0, first = 0;
    for (size_t i = bytes / 8; i-- > 0;) {
      if (data[i] != 7) ++stale, first = i;
    }
    std::printf("%s: discard %d, %zu of %zu words wrong, first at %zu is %u\n",
                run % 2 ? "behind a delay" : "at once", code, stale, bytes / 8, first, data[first]);
    wrong_runs += stale != 0;
    cudaFree(data);
  }
  return wrong_runs != 0;
}
