// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Errors, devices, contexts.

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <thread>

#include "harness/reference/runtime/test_support.h"

STREAMCTS_PER_THREAD(cudaGetDriverEntryPointByVersion, _ptsz);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
STREAMCTS_PER_THREAD(cudaGetDriverEntryPoint, _ptsz);
#pragma GCC diagnostic pop

namespace streamcts::runtime {
namespace {

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
  EXPECT_EQ(
      cudaGetDriverEntryPointByVersion("cuStreamQuery", &legacy, 13000, cudaEnableDefault, &status),
      cudaSuccess);
  EXPECT_EQ(legacy, dlsym(reference_driver(), "cuStreamQuery"));
  EXPECT_EQ(status, cudaDriverEntryPointSuccess);
  EXPECT_EQ(cudaGetDriverEntryPointByVersion_ptsz("cuStreamQuery", &per_thread, 13000,
                                                  cudaEnableDefault, nullptr),
            cudaSuccess);
  EXPECT_EQ(per_thread, dlsym(reference_driver(), "cuStreamQuery_ptsz"));
  EXPECT_EQ(
      cudaGetDriverEntryPointByVersion("cuNoSuchCall", &legacy, 13000, cudaEnableDefault, &status),
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

}  // namespace
}  // namespace streamcts::runtime
