// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The entry points that are tried inside host calls.

#include <utility>

#include "conformance/observations/inside.h"
#include "harness/driver/result.h"

namespace streamcts::inside {

namespace {

constexpr std::size_t bytes = 4096;

void CUDA_CB nothing(void*) {}
void CUDA_CB nothing_after(CUstream, CUresult, void*) {}

int launch(surroundings& with, CUstream stream) {
  std::uint64_t words = 64, base = 1, step = 2, late = 0;
  void* parameters[] = {&with.memory, &words, &base, &step, &late};
  return with.cuda.cuLaunchKernel(with.kernel, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr);
}

int capture(surroundings& with) {
  const CUresult code =
      with.cuda.cuStreamBeginCapture(with.idle, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  CUgraph made = nullptr;
  if (code == CUDA_SUCCESS) (void)with.cuda.cuStreamEndCapture(with.idle, &made);
  return code;
}

int allocate_for_stream(surroundings& with) {
  CUdeviceptr made = 0;
  return with.cuda.cuMemAllocAsync(&made, bytes, with.idle);
}

// The order of the groups: reading, making, enqueuing elsewhere, enqueuing in the own stream, waiting.
constexpr call of_driver[] = {
    {"cuDriverGetVersion", [](surroundings& with) -> int {
       int version = 0;
       return with.cuda.cuDriverGetVersion(&version);
     }},
    {"cuCtxGetCurrent", [](surroundings& with) -> int {
       CUcontext current = nullptr;
       return with.cuda.cuCtxGetCurrent(&current);
     }},
    {"cuCtxSetCurrent", [](surroundings& with) -> int {
       return with.cuda.cuCtxSetCurrent(with.context);
     }},
    {"cuDeviceGetAttribute", [](surroundings& with) -> int {
       int value = 0;
       return with.cuda.cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_WARP_SIZE, with.device);
     }},
    {"cuCtxGetStreamPriorityRange", [](surroundings& with) -> int {
       int least = 0, greatest = 0;
       return with.cuda.cuCtxGetStreamPriorityRange(&least, &greatest);
     }},
    {"cuStreamGetFlags", [](surroundings& with) -> int {
       unsigned flags = 0;
       return with.cuda.cuStreamGetFlags(with.own, &flags);
     }},
    {"cuStreamGetPriority", [](surroundings& with) -> int {
       int priority = 0;
       return with.cuda.cuStreamGetPriority(with.own, &priority);
     }},
    {"cuStreamGetId", [](surroundings& with) -> int {
       unsigned long long id = 0;
       return with.cuda.cuStreamGetId(with.own, &id);
     }},
    {"cuStreamIsCapturing", [](surroundings& with) -> int {
       CUstreamCaptureStatus status{};
       return with.cuda.cuStreamIsCapturing(with.own, &status);
     }},
    {"cuStreamQuery (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamQuery(with.idle);
     }},
    {"cuStreamQuery (own stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamQuery(with.own);
     }},
    {"cuEventQuery (complete event)", [](surroundings& with) -> int {
       return with.cuda.cuEventQuery(with.event);
     }},
    {"cuEventElapsedTime", [](surroundings& with) -> int {
       float milliseconds = 0;
       return with.cuda.cuEventElapsedTime(&milliseconds, with.timed[0], with.timed[1]);
     }},
    {"cuPointerGetAttribute", [](surroundings& with) -> int {
       unsigned type = 0;
       return with.cuda.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, with.memory);
     }},
    {"cuMemHostGetDevicePointer", [](surroundings& with) -> int {
       CUdeviceptr address = 0;
       return with.cuda.cuMemHostGetDevicePointer(&address, with.pinned, 0);
     }},
    {"cuStreamCreate", [](surroundings& with) -> int {
       CUstream made = nullptr;
       return with.cuda.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING);
     }},
    {"cuEventCreate", [](surroundings& with) -> int {
       CUevent made = nullptr;
       return with.cuda.cuEventCreate(&made, CU_EVENT_DISABLE_TIMING);
     }},
    {"cuGraphCreate", [](surroundings& with) -> int {
       CUgraph made = nullptr;
       return with.cuda.cuGraphCreate(&made, 0);
     }},
    {"cuGraphInstantiateWithFlags", [](surroundings& with) -> int {
       CUgraphExec made = nullptr;
       return with.cuda.cuGraphInstantiateWithFlags(&made, with.graph, 0);
     }},
    {"cuMemAlloc", [](surroundings& with) -> int {
       CUdeviceptr made = 0;
       return with.cuda.cuMemAlloc(&made, bytes);
     }},
    {"cuMemHostAlloc", [](surroundings& with) -> int {
       void* made = nullptr;
       return with.cuda.cuMemHostAlloc(&made, bytes, CU_MEMHOSTALLOC_DEVICEMAP);
     }},
    {"cuMemAllocManaged", [](surroundings& with) -> int {
       CUdeviceptr made = 0;
       return with.cuda.cuMemAllocManaged(&made, bytes, CU_MEM_ATTACH_GLOBAL);
     }},
    {"cuMemAllocAsync (idle stream)", &allocate_for_stream},
    {"cuLaunchKernel (idle stream)", [](surroundings& with) { return launch(with, with.idle); }},
    {"cuMemcpyHtoDAsync (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuMemcpyHtoDAsync(with.memory, with.pinned, bytes, with.idle);
     }},
    {"cuMemsetD32Async (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuMemsetD32Async(with.memory, 1, 64, with.idle);
     }},
    {"cuEventRecord (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuEventRecord(with.event, with.idle);
     }},
    {"cuStreamWaitEvent (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamWaitEvent(with.idle, with.event, 0);
     }},
    {"cuStreamAddCallback (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamAddCallback(with.idle, &nothing_after, nullptr, 0);
     }},
    {"cuLaunchHostFunc (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuLaunchHostFunc(with.idle, &nothing, nullptr);
     }},
    {"cuGraphLaunch (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuGraphLaunch(with.executable, with.idle);
     }},
    {"cuStreamWriteValue32 (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamWriteValue32(with.idle, with.memory, 1, 0);
     }},
    {"cuStreamBeginCapture (idle stream)", &capture},
    {"cuMemPrefetchAsync (idle stream)", [](surroundings& with) -> int {
       CUmemLocation to{};
       to.type = CU_MEM_LOCATION_TYPE_DEVICE;
       to.id = with.device;
       return with.cuda.cuMemPrefetchAsync_v2(with.managed, bytes, to, 0, with.idle);
     }},
    {"cuLaunchKernel (own stream)", [](surroundings& with) { return launch(with, with.own); }},
    {"cuEventRecord (own stream)", [](surroundings& with) -> int {
       return with.cuda.cuEventRecord(with.event, with.own);
     }},
    {"cuStreamAddCallback (own stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamAddCallback(with.own, &nothing_after, nullptr, 0);
     }},
    {"cuLaunchHostFunc (own stream)", [](surroundings& with) -> int {
       return with.cuda.cuLaunchHostFunc(with.own, &nothing, nullptr);
     }},
    {"cuGraphLaunch (own stream)", [](surroundings& with) -> int {
       return with.cuda.cuGraphLaunch(with.executable, with.own);
     }},
    {"cuStreamSynchronize (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamSynchronize(with.idle);
     }},
    {"cuEventSynchronize (complete event)", [](surroundings& with) -> int {
       return with.cuda.cuEventSynchronize(with.timed[1]);
     }},
    {"cuMemcpyDtoH", [](surroundings& with) -> int {
       // Not to a local variable: a copy that is refused may have been enqueued all the same.
       return with.cuda.cuMemcpyDtoH(with.pinned, with.memory, bytes);
     }},
    {"cuMemsetD32", [](surroundings& with) -> int {
       return with.cuda.cuMemsetD32(with.memory, 1, 64);
     }},
    {"cuEventDestroy", [](surroundings& with) -> int {
       CUevent made = std::exchange(with.timed[0], nullptr);
       return with.cuda.cuEventDestroy(made);
     }},
    {"cuMemFree", [](surroundings& with) -> int { return with.cuda.cuMemFree(with.memory); }},
    {"cuMemFreeHost", [](surroundings& with) -> int { return with.cuda.cuMemFreeHost(with.pinned); }},
    {"cuStreamDestroy (idle stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamDestroy(with.idle);
     }},
    {"cuStreamDestroy (own stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamDestroy(with.own);
     }},
    {"cuStreamSynchronize (own stream)", [](surroundings& with) -> int {
       return with.cuda.cuStreamSynchronize(with.own);
     }},
    {"cuCtxSynchronize", [](surroundings& with) -> int { return with.cuda.cuCtxSynchronize(); }},
};

