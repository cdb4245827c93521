// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors, devices and contexts; streams, host calls, events, capture.

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "harness/reference/runtime/test_support.h"

STREAMCTS_PER_THREAD(cudaStreamQuery, _ptsz);
STREAMCTS_PER_THREAD(cudaStreamSynchronize, _ptsz);
STREAMCTS_PER_THREAD(cudaLaunchHostFunc, _ptsz);
STREAMCTS_PER_THREAD(cudaStreamGetId, _ptsz);
STREAMCTS_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
STREAMCTS_PER_THREAD(cudaGetDriverEntryPoint, _ptsz);
#pragma GCC diagnostic pop

namespace streamcts::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <typename Function>
Function* of_driver(const char* name) {
  return reinterpret_cast<Function*>(dlsym(reference_driver(), name));
}

TEST(RuntimeWithoutDriver, SaysInsufficientDriver) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";  // a process that has loaded no driver
  EXPECT_EXIT(
      {
        int value = -1;
        if (dlopen("libcuda.so.1", RTLD_NOW) != nullptr) std::exit(0);  // this machine has one
        if (cudaDriverGetVersion(&value) != cudaSuccess || value != 0) std::exit(1);
        if (cudaGetDeviceCount(&value) != cudaErrorInsufficientDriver) std::exit(2);
        if (cudaDeviceSynchronize() != cudaErrorInsufficientDriver) std::exit(3);
        std::exit(cudaGetLastError() == cudaErrorInsufficientDriver ? 0 : 4);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_F(RuntimeTest, LastErrorIsTheThreadsOwnUntilItIsAskedFor) {
  EXPECT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);  // a success hides no error
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
  std::thread([] { EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess); }).join();
  expect_error(cudaSetDevice(-1), cudaErrorInvalidDevice);
}

TEST_F(RuntimeTest, ErrorsHaveNamesAndTexts) {
  EXPECT_STREQ(cudaGetErrorName(cudaSuccess), "cudaSuccess");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "memory allocation");
  EXPECT_STREQ(cudaGetErrorString(cudaErrorNoDevice), "no device");
  EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(123456)), "unrecognized error code");
}

TEST_F(RuntimeTest, WhatIsNotImplementedSaysSo) {
  cudaArray_t array = nullptr;
  const cudaChannelFormatDesc format{8, 0, 0, 0, cudaChannelFormatKindUnsigned};
  expect_error(cudaMallocArray(&array, &format, 8, 8, 0), cudaErrorNotSupported);
}

TEST_F(RuntimeTest, VersionsAndDevices) {
  int value = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&value), cudaSuccess);
  EXPECT_EQ(value, CUDART_VERSION);
  EXPECT_EQ(cudaDriverGetVersion(&value), cudaSuccess);
  EXPECT_GE(value, 13000);
  expect_error(cudaRuntimeGetVersion(nullptr), cudaErrorInvalidValue);
  expect_error(cudaDriverGetVersion(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetDeviceCount(&value), cudaSuccess);
  EXPECT_EQ(value, 1);
  expect_error(cudaGetDeviceCount(nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrUnifiedAddressing, 0), cudaSuccess);
  EXPECT_EQ(value, 1);
  expect_error(cudaDeviceGetAttribute(&value, cudaDevAttrUnifiedAddressing, 3),
               cudaErrorInvalidDevice);
  EXPECT_EQ(cudaDeviceCanAccessPeer(&value, 0, 0), cudaSuccess);
  EXPECT_EQ(value, 0);
  expect_error(cudaDeviceEnablePeerAccess(7, 0), cudaErrorInvalidDevice);
  expect_error(cudaDeviceDisablePeerAccess(7), cudaErrorInvalidDevice);
  EXPECT_NE(cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 0), cudaSuccess);
  cudaGetLastError();

  char bus[32] = {};
  EXPECT_EQ(cudaDeviceGetPCIBusId(bus, sizeof bus, 0), cudaSuccess);
  value = -1;
  EXPECT_EQ(cudaDeviceGetByPCIBusId(&value, bus), cudaSuccess);
  EXPECT_EQ(value, 0);
}

