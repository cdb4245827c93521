// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <string>

namespace streamcts::faults::witness {

/// The driver under a witness, by its exported symbols. Names are those of cuda.h without `cu`.
struct driver_api {
#define STREAMCTS_WITNESS_CALLS(CALL)                                                          \
  CALL(Init) CALL(DeviceGet) CALL(DeviceGetAttribute) CALL(DevicePrimaryCtxRetain)             \
  CALL(CtxSetCurrent) CALL(CtxGetCurrent) CALL(CtxCreate) CALL(CtxDestroy)                     \
  CALL(CtxSynchronize) CALL(CtxGetStreamPriorityRange) CALL(LibraryLoadData)                   \
  CALL(LibraryGetKernel) CALL(LaunchKernel) CALL(StreamCreate) CALL(StreamCreateWithPriority)  \
  CALL(StreamDestroy) CALL(StreamSynchronize) CALL(StreamQuery) CALL(StreamAddCallback)        \
  CALL(LaunchHostFunc) CALL(StreamWaitEvent) CALL(StreamWaitValue32) CALL(StreamWriteValue32)  \
  CALL(StreamGetId) CALL(StreamGetPriority) CALL(EventCreate) CALL(EventDestroy)               \
  CALL(EventRecord) CALL(EventQuery) CALL(EventSynchronize) CALL(EventElapsedTime)             \
  CALL(MemAlloc) CALL(MemFree) CALL(MemHostAlloc) CALL(MemFreeHost) CALL(MemHostRegister)      \
  CALL(MemHostUnregister) CALL(MemHostGetDevicePointer) CALL(MemAllocManaged)                  \
  CALL(MemcpyAsync) CALL(MemcpyDtoHAsync) CALL(MemcpyHtoDAsync) CALL(Memcpy) CALL(MemcpyDtoH)  \
  CALL(MemcpyHtoD) CALL(MemsetD32) CALL(MemsetD32Async) CALL(StreamBeginCapture)               \
  CALL(StreamEndCapture) CALL(GraphCreate) CALL(GraphDestroy) CALL(GraphAddKernelNode)         \
  CALL(GraphAddHostNode) CALL(GraphHostNodeSetParams) CALL(GraphExecHostNodeSetParams)         \
  CALL(GraphInstantiate) CALL(GraphLaunch) CALL(GraphExecDestroy)                              \
  CALL(GraphInstantiateWithFlags) CALL(GraphAddEventRecordNode) CALL(GraphAddEventWaitNode)    \
  CALL(GraphNodeGetDependencies) CALL(GraphRetainUserObject) CALL(UserObjectCreate)            \
  CALL(UserObjectRelease) CALL(StreamGetCaptureInfo) CALL(StreamUpdateCaptureDependencies)     \
  CALL(StreamWaitValue64) CALL(StreamBatchMemOp) CALL(StreamAttachMemAsync)                   \
  CALL(MemPrefetchAsync) CALL(MemDiscardBatchAsync) CALL(MemcpyBatchAsync) CALL(MemcpyDtoD)     \
  CALL(PointerSetAttribute) CALL(LaunchKernelEx) CALL(MemAllocAsync) CALL(MemFreeAsync)          \
  CALL(IpcGetEventHandle)
#define CALL(name) decltype(&::cu##name) name = nullptr;
  STREAMCTS_WITNESS_CALLS(CALL)
#undef CALL
};

/// Opens the driver at @p path. Throws std::runtime_error with one line where that fails.
driver_api open_driver(const std::string& path);

/// The driver that this process has opened.
const driver_api& cu();

}  // namespace streamcts::faults::witness
