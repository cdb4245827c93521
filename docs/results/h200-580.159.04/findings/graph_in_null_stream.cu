// ST-DEF-001, ST-DEF-002: a graph launched into the NULL stream comes after the earlier work of blocking
// streams and before their later work. Stream A runs a slow host function or kernel, then a graph goes
// into the NULL stream, then a kernel into blocking stream B: the kernel must not begin before A is done.
// nvcc -o graph graph_in_null_stream.cu -lcuda && ./graph; exit code 1: broken.
#include <cuda.h>
#include <cstdio>
#include <ctime>

__global__ void mark(volatile unsigned* done, unsigned* seen) { *seen = 1 + *done; }  // 1: too early, 2: right
__global__ void nothing() {}
__global__ void late(volatile unsigned* done, long long ns) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now)); while (now - begin < ns);
  *done = 1, __threadfence_system();
}
void CUDART_CB slow(void* done) {
  timespec wait{0, 20'000'000};
  nanosleep(&wait, nullptr);
  *(volatile unsigned*)done = 1;
}
void CUDART_CB quick(void*) {}

int main() {
  cudaFree(nullptr);
  unsigned* words;
  cudaHostAlloc((void**)&words, 64, cudaHostAllocMapped);
  cudaStream_t a, b;
  cudaStreamCreate(&a), cudaStreamCreate(&b);
  bool broken = false;
  for (int kind = 0; kind < 4; ++kind) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t node;
    cudaGraphCreate(&graph, 0);
    if (kind == 1 || kind == 3) {
      cudaKernelNodeParams kernel{(void*)nothing, 1, 1, 0, nullptr, nullptr};
      kernel.gridDim = kernel.blockDim = dim3(1);
      cudaGraphAddKernelNode(&node, graph, nullptr, 0, &kernel);
    }
    if (kind == 2 || kind == 3) {
      cudaHostNodeParams host{quick, nullptr};
      cudaGraphAddHostNode(&node, graph, kind == 3 ? &node : nullptr, kind == 3, &host);
    }
    cudaGraphInstantiate(&exec, graph, 0);
    cudaGraphLaunch(exec, nullptr), mark<<<1, 1, 0, b>>>(words, words + 1), cudaDeviceSynchronize();
    for (int by_kernel = 0; by_kernel < 2; ++by_kernel) {
      int early = 0, codes = 0;
      for (int run = 0; run < 20; ++run) {
        words[0] = words[1] = 0;
        if (by_kernel) late<<<1, 1, 0, a>>>(words, 5'000'000);
        else cudaLaunchHostFunc(a, slow, words);
        codes |= cudaGraphLaunch(exec, nullptr);
        mark<<<1, 1, 0, b>>>(words, words + 1);
        codes |= cudaDeviceSynchronize();
        early += words[1] == 1;
      }
      const char* const names[] = {"empty graph", "kernel node", "host node", "kernel and host node"};
      std::printf("%-22s behind a slow %-13s: codes %d, kernel early in %d of 20\n", names[kind], by_kernel ? "kernel" : "host function", codes, early);
      broken |= early != 0;
    }
  }
  return broken;
}
