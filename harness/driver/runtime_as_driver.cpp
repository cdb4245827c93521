// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/runtime_as_driver.h"

#include <type_traits>

namespace streamcts::driver {
namespace {

/// A table's functions are plain pointers: the runtime that they call has static storage.
template <stream_mode Mode>
runtime_table runtime_of;

/// Both APIs give the same things different types: handles and enumerations have the same values,
/// device addresses are pointers in the runtime.
template <typename To, typename From>
To same(From from) {
  if constexpr (std::is_convertible_v<From, To>) {
    return from;
  } else if constexpr (std::is_enum_v<To> || std::is_enum_v<From>) {
    return static_cast<To>(from);
  } else {
    return reinterpret_cast<To>(from);
  }
}

/// A function of the driver's type that calls the runtime's function `Member` with its arguments.
template <stream_mode Mode, auto Member, typename Driver, typename Runtime>
struct forwarder;
template <stream_mode Mode, auto Member, typename... From, typename... To>
struct forwarder<Mode, Member, CUresult (*)(From...), cudaError_t (*)(To...)> {
  static CUresult call(From... arguments) {
    return static_cast<CUresult>((runtime_of<Mode>.*Member)(same<To>(arguments)...));
  }
};

template <stream_mode Mode, auto Member, typename Driver, typename Runtime>
void forward(entry_point<Driver>& function, const entry_point<Runtime>& runtime) {
  // What the runtime lacks is absent, not the driver's: nothing goes by the other API unnoticed.
  function = runtime == nullptr ? nullptr : &forwarder<Mode, Member, Driver, Runtime>::call;
}

template <stream_mode Mode, cudaMemcpyKind Kind, typename To, typename From>
CUresult copy(To to, From from, size_t bytes) {
  return static_cast<CUresult>(
      runtime_of<Mode>.cudaMemcpy(same<void*>(to), same<const void*>(from), bytes, Kind));
}
template <stream_mode Mode, cudaMemcpyKind Kind, typename To, typename From>
CUresult copy_async(To to, From from, size_t bytes, CUstream stream) {
  return static_cast<CUresult>(runtime_of<Mode>.cudaMemcpyAsync(
      same<void*>(to), same<const void*>(from), bytes, Kind, stream));
}

template <stream_mode Mode>
CUresult launch_kernel(CUfunction kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                       CUstream stream, void** parameters, void**) {
  return static_cast<CUresult>(runtime_of<Mode>.cudaLaunchKernel(
      kernel, dim3(grid_x, grid_y, grid_z), dim3(block_x, block_y, block_z), parameters, shared,
      stream));
}

#define FORWARD(driver_name, runtime_name) \
  forward<Mode, &runtime_table::runtime_name>(made.driver_name, runtime_of<Mode>.runtime_name)

template <stream_mode Mode>
void forward_streams(function_table& made) {
  FORWARD(cuStreamCreate, cudaStreamCreateWithFlags);
  FORWARD(cuStreamCreateWithPriority, cudaStreamCreateWithPriority);
  FORWARD(cuStreamDestroy, cudaStreamDestroy);
  FORWARD(cuStreamSynchronize, cudaStreamSynchronize);
  FORWARD(cuStreamQuery, cudaStreamQuery);
  FORWARD(cuStreamWaitEvent, cudaStreamWaitEvent);
  FORWARD(cuStreamAddCallback, cudaStreamAddCallback);
  FORWARD(cuLaunchHostFunc, cudaLaunchHostFunc);
  FORWARD(cuStreamGetFlags, cudaStreamGetFlags);
  FORWARD(cuStreamGetPriority, cudaStreamGetPriority);
  FORWARD(cuStreamGetId, cudaStreamGetId);
  FORWARD(cuStreamAttachMemAsync, cudaStreamAttachMemAsync);
  FORWARD(cuEventCreate, cudaEventCreateWithFlags);
  FORWARD(cuEventDestroy, cudaEventDestroy);
  FORWARD(cuEventRecord, cudaEventRecord);
  FORWARD(cuEventRecordWithFlags, cudaEventRecordWithFlags);
  FORWARD(cuEventQuery, cudaEventQuery);
  FORWARD(cuEventSynchronize, cudaEventSynchronize);
  FORWARD(cuCtxSynchronize, cudaDeviceSynchronize);
}

template <stream_mode Mode>
void forward_memory(function_table& made) {
  FORWARD(cuMemAlloc, cudaMalloc);
  FORWARD(cuMemFree, cudaFree);
  FORWARD(cuMemHostAlloc, cudaHostAlloc);
  FORWARD(cuMemFreeHost, cudaFreeHost);
  FORWARD(cuMemHostGetDevicePointer, cudaHostGetDevicePointer);
  FORWARD(cuMemAllocManaged, cudaMallocManaged);
  FORWARD(cuMemsetD8, cudaMemset);
  FORWARD(cuMemsetD8Async, cudaMemsetAsync);
  made.cuMemcpy = &copy<Mode, cudaMemcpyDefault, CUdeviceptr, CUdeviceptr>;
  made.cuMemcpyHtoD = &copy<Mode, cudaMemcpyHostToDevice, CUdeviceptr, const void*>;
  made.cuMemcpyDtoH = &copy<Mode, cudaMemcpyDeviceToHost, void*, CUdeviceptr>;
  made.cuMemcpyDtoD = &copy<Mode, cudaMemcpyDeviceToDevice, CUdeviceptr, CUdeviceptr>;
  made.cuMemcpyAsync = &copy_async<Mode, cudaMemcpyDefault, CUdeviceptr, CUdeviceptr>;
  made.cuMemcpyHtoDAsync = &copy_async<Mode, cudaMemcpyHostToDevice, CUdeviceptr, const void*>;
  made.cuMemcpyDtoHAsync = &copy_async<Mode, cudaMemcpyDeviceToHost, void*, CUdeviceptr>;
  made.cuMemcpyDtoDAsync = &copy_async<Mode, cudaMemcpyDeviceToDevice, CUdeviceptr, CUdeviceptr>;
}

template <stream_mode Mode>
void forward_graphs_and_kernels(function_table& made) {
  FORWARD(cuStreamBeginCapture, cudaStreamBeginCapture);
  FORWARD(cuStreamEndCapture, cudaStreamEndCapture);
  FORWARD(cuStreamIsCapturing, cudaStreamIsCapturing);
  FORWARD(cuGraphInstantiateWithFlags, cudaGraphInstantiateWithFlags);
  FORWARD(cuGraphLaunch, cudaGraphLaunch);
  FORWARD(cuGraphExecDestroy, cudaGraphExecDestroy);
  FORWARD(cuGraphDestroy, cudaGraphDestroy);
  const runtime_table& runtime = runtime_of<Mode>;
  if (runtime.cudaLibraryLoadData == nullptr || runtime.cudaLibraryGetKernel == nullptr ||
      runtime.cudaLibraryUnload == nullptr || runtime.cudaLaunchKernel == nullptr) {
    return;
  }
  FORWARD(cuLibraryLoadData, cudaLibraryLoadData);
  FORWARD(cuLibraryUnload, cudaLibraryUnload);
  FORWARD(cuLibraryGetKernel, cudaLibraryGetKernel);
  made.cuLaunchKernel = &launch_kernel<Mode>;
}

#undef FORWARD

template <stream_mode Mode>
function_table make(const function_table& driver, const runtime_table& runtime) {
  runtime_of<Mode> = runtime;
  function_table made = driver;
  forward_streams<Mode>(made);
  forward_memory<Mode>(made);
  forward_graphs_and_kernels<Mode>(made);
  return made;
}

}  // namespace

function_table runtime_as_driver(const function_table& driver, const runtime_table& runtime,
                                 stream_mode mode) {
  return mode == stream_mode::legacy ? make<stream_mode::legacy>(driver, runtime)
                                     : make<stream_mode::per_thread>(driver, runtime);
}

}  // namespace streamcts::driver
