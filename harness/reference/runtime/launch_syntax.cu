// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// An ordinary program with `<<<>>>`, built by nvcc -cudart shared, in both default stream modes. It
// prints what is wrong, a line each; its exit status is 1 where there was any.

#include <cstdint>
#include <cstdio>
#include <thread>

#include "kernels/add.cu"
#include "kernels/copy_words.cu"
#include "kernels/write_pattern.cu"

__global__ void unknown_to_the_driver(int* out) { *out = 1; }

namespace {

int wrong = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "launch_syntax: not so: %s\n", what);
  wrong = 1;
}
#define EXPECT(condition) expect(condition, #condition)

constexpr std::uint64_t words = 4096;

struct result {
  const std::uint64_t* at;
  std::uint64_t last = 0;
  cudaError_t status = cudaErrorUnknown;
};
void CUDART_CB read_last(cudaStream_t, cudaError_t status, void* data) {
  auto& r = *static_cast<result*>(data);
  r.status = status;
  r.last = r.at[words - 1];
}

// Two kernels, the second of which depends on the first, and a callback that reads in place.
void chain(cudaStream_t stream) {
  std::uint64_t *first = nullptr, *mapped = nullptr, *seen_by_device = nullptr;
  EXPECT(cudaMalloc(&first, words * sizeof *first) == cudaSuccess);
  EXPECT(cudaHostAlloc(&mapped, words * sizeof *mapped, cudaHostAllocMapped) == cudaSuccess);
  EXPECT(cudaHostGetDevicePointer(&seen_by_device, mapped, 0) == cudaSuccess);
  result r{mapped};
  streamcts_write_pattern<<<8, 32, 0, stream>>>(first, words, 3, 2, 0);
  streamcts_copy_words<<<8, 32, 0, stream>>>(seen_by_device, first, words);
  EXPECT(cudaGetLastError() == cudaSuccess);
  EXPECT(cudaStreamAddCallback(stream, read_last, &r, 0) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  EXPECT(r.status == cudaSuccess);
  EXPECT(r.last == 3 + 2 * (words - 1));
  EXPECT(cudaFree(first) == cudaSuccess);
  EXPECT(cudaFreeHost(mapped) == cudaSuccess);
}

void graph(cudaStream_t stream) {
  std::uint64_t* counter = nullptr;
  EXPECT(cudaMallocManaged(&counter, sizeof *counter) == cudaSuccess);
  *counter = 0;
  cudaGraph_t captured = nullptr;
  cudaGraphExec_t executable = nullptr;
  EXPECT(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  for (int i = 0; i < 3; ++i) streamcts_add<<<1, 1, 0, stream>>>(counter, 1);
  EXPECT(cudaStreamEndCapture(stream, &captured) == cudaSuccess);
  EXPECT(cudaGraphInstantiate(&executable, captured) == cudaSuccess);
  for (int i = 0; i < 2; ++i) EXPECT(cudaGraphLaunch(executable, stream) == cudaSuccess);
  EXPECT(cudaStreamSynchronize(stream) == cudaSuccess);
  EXPECT(*counter == 6);
  EXPECT(cudaGraphExecDestroy(executable) == cudaSuccess);
  EXPECT(cudaGraphDestroy(captured) == cudaSuccess);
  EXPECT(cudaFree(counter) == cudaSuccess);
}

void errors() {
  streamcts_add<<<1, 4096>>>(nullptr, 1);
  EXPECT(cudaPeekAtLastError() == cudaErrorInvalidConfiguration);
  EXPECT(cudaGetLastError() == cudaErrorInvalidConfiguration);
  unknown_to_the_driver<<<1, 1>>>(nullptr);
  EXPECT(cudaGetLastError() == cudaErrorInvalidDeviceFunction);
  EXPECT(cudaGetLastError() == cudaSuccess);
}

// A thread's default stream is its own only in a program compiled for that.
void default_streams() {
  unsigned long long here = 0, there = 0;
  EXPECT(cudaStreamGetId(0, &here) == cudaSuccess);
  std::thread([&] { EXPECT(cudaStreamGetId(0, &there) == cudaSuccess); }).join();
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
  EXPECT(here != there);
#else
  EXPECT(here == there);
#endif
}

}  // namespace

int main() {
  cudaStream_t stream = nullptr;
  EXPECT(cudaStreamCreate(&stream) == cudaSuccess);
  chain(stream);
  chain(nullptr);
  graph(stream);
  errors();
  default_streams();
  EXPECT(cudaStreamDestroy(stream) == cudaSuccess);
  EXPECT(cudaDeviceReset() == cudaSuccess);
  return wrong;
}