TEST_F(RuntimeTest, DeviceProperties) {
  cudaDeviceProp found{};
  ASSERT_EQ(cudaGetDeviceProperties(&found, 0), cudaSuccess);
  EXPECT_THAT(found.name, HasSubstr("streamcts reference"));
  EXPECT_EQ(found.maxThreadsPerBlock, 1024);
  EXPECT_GT(found.totalGlobalMem, 0u);
  EXPECT_EQ(found.unifiedAddressing, 1);
  EXPECT_GT(found.warpSize, 0);
  expect_error(cudaGetDeviceProperties(&found, 9), cudaErrorInvalidDevice);
  expect_error(cudaGetDeviceProperties(nullptr, 0), cudaErrorInvalidValue);
}

TEST_F(RuntimeTest, ContextIsMadeAtTheFirstNeedAndSharedWithTheDriver) {
  const auto current = of_driver<decltype(::cuCtxGetCurrent)>("cuCtxGetCurrent");
  const auto set_current = of_driver<decltype(::cuCtxSetCurrent)>("cuCtxSetCurrent");
  int device = -1;
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  CUcontext primary = nullptr;
  EXPECT_EQ(current(&primary), CUDA_SUCCESS);
  EXPECT_NE(primary, nullptr);
  std::thread([&] {
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);  // needs no context
    EXPECT_EQ(device, 0);
    CUcontext seen = nullptr;
    EXPECT_EQ(current(&seen), CUDA_SUCCESS);
    EXPECT_EQ(seen, nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(current(&seen), CUDA_SUCCESS);
    EXPECT_EQ(seen, primary);
    EXPECT_EQ(set_current(nullptr), CUDA_SUCCESS);
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    EXPECT_EQ(current(&seen), CUDA_SUCCESS);
    EXPECT_EQ(seen, primary);
    expect_error(cudaGetDevice(nullptr), cudaErrorInvalidValue);
  }).join();
}

TEST_F(RuntimeTest, ResetMakesAnotherContextInEveryThread) {
  std::binary_semaphore reset{0}, first_call{0};
  std::thread other([&] {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    first_call.release();
    reset.acquire();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);  // its current context is gone
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
  });
  first_call.acquire();
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
  reset.release();
  other.join();
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(RuntimeTest, DeviceFlagsAndLimits) {
  unsigned flags = 0;
  EXPECT_EQ(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync), cudaSuccess);
  EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleBlockingSync});
  EXPECT_EQ(cudaInitDevice(0, cudaDeviceScheduleAuto, cudaInitDeviceFlagsAreValid), cudaSuccess);
  EXPECT_EQ(cudaGetDeviceFlags(&flags), cudaSuccess);
  EXPECT_EQ(flags & cudaDeviceScheduleMask, unsigned{cudaDeviceScheduleAuto});
  expect_error(cudaSetDeviceFlags(~0u), cudaErrorInvalidValue);
  expect_error(cudaGetDeviceFlags(nullptr), cudaErrorInvalidValue);
  expect_error(cudaInitDevice(0, 0, 0x80), cudaErrorInvalidValue);
  expect_error(cudaInitDevice(5, 0, 0), cudaErrorInvalidDevice);
  expect_error(cudaInitDevice(0, ~0u, cudaInitDeviceFlagsAreValid), cudaErrorInvalidValue);

  size_t limit = 0;
  EXPECT_EQ(cudaDeviceGetLimit(&limit, cudaLimitStackSize), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetLimit(cudaLimitStackSize, limit), cudaSuccess);
  cudaFuncCache config = cudaFuncCachePreferL1;
  EXPECT_EQ(cudaDeviceSetCacheConfig(cudaFuncCachePreferNone), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetCacheConfig(&config), cudaSuccess);
  expect_error(cudaDeviceGetCacheConfig(nullptr), cudaErrorInvalidValue);
  int least = 0, greatest = 0;
  EXPECT_EQ(cudaDeviceGetStreamPriorityRange(&least, &greatest), cudaSuccess);
  EXPECT_GE(least, greatest);
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