constexpr call of_runtime[] = {
    {"cudaGetLastError", [](surroundings& with) -> int { return with.runtime->cudaGetLastError(); }},
    {"cudaPeekAtLastError", [](surroundings& with) -> int {
       return with.runtime->cudaPeekAtLastError();
     }},
    {"cudaGetDevice", [](surroundings& with) -> int {
       int device = 0;
       return with.runtime->cudaGetDevice(&device);
     }},
    {"cudaStreamQuery (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaStreamQuery(with.idle);
     }},
    {"cudaStreamQuery (own stream)", [](surroundings& with) -> int {
       return with.runtime->cudaStreamQuery(with.own);
     }},
    {"cudaEventQuery (complete event)", [](surroundings& with) -> int {
       return with.runtime->cudaEventQuery(with.event);
     }},
    {"cudaPointerGetAttributes", [](surroundings& with) -> int {
       cudaPointerAttributes found{};
       return with.runtime->cudaPointerGetAttributes(&found, with.pinned);
     }},
    {"cudaStreamCreateWithFlags", [](surroundings& with) -> int {
       cudaStream_t made = nullptr;
       return with.runtime->cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
     }},
    {"cudaEventCreateWithFlags", [](surroundings& with) -> int {
       cudaEvent_t made = nullptr;
       return with.runtime->cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
     }},
    {"cudaMalloc", [](surroundings& with) -> int {
       void* made = nullptr;
       return with.runtime->cudaMalloc(&made, bytes);
     }},
    {"cudaHostAlloc", [](surroundings& with) -> int {
       void* made = nullptr;
       return with.runtime->cudaHostAlloc(&made, bytes, cudaHostAllocMapped);
     }},
    {"cudaMallocAsync (idle stream)", [](surroundings& with) -> int {
       void* made = nullptr;
       return with.runtime->cudaMallocAsync(&made, bytes, with.idle);
     }},
    {"cudaMemcpyAsync (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaMemcpyAsync(reinterpret_cast<void*>(with.memory), with.pinned, bytes,
                                            cudaMemcpyHostToDevice, with.idle);
     }},
    {"cudaMemsetAsync (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaMemsetAsync(reinterpret_cast<void*>(with.memory), 1, bytes,
                                            with.idle);
     }},
    {"cudaEventRecord (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaEventRecord(with.event, with.idle);
     }},
    {"cudaStreamWaitEvent (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaStreamWaitEvent(with.idle, with.event, 0);
     }},
    {"cudaLaunchHostFunc (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaLaunchHostFunc(with.idle, &nothing, nullptr);
     }},
    {"cudaGraphLaunch (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaGraphLaunch(with.executable, with.idle);
     }},
    {"cudaEventRecord (own stream)", [](surroundings& with) -> int {
       return with.runtime->cudaEventRecord(with.event, with.own);
     }},
    {"cudaLaunchHostFunc (own stream)", [](surroundings& with) -> int {
       return with.runtime->cudaLaunchHostFunc(with.own, &nothing, nullptr);
     }},
    {"cudaStreamSynchronize (idle stream)", [](surroundings& with) -> int {
       return with.runtime->cudaStreamSynchronize(with.idle);
     }},
    {"cudaEventSynchronize (complete event)", [](surroundings& with) -> int {
       return with.runtime->cudaEventSynchronize(with.timed[1]);
     }},
    {"cudaMemcpy", [](surroundings& with) -> int {
       return with.runtime->cudaMemcpy(with.pinned, reinterpret_cast<void*>(with.memory), bytes,
                                       cudaMemcpyDeviceToHost);
     }},
    {"cudaFree", [](surroundings& with) -> int {
       return with.runtime->cudaFree(reinterpret_cast<void*>(with.memory));
     }},
    {"cudaStreamSynchronize (own stream)", [](surroundings& with) -> int {
       return with.runtime->cudaStreamSynchronize(with.own);
     }},
    {"cudaDeviceSynchronize", [](surroundings& with) -> int {
       return with.runtime->cudaDeviceSynchronize();
     }},
};

}  // namespace

std::span<const call> driver_calls() { return of_driver; }
std::span<const call> runtime_calls() { return of_runtime; }

std::string code_name(int code, bool of_runtime) {
  std::string name = driver::result_name(static_cast<CUresult>(code));
  constexpr std::string_view prefix = "CUDA_ERROR_";
  if (name.starts_with(prefix)) name.erase(0, prefix.size());
  if (name == "CUDA_SUCCESS") name = "success";
  // Codes of both APIs have the same numbers where they mean the same.
  return of_runtime && name.starts_with("CUresult") ? "cudaError_t(" + std::to_string(code) + ")"
                                                    : name;
}

}  // namespace streamcts::inside
