// ST-DEF-001, ST-PTDS-003: an upload in the NULL stream comes after the earlier work of blocking streams.
// A kernel writes pinned memory after 20 ms; the upload behind it must carry what the kernel wrote.
// nvcc -o upload small_upload_to_null.cu -lcuda && ./upload; exit code 1: broken.
#include <cuda.h>
#include <cstdio>

__global__ void write_late(volatile unsigned* word, unsigned count, long long ns) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - begin < ns);
  for (unsigned i = 0; i < count; ++i) word[i] = 7;
  __threadfence_system();
}

int main() {
  cudaFree(nullptr);
  CUstream blocking, other;
  CUevent event;
  cuStreamCreate(&blocking, CU_STREAM_DEFAULT);
  cuStreamCreate(&other, CU_STREAM_NON_BLOCKING);
  cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
  const struct { const char* name; CUstream from, to; bool wait; } orders[] = {
      {"same created stream", blocking, blocking, false}, {"same NULL stream", nullptr, nullptr, false},
      {"event, created to created", blocking, other, true}, {"event, created to NULL", other, nullptr, true},
      {"blocking to NULL", blocking, nullptr, false}, {"per-thread to NULL", CU_STREAM_PER_THREAD, nullptr, false},
      {"blocking to CU_STREAM_LEGACY", blocking, CU_STREAM_LEGACY, false}, {"NULL to blocking", nullptr, blocking, false}};
  bool broken = false;
  for (const auto& order : orders) {
    for (unsigned count : {1u, 1024u, 4096u, 8192u, 16384u, 16385u}) {
      unsigned *host, *back = new unsigned[count];
      CUdeviceptr target;
      cudaHostAlloc((void**)&host, count * 4, cudaHostAllocMapped);
      cuMemAlloc(&target, count * 4);
      for (unsigned i = 0; i < count; ++i) host[i] = 1;
      cudaDeviceSynchronize();
      write_late<<<1, 1, 0, (cudaStream_t)order.from>>>(host, count, 20'000'000);
      if (order.wait) cuEventRecord(event, order.from), cuStreamWaitEvent(order.to, event, 0);
      const CUresult code = cuMemcpyHtoDAsync(target, host, count * 4, order.to);
      cudaDeviceSynchronize();
      cuMemcpyDtoH(back, target, count * 4);
      unsigned early = 0;
      for (unsigned i = 0; i < count; ++i) early += back[i] != 7;
      std::printf("%-28s %6u bytes: copy %d, %u of %u words read before the kernel wrote them\n", order.name, count * 4, code, early, count);
      broken |= early != 0;
    }
  }
  return broken;
}