TEST_F(RuntimeTest, EntryPointsOfTheDriverInBothModes) {
  void* legacy = nullptr;
  void* per_thread = nullptr;
  cudaDriverEntryPointQueryResult status{};
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuStreamQuery", &legacy, 13000, cudaEnableDefault,
                                             &status),
            cudaSuccess);
  EXPECT_EQ(legacy, dlsym(reference_driver(), "cuStreamQuery"));
  EXPECT_EQ(status, cudaDriverEntryPointSuccess);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion_ptsz("cuStreamQuery", &per_thread, 13000,
                                                  cudaEnableDefault, nullptr),
            cudaSuccess);
  EXPECT_EQ(per_thread, dlsym(reference_driver(), "cuStreamQuery_ptsz"));
  EXPECT_EQ(cudaGetDriverEntryPointByVersion("cuNoSuchCall", &legacy, 13000, cudaEnableDefault,
                                             &status),
            cudaSuccess);
  EXPECT_EQ(status, cudaDriverEntryPointSymbolNotFound);
  expect_error(
      cudaGetDriverEntryPointByVersion(nullptr, &legacy, 13000, cudaEnableDefault, nullptr),
      cudaErrorInvalidValue);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(cudaGetDriverEntryPoint("cuStreamQuery", &legacy, cudaEnableDefault, &status),
            cudaSuccess);
  EXPECT_EQ(cudaGetDriverEntryPoint_ptsz("cuStreamQuery", &legacy, cudaEnableDefault, &status),
            cudaSuccess);
  EXPECT_EQ(legacy, per_thread);
#pragma GCC diagnostic pop
}

TEST_F(RuntimeTest, StreamsAndTheirProperties) {
  cudaStream_t plain = nullptr, urgent = nullptr;
  ASSERT_EQ(cudaStreamCreate(&plain), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, -1), cudaSuccess);
  unsigned flags = 9;
  EXPECT_EQ(cudaStreamGetFlags(plain, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamDefault});
  EXPECT_EQ(cudaStreamGetFlags(urgent, &flags), cudaSuccess);
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  int priority = 0, device = -1;
  EXPECT_EQ(cudaStreamGetPriority(urgent, &priority), cudaSuccess);
  EXPECT_EQ(priority, -1);
  EXPECT_EQ(cudaStreamGetDevice(plain, &device), cudaSuccess);
  EXPECT_EQ(device, 0);
  unsigned long long one = 0, other = 0;
  EXPECT_EQ(cudaStreamGetId(nullptr, &one), cudaSuccess);
  EXPECT_EQ(cudaStreamGetId_ptsz(nullptr, &other), cudaSuccess);
  EXPECT_NE(one, other);
  cudaLaunchAttributeValue value{};
  EXPECT_EQ(cudaStreamGetAttribute(plain, cudaLaunchAttributePriority, &value), cudaSuccess);
  EXPECT_EQ(cudaStreamSetAttribute(plain, cudaLaunchAttributePriority, &value), cudaSuccess);
  EXPECT_EQ(cudaStreamCopyAttributes(plain, urgent), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(plain), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(urgent), cudaSuccess);
  expect_error(cudaStreamDestroy(nullptr), cudaErrorInvalidResourceHandle);
}

struct seen_status {
  cudaStream_t stream = nullptr;
  cudaError_t status = cudaErrorUnknown;
  cudaError_t inside = cudaSuccess;
  static void CUDART_CB run(cudaStream_t stream, cudaError_t status, void* self) {
    void* memory = nullptr;
    *static_cast<seen_status*>(self) = {stream, status, cudaMalloc(&memory, 16)};
  }
};

