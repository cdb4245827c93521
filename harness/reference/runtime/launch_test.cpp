// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels by the launch syntax's own entry points, and by libraries.

#include <gmock/gmock.h>

#include <thread>
#include <vector>

#include "harness/reference/runtime/launch_test_support.h"

STREAMCTS_PER_THREAD(cudaLaunchKernel, _ptsz);

namespace streamcts::runtime {
namespace {

TEST_F(RuntimeLaunch, AsTheLaunchSyntaxDoes) {
  const test_stream stream;
  // The outer launch has a launch among its arguments.
  EXPECT_EQ(__cudaPushCallConfiguration(4, 16, 8, stream.handle), 0u);
  EXPECT_EQ(__cudaPushCallConfiguration(1, 1, 0, nullptr), 0u);
  dim3 grid, block;
  size_t shared = 1;
  cudaStream_t popped = stream.handle;
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &popped), cudaSuccess);
  EXPECT_EQ(grid.x, 1u);
  EXPECT_EQ(popped, nullptr);
  EXPECT_EQ(__cudaPopCallConfiguration(&grid, &block, &shared, &popped), cudaSuccess);
  EXPECT_EQ(grid.x, 4u);
  EXPECT_EQ(block.x, 16u);
  EXPECT_EQ(shared, 8u);
  EXPECT_EQ(popped, stream.handle);
  expect_error(__cudaPopCallConfiguration(&grid, &block, &shared, &popped),
               cudaErrorMissingConfiguration);

  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(__cudaGetKernel(&kernel, &write_twin), cudaSuccess);
  ASSERT_EQ(__cudaLaunchKernel(kernel, grid, block, write_arguments(5), shared, popped),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  expect_written(5);
}

TEST_F(RuntimeLaunch, UnknownKernels) {
  cudaKernel_t kernel = nullptr;
  expect_error(__cudaGetKernel(&kernel, &unknown_twin), cudaErrorInvalidDeviceFunction);
  expect_error(__cudaLaunchKernel(kernel, 1, 1, nullptr, 0, nullptr),
               cudaErrorInvalidDeviceFunction);
  expect_error(cudaLaunchKernel(&unknown_twin, 1, 1, nullptr, 0, nullptr),
               cudaErrorInvalidDeviceFunction);
  expect_error(cudaLaunchKernel(&kernel, 1, 1, nullptr, 0, nullptr),
               cudaErrorInvalidDeviceFunction);
  expect_error(cudaLaunchKernel(nullptr, 1, 1, nullptr, 0, nullptr),
               cudaErrorInvalidDeviceFunction);
  expect_error(cudaLaunchCooperativeKernel(nullptr, 1, 1, nullptr, 0, nullptr),
               cudaErrorInvalidDeviceFunction);
  cudaFuncAttributes attributes{};
  expect_error(cudaFuncGetAttributes(&attributes, &kernel), cudaErrorInvalidDeviceFunction);
}

TEST_F(RuntimeLaunch, ShapesThatCannotBe) {
  void** arguments = write_arguments(1);
  expect_error(cudaLaunchKernel(&write_twin, 0, 1, arguments, 0, nullptr),
               cudaErrorInvalidConfiguration);
  expect_error(cudaLaunchKernel(&write_twin, 1, 4096, arguments, 0, nullptr),
               cudaErrorInvalidConfiguration);
  expect_error(cudaLaunchKernelExC(nullptr, &write_twin, arguments), cudaErrorInvalidValue);
}

TEST_F(RuntimeLaunch, EveryKindOfLaunch) {
  ASSERT_EQ(cudaLaunchKernel(&write_twin, 2, 8, write_arguments(7), 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  expect_written(7);
  ASSERT_EQ(cudaLaunchKernel_ptsz(&write_twin, 2, 8, write_arguments(9), 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  expect_written(9);
  cudaLaunchConfig_t config{};
  config.gridDim = 2;
  config.blockDim = 8;
  ASSERT_EQ(cudaLaunchKernelExC(&config, &write_twin, write_arguments(11)), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  expect_written(11);
  expect_error(cudaLaunchKernelExC(&config, &unknown_twin, nullptr),
               cudaErrorInvalidDeviceFunction);
  ASSERT_EQ(cudaLaunchCooperativeKernel(&write_twin, 1, 8, write_arguments(13), 0, nullptr),
            cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  expect_written(13);
}

TEST_F(RuntimeLaunch, LibrariesOfKernels) {
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  ASSERT_EQ(cudaLibraryLoadData(&library, "any image", nullptr, nullptr, 0, nullptr, nullptr, 0),
            cudaSuccess);
  ASSERT_EQ(cudaLibraryGetKernel(&kernel, library, "streamcts_write_pattern"), cudaSuccess);
  ASSERT_EQ(cudaLaunchKernel(kernel, 2, 8, write_arguments(15), 0, nullptr), cudaSuccess);
  ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
  expect_written(15);
  size_t bytes = 0;
  void* address = nullptr;
  EXPECT_NE(cudaLibraryGetGlobal(&address, &bytes, library, "x"), cudaSuccess);
  EXPECT_NE(cudaLibraryGetManaged(&address, &bytes, library, "x"), cudaSuccess);
  cudaGetLastError();
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
}

TEST_F(RuntimeLaunch, WhatCanBeAskedOfAKernel) {
  cudaFuncAttributes attributes{};
  EXPECT_EQ(cudaFuncGetAttributes(&attributes, &add_twin), cudaSuccess);
  EXPECT_EQ(attributes.maxThreadsPerBlock, 1024);
  expect_error(cudaFuncGetAttributes(nullptr, &add_twin), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFuncSetAttribute(&add_twin, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024),
            cudaSuccess);
  EXPECT_EQ(cudaFuncSetCacheConfig(&add_twin, cudaFuncCachePreferL1), cudaSuccess);
  const char* name = nullptr;
  size_t offset = 0, bytes = 0;
  cudaKernel_t kernel = nullptr;
  cudaFunction_t function = nullptr;
  EXPECT_EQ(cudaGetKernel(&kernel, &add_twin), cudaSuccess);
  expect_error(cudaGetKernel(nullptr, &add_twin), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetFuncBySymbol(&function, &add_twin), cudaSuccess);
  EXPECT_EQ(cudaFuncGetName(&name, &add_twin), cudaSuccess);
  EXPECT_STREQ(name, "streamcts_add");
  EXPECT_EQ(cudaFuncGetParamInfo(&add_twin, 1, &offset, &bytes), cudaSuccess);
  EXPECT_EQ(offset, 8u);
  int blocks = 0;
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &add_twin, 64, 0), cudaSuccess);
  EXPECT_GT(blocks, 0);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &add_twin, 64, 0, 0),
            cudaSuccess);
  for (const cudaError_t refused :
       {cudaFuncSetAttribute(&unknown_twin, cudaFuncAttributeMaxDynamicSharedMemorySize, 1),
        cudaFuncSetCacheConfig(&unknown_twin, cudaFuncCachePreferL1),
        cudaFuncGetName(&name, &unknown_twin),
        cudaFuncGetParamInfo(&unknown_twin, 0, &offset, &bytes),
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &unknown_twin, 64, 0),
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, &unknown_twin, 64, 0, 0),
        cudaGetFuncBySymbol(&function, &unknown_twin), cudaGetKernel(&kernel, &kernel)}) {
    EXPECT_EQ(refused, cudaErrorInvalidDeviceFunction);
  }
  cudaGetLastError();
}

// The reference driver has no variables: the answer is the driver's, and nothing crashes.
TEST_F(RuntimeLaunch, VariablesThatTheDriverDoesNotHave) {
  void* address = nullptr;
  size_t bytes = 0;
  int value = 1;
  const auto refuse = [](cudaError_t result) {
    EXPECT_NE(result, cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), result);
  };
  refuse(cudaGetSymbolAddress(&address, &variable_twin));
  refuse(cudaGetSymbolSize(&bytes, &variable_twin));
  refuse(cudaMemcpyToSymbol(&variable_twin, &value, 4, 0, cudaMemcpyHostToDevice));
  refuse(cudaMemcpyFromSymbol(&value, &variable_twin, 4, 0, cudaMemcpyDeviceToHost));
  refuse(cudaMemcpyToSymbolAsync(&variable_twin, &value, 4, 0, cudaMemcpyHostToDevice, nullptr));
  refuse(cudaMemcpyFromSymbolAsync(&value, &variable_twin, 4, 0, cudaMemcpyDeviceToHost, nullptr));
  expect_error(cudaGetSymbolAddress(&address, &value), cudaErrorInvalidSymbol);
  expect_error(cudaGetSymbolAddress(nullptr, &value), cudaErrorInvalidValue);
  expect_error(cudaGetSymbolSize(nullptr, &value), cudaErrorInvalidValue);
  EXPECT_TRUE(__cudaInitModule(binary_));  // no managed variable yet
  __cudaRegisterManagedVar(binary_, &managed_twin, nullptr, "managed", 0, 4, 0, 0);
  EXPECT_FALSE(__cudaInitModule(binary_));
  EXPECT_EQ(managed_twin, nullptr);
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
}

TEST_F(RuntimeLaunch, ThreadsLookUpAndLaunchAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const test_stream stream;
      for (int launch = 0; launch < 20; ++launch) {
        cudaKernel_t kernel = nullptr;
        ASSERT_EQ(__cudaGetKernel(&kernel, &add_twin), cudaSuccess);
        std::uint64_t nothing = 0;
        void* own = words_ + 32;
        void* arguments[] = {&own, &nothing};
        __cudaPushCallConfiguration(1, 1, 0, stream.handle);
        dim3 grid, block;
        size_t shared = 0;
        cudaStream_t popped = nullptr;
        __cudaPopCallConfiguration(&grid, &block, &shared, &popped);
        if (launch == 0) expect_error(cudaSetDevice(50), cudaErrorInvalidDevice);
        EXPECT_EQ(popped, stream.handle);
        void* memory = nullptr;
        EXPECT_EQ(cudaMalloc(&memory, 64), cudaSuccess);
        arguments[0] = &memory;
        EXPECT_EQ(__cudaLaunchKernel(kernel, grid, block, arguments, shared, popped), cudaSuccess);
        EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
        EXPECT_EQ(cudaFree(memory), cudaSuccess);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace streamcts::runtime
