// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Two kernels, the second of which needs what the first wrote; a callback that reads the result in
// place, in mapped memory, and hands it to the main thread through a semaphore. The main thread never
// synchronizes the stream, and does not hang where the device fails:
//
//   - the callback posts whatever its status is, and hands the status over;
//   - where the callback could not be added, nobody will post, and the main thread does not wait;
//   - the wait has a limit, after which the main thread asks CUDA.
//
//   nvcc -std=c++20 -o pipeline pipeline.cu && ./pipeline            on a GPU
//   ./pipeline fault          the second kernel is one that faults: exit status 1, at once
//
// The kernels have the names of those in kernels/, so that the reference driver, which runs no device
// code, knows them.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <semaphore>

__host__ __device__ inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

extern "C" __global__ void streamcts_write_pattern(std::uint64_t* out, std::uint64_t count,
                                                   std::uint64_t base, std::uint64_t step,
                                                   std::uint64_t /*late_ns*/) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    out[i] = base + i * step;
  }
}

extern "C" __global__ void streamcts_hash_step(std::uint64_t* out, const std::uint64_t* in,
                                               std::uint64_t count, std::uint64_t salt) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    out[i] = mix(in[i] ^ salt) | 1;
  }
}

extern "C" __global__ void streamcts_fault_illegal_address() {
  *reinterpret_cast<volatile std::uint32_t*>(std::uintptr_t{0x10}) = 1;
}

namespace {

constexpr std::uint64_t words = 1 << 16;

/// What the callback hands over. Written before the post, read after the wait: no other synchronization.
struct delivery {
  const std::uint64_t* result = nullptr;  ///< mapped memory, as the host sees it
  std::uint64_t sum = 0;
  cudaError_t status = cudaErrorUnknown;
  std::binary_semaphore ready{0};
};

// On a thread of the driver's: no CUDA call, nothing that could wait for the device.
void CUDART_CB deliver(cudaStream_t, cudaError_t status, void* data) {
  auto& to = *static_cast<delivery*>(data);
  to.status = status;
  if (status == cudaSuccess) {  // only then is there a result
    to.sum = 0;
    for (std::uint64_t i = 0; i < words; ++i) to.sum += to.result[i];
  }
  to.ready.release();  // always: the main thread waits
}

std::uint64_t expected_sum(std::uint64_t base, std::uint64_t salt) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < words; ++i) sum += mix((base + 2 * i) ^ salt) | 1;
  return sum;
}

int fail(const char* what, cudaError_t code) {
  std::fprintf(stderr, "pipeline: %s: %s\n", what, cudaGetErrorName(code));
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  const bool fault = count > 1 && std::strcmp(arguments[1], "fault") == 0;
  cudaStream_t stream = nullptr;
  std::uint64_t *between = nullptr, *result = nullptr, *result_on_device = nullptr;
  for (const cudaError_t code :
       {cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
        cudaMalloc(&between, words * sizeof *between),
        cudaHostAlloc(&result, words * sizeof *result, cudaHostAllocMapped),
        cudaHostGetDevicePointer(&result_on_device, result, 0)}) {
    if (code != cudaSuccess) return fail("setting up", code);
  }

  static delivery box;  // outlives the callback, which may still be about to return after its post
  box.result = result;
  for (std::uint64_t round = 1; round <= 3; ++round) {
    const std::uint64_t base = 1000 * round, salt = round;
    streamcts_write_pattern<<<32, 128, 0, stream>>>(between, words, base, 2, 0);
    if (fault) {
      streamcts_fault_illegal_address<<<1, 1, 0, stream>>>();
    } else {
      streamcts_hash_step<<<32, 128, 0, stream>>>(result_on_device, between, words, salt);
    }
    if (const cudaError_t code = cudaGetLastError()) return fail("launching", code);
    // No callback, no post: then the wait below would be for ever.
    if (const cudaError_t code = cudaStreamAddCallback(stream, deliver, &box, 0)) {
      return fail("adding the callback", code);
    }
    // ... the main thread does something else ...
    if (!box.ready.try_acquire_for(std::chrono::seconds(20))) {
      fail("no callback in 20 seconds; the stream says", cudaStreamQuery(stream));
      return 2;
    }
    if (box.status != cudaSuccess) return fail("the callback was given", box.status);
    // The result may be read here too, in place, until the next round is launched.
    if (box.sum != expected_sum(base, salt) || result[0] != (mix(base ^ salt) | 1)) {
      std::fprintf(stderr, "pipeline: round %d: stale or incomplete data\n", int(round));
      return 1;
    }
    std::printf("round %d: %016llx\n", int(round), static_cast<unsigned long long>(box.sum));
  }
  // The callbacks have posted: none of them touches the result again.
  cudaFreeHost(result);
  cudaFree(between);
  cudaStreamDestroy(stream);
  return 0;
}