TEST_F(RuntimeTest, CallbackGetsStreamAndStatusAndMayNotCall) {
  seen_status seen;
  {
    const test_stream stream;
    ASSERT_EQ(cudaStreamAddCallback(stream.handle, seen_status::run, &seen, 0), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
    EXPECT_EQ(seen.stream, stream.handle);
  }
  EXPECT_EQ(seen.status, cudaSuccess);
  EXPECT_EQ(seen.inside, cudaErrorNotPermitted);
  expect_error(cudaStreamAddCallback(nullptr, seen_status::run, &seen, 1), cudaErrorInvalidValue);
}

TEST_F(RuntimeTest, QueryOfABusyStreamIsNoError) {
  held_call call;
  const test_stream stream;
  ASSERT_EQ(cudaLaunchHostFunc(stream.handle, held_call::run, &call), cudaSuccess);
  call.begun.acquire();
  EXPECT_EQ(cudaStreamQuery(stream.handle), cudaErrorNotReady);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  call.go_on.release();
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_EQ(cudaStreamQuery(stream.handle), cudaSuccess);
}

TEST_F(RuntimeTest, NullStreamOfThePerThreadNamesIsTheThreads) {
  held_call call;
  std::thread([&] {
    ASSERT_EQ(cudaLaunchHostFunc_ptsz(nullptr, held_call::run, &call), cudaSuccess);
    call.begun.acquire();
    EXPECT_EQ(cudaStreamQuery_ptsz(nullptr), cudaErrorNotReady);
    std::thread([] { EXPECT_EQ(cudaStreamQuery_ptsz(nullptr), cudaSuccess); }).join();
    call.go_on.release();
    EXPECT_EQ(cudaStreamSynchronize_ptsz(nullptr), cudaSuccess);
  }).join();
}

TEST_F(RuntimeTest, Events) {
  cudaEvent_t first = nullptr, second = nullptr;
  ASSERT_EQ(cudaEventCreate(&first), cudaSuccess);
  ASSERT_EQ(cudaEventCreateWithFlags(&second, cudaEventDefault), cudaSuccess);
  held_call call;
  {
    const test_stream stream, other;
    ASSERT_EQ(cudaLaunchHostFunc(stream.handle, held_call::run, &call), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(first, stream.handle), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other.handle, first, 0), cudaSuccess);
    ASSERT_EQ(cudaEventRecordWithFlags(second, other.handle, cudaEventRecordDefault), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(second), cudaErrorNotReady);
    call.go_on.release();
    EXPECT_EQ(cudaEventSynchronize(second), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(first), cudaSuccess);
  }
  float milliseconds = -1;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, first, second), cudaSuccess);
  EXPECT_GE(milliseconds, 0);
  cudaIpcEventHandle_t shared{};
  expect_error(cudaIpcGetEventHandle(&shared, first), cudaErrorNotSupported);
  expect_error(cudaIpcOpenEventHandle(&first, shared), cudaErrorNotSupported);
  EXPECT_EQ(cudaEventDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(second), cudaSuccess);
}

void CUDART_CB append(void* to) {
  auto& list = *static_cast<std::vector<int>*>(to);
  list.push_back(static_cast<int>(list.size()));
}

TEST_F(RuntimeTest, CaptureMakesAGraph) {
  std::vector<int> calls;
  const test_stream stream;
  cudaStreamCaptureStatus status{};
  cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal;
  ASSERT_EQ(cudaStreamBeginCapture(stream.handle, mode), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  EXPECT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream.handle, append, &calls), cudaSuccess);
  EXPECT_EQ(cudaStreamIsCapturing(stream.handle, &status), cudaSuccess);
  EXPECT_EQ(status, cudaStreamCaptureStatusActive);
  unsigned long long id = 0;
  cudaGraph_t graph = nullptr;
  const cudaGraphNode_t* last = nullptr;
  const cudaGraphEdgeData* edges = nullptr;
  size_t count = 0;
  ASSERT_EQ(cudaStreamGetCaptureInfo(stream.handle, &status, &id, &graph, &last, &edges, &count),
            cudaSuccess);
  EXPECT_NE(id, 0u);
  EXPECT_EQ(count, 1u);
  cudaGraphNode_t after[] = {last[0]};
  EXPECT_EQ(cudaStreamUpdateCaptureDependencies(stream.handle, after, nullptr, 1,
                                                cudaStreamSetCaptureDependencies),
            cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream.handle, &graph), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphUpload(executable, stream.handle), cudaSuccess);
  for (int launch = 0; launch < 2; ++launch) {
    ASSERT_EQ(cudaGraphLaunch(executable, stream.handle), cudaSuccess);
  }
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_THAT(calls, ElementsAre(0, 1));
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  expect_error(cudaStreamIsCapturing(stream.handle, nullptr), cudaErrorInvalidValue);
  expect_error(cudaStreamGetCaptureInfo(stream.handle, nullptr), cudaErrorInvalidValue);
  expect_error(cudaThreadExchangeStreamCaptureMode(nullptr), cudaErrorInvalidValue);
}

TEST_F(RuntimeTest, CaptureToAGraphThatExists) {
  std::vector<int> calls;
  const test_stream stream;
  cudaGraph_t graph = nullptr, same = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaStreamBeginCaptureToGraph(stream.handle, graph, nullptr, nullptr, 0,
                                          cudaStreamCaptureModeGlobal),
            cudaSuccess);
  ASSERT_EQ(cudaLaunchHostFunc(stream.handle, append, &calls), cudaSuccess);
  ASSERT_EQ(cudaStreamEndCapture(stream.handle, &same), cudaSuccess);
  EXPECT_EQ(same, graph);
  size_t nodes = 0;
  EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  EXPECT_EQ(nodes, 1u);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
}  // namespace streamcts::runtime
