// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels by the launch syntax's own entry points, by libraries and in graphs; programs that nvcc
// compiled.

#include <gmock/gmock.h>
#include <sys/wait.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "harness/reference/runtime/test_support.h"

extern "C" {
void** __cudaRegisterFatBinary(void*);
void __cudaRegisterFatBinaryEnd(void**);
void __cudaUnregisterFatBinary(void**);
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*,
                            dim3*, int*);
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int);
void __cudaRegisterManagedVar(void**, void**, char*, const char*, int, size_t, int, int);
char __cudaInitModule(void**);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, CUstream_st*);
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, size_t*, void*);
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, size_t, cudaStream_t);
}
STREAMCTS_PER_THREAD(cudaLaunchKernel, _ptsz);

namespace streamcts::runtime {
namespace {

using ::testing::ElementsAre;

// Their addresses stand for kernels and variables, as host twins do in a program of nvcc's.
char write_twin, add_twin, unknown_twin, variable_twin;
void* managed_twin = nullptr;

/// A fat binary with two kernels that the driver knows, and some things that it does not.
class RuntimeLaunch : public RuntimeTest {
 protected:
  RuntimeLaunch() {
    binary_ = __cudaRegisterFatBinary(&wrapper_);
    const auto add = [&](char* twin, const char* name) {
      __cudaRegisterFunction(binary_, twin, twin, name, -1, nullptr, nullptr, nullptr, nullptr,
                             nullptr);
    };
    add(&write_twin, "streamcts_write_pattern");
    add(&add_twin, "streamcts_add");
    add(&unknown_twin, "no_such_kernel");
    __cudaRegisterVar(binary_, &variable_twin, &variable_twin, "variable", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(binary_);
    EXPECT_EQ(cudaMallocManaged(&memory_, sizeof(std::uint64_t) * 64, cudaMemAttachGlobal),
              cudaSuccess);
    words_ = static_cast<std::uint64_t*>(memory_);
  }
  ~RuntimeLaunch() override {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaFree(memory_), cudaSuccess);
    __cudaUnregisterFatBinary(binary_);
  }
  /// The arguments of streamcts_write_pattern for 64 words of base + 2 i.
  void** write_arguments(std::uint64_t base) {
    base_ = base;
    return write_.data();
  }
  void expect_written(std::uint64_t base) {
    EXPECT_EQ(words_[0], base);
    EXPECT_EQ(words_[63], base + 126);
  }

  void** binary_ = nullptr;
  void* memory_ = nullptr;
  std::uint64_t* words_ = nullptr;
  std::uint64_t base_ = 0, count_ = 64, step_ = 2, late_ = 0, one_ = 1;
  std::array<void*, 5> write_{&memory_, &count_, &base_, &step_, &late_};
  std::array<void*, 2> add_{&memory_, &one_};

 private:
  struct {
    int magic = 0x466243b1, version = 1;
    const char* data = "the reference ignores the image";
    void* rest = nullptr;
  } wrapper_;
};

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
  ASSERT_EQ(cudaLaunchKernel_ptsz(&write_twin, 2, 8, write_arguments(9), 0, nullptr),
            cudaSuccess);
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

void CUDART_CB count_up(void* to) { ++*static_cast<int*>(to); }

TEST_F(RuntimeLaunch, GraphsByHand) {
  int calls = 0, other_calls = 0;
  std::uint64_t* words = words_;
  cudaGraph_t graph = nullptr, child = nullptr, clone = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphCreate(&child, 0), cudaSuccess);
  cudaGraphNode_t clear = nullptr, add = nullptr, copy = nullptr, host = nullptr, empty = nullptr,
                  in_child = nullptr, nested = nullptr, box = nullptr;
  const cudaMemsetParams zero{words, 0, 0, 4, 4, 1};
  ASSERT_EQ(cudaGraphAddMemsetNode(&clear, graph, nullptr, 0, &zero), cudaSuccess);
  cudaKernelNodeParams kernel{};
  kernel.func = &add_twin;
  kernel.gridDim = kernel.blockDim = 1;
  kernel.kernelParams = add_.data();
  ASSERT_EQ(cudaGraphAddKernelNode(&add, graph, &clear, 1, &kernel), cudaSuccess);
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy, graph, &add, 1, words + 1, words, 8,
                                     cudaMemcpyDefault),
            cudaSuccess);
  const cudaHostNodeParams host_parameters{count_up, &calls};
  ASSERT_EQ(cudaGraphAddHostNode(&host, graph, &copy, 1, &host_parameters), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEmptyNode(&empty, graph, nullptr, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphAddDependencies(graph, &host, &empty, nullptr, 1), cudaSuccess);
  ASSERT_EQ(cudaGraphAddHostNode(&in_child, child, nullptr, 0, &host_parameters), cudaSuccess);
  ASSERT_EQ(cudaGraphAddChildGraphNode(&nested, graph, &empty, 1, child), cudaSuccess);
  cudaMemcpy3DParms line{};
  line.srcPtr = {words, 8, 8, 1};
  line.dstPtr = {words + 2, 8, 8, 1};
  line.extent = {8, 1, 1};
  line.kind = cudaMemcpyDefault;
  ASSERT_EQ(cudaGraphAddMemcpyNode(&box, graph, &nested, 1, &line), cudaSuccess);

  size_t count = 0;
  EXPECT_EQ(cudaGraphGetRootNodes(graph, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 6u);
  EXPECT_EQ(cudaGraphNodeGetDependencies(copy, nullptr, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cudaGraphNodeGetDependentNodes(box, nullptr, nullptr, &count), cudaSuccess);
  EXPECT_EQ(count, 0u);
  cudaGraphNodeType type{};
  EXPECT_EQ(cudaGraphNodeGetType(host, &type), cudaSuccess);
  EXPECT_EQ(type, cudaGraphNodeTypeHost);
  cudaGraph_t found = nullptr;
  EXPECT_EQ(cudaGraphChildGraphNodeGetGraph(nested, &found), cudaSuccess);
  cudaHostNodeParams read{};
  EXPECT_EQ(cudaGraphHostNodeGetParams(host, &read), cudaSuccess);
  EXPECT_EQ(read.userData, &calls);
  EXPECT_EQ(cudaGraphHostNodeSetParams(host, &host_parameters), cudaSuccess);
  EXPECT_EQ(cudaGraphKernelNodeSetParams(add, &kernel), cudaSuccess);
  ASSERT_EQ(cudaGraphClone(&clone, graph), cudaSuccess);
  cudaGraphNode_t same = nullptr;
  EXPECT_EQ(cudaGraphNodeFindInClone(&same, host, clone), cudaSuccess);

  const test_stream stream;
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiateWithFlags(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream.handle), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_EQ(calls, 2);
  EXPECT_THAT(std::vector(words, words + 3), ElementsAre(1, 1, 1));

  const cudaHostNodeParams others{count_up, &other_calls};
  one_ = 5;
  const cudaMemsetParams tens{words, 0, 10, 4, 1, 1};
  EXPECT_EQ(cudaGraphExecHostNodeSetParams(executable, host, &others), cudaSuccess);
  EXPECT_EQ(cudaGraphExecKernelNodeSetParams(executable, add, &kernel), cudaSuccess);
  EXPECT_EQ(cudaGraphExecMemcpyNodeSetParams1D(executable, copy, words + 3, words, 8,
                                               cudaMemcpyDefault),
            cudaSuccess);
  EXPECT_EQ(cudaGraphExecMemsetNodeSetParams(executable, clear, &tens), cudaSuccess);
  EXPECT_EQ(cudaGraphExecChildGraphNodeSetParams(executable, nested, child), cudaSuccess);
  EXPECT_EQ(cudaGraphNodeSetEnabled(executable, clear, 1), cudaSuccess);
  unsigned enabled = 0;
  EXPECT_EQ(cudaGraphNodeGetEnabled(executable, clear, &enabled), cudaSuccess);
  EXPECT_EQ(enabled, 1u);
  unsigned long long flags = 1;
  EXPECT_EQ(cudaGraphExecGetFlags(executable, &flags), cudaSuccess);
  EXPECT_EQ(flags, 0u);
  ASSERT_EQ(cudaGraphLaunch(executable, stream.handle), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_EQ(other_calls, 1);
  EXPECT_EQ(words[3], 15u);
  cudaGraphExecUpdateResultInfo info{};
  EXPECT_EQ(cudaGraphExecUpdate(executable, clone, &info), cudaSuccess);
  EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
  expect_error(cudaGraphExecUpdate(executable, clone, nullptr), cudaErrorInvalidValue);

  EXPECT_EQ(cudaGraphRemoveDependencies(graph, &host, &empty, nullptr, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroyNode(empty), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  for (const cudaGraph_t each : {graph, child, clone}) EXPECT_EQ(cudaGraphDestroy(each), cudaSuccess);
}

TEST_F(RuntimeLaunch, EventNodes) {
  cudaEvent_t first = nullptr, second = nullptr;
  ASSERT_EQ(cudaEventCreate(&first), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&second), cudaSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphNode_t wait = nullptr, record = nullptr;
  ASSERT_EQ(cudaGraphAddEventWaitNode(&wait, graph, nullptr, 0, first), cudaSuccess);
  ASSERT_EQ(cudaGraphAddEventRecordNode(&record, graph, &wait, 1, first), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphExecEventWaitNodeSetEvent(executable, wait, second), cudaSuccess);
  EXPECT_EQ(cudaGraphExecEventRecordNodeSetEvent(executable, record, second), cudaSuccess);
  const test_stream stream;
  EXPECT_EQ(cudaGraphLaunch(executable, stream.handle), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(second), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(first), cudaSuccess);
  EXPECT_EQ(cudaEventDestroy(second), cudaSuccess);
}

TEST_F(RuntimeLaunch, UserObjectsOfGraphs) {
  int destroyed = 0;
  cudaGraph_t graph = nullptr;
  cudaUserObject_t object = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  ASSERT_EQ(cudaUserObjectCreate(&object, &destroyed, count_up, 1,
                                 cudaUserObjectNoDestructorSync),
            cudaSuccess);
  EXPECT_EQ(cudaUserObjectRetain(object, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphRetainUserObject(graph, object, 1, 0), cudaSuccess);
  EXPECT_EQ(cudaGraphReleaseUserObject(graph, object, 1), cudaSuccess);
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaSuccess);
  EXPECT_EQ(cudaUserObjectRelease(object, 1), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

TEST_F(RuntimeLaunch, GraphArgumentsThatAreMissing) {
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  cudaGraphNode_t node = nullptr;
  const auto wrong = static_cast<cudaMemcpyKind>(9);
  cudaKernelNodeParams unknown{};
  unknown.func = &unknown_twin;
  cudaMemcpy3DParms bad_kind{};
  bad_kind.kind = wrong;
  expect_error(cudaGraphAddHostNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphHostNodeGetParams(node, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphHostNodeSetParams(node, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphExecHostNodeSetParams(nullptr, node, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphAddKernelNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &unknown),
               cudaErrorInvalidDeviceFunction);
  expect_error(cudaGraphKernelNodeSetParams(node, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphKernelNodeSetParams(node, &unknown), cudaErrorInvalidDeviceFunction);
  expect_error(cudaGraphExecKernelNodeSetParams(nullptr, node, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphExecKernelNodeSetParams(nullptr, node, &unknown),
               cudaErrorInvalidDeviceFunction);
  expect_error(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &bad_kind),
               cudaErrorInvalidMemcpyDirection);
  expect_error(cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, words_, words_, 8, wrong),
               cudaErrorInvalidMemcpyDirection);
  expect_error(cudaGraphExecMemcpyNodeSetParams1D(nullptr, node, words_, words_, 8, wrong),
               cudaErrorInvalidMemcpyDirection);
  expect_error(cudaGraphAddMemsetNode(&node, graph, nullptr, 0, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphExecMemsetNodeSetParams(nullptr, node, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphNodeGetType(node, nullptr), cudaErrorInvalidValue);
  expect_error(cudaGraphExecGetFlags(nullptr, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

#ifdef STREAMCTS_NVCC_PROGRAMS

/// Runs a program of nvcc's, linked `-cudart shared`, over the two libraries of the reference.
int run_program(const std::string& program) {
  const std::string command = "LD_LIBRARY_PATH='" STREAMCTS_REFERENCE_FOLDER "' timeout 60 '" +
                              program + "'";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(RuntimeProgram, LaunchSyntax) {
  EXPECT_EQ(run_program(STREAMCTS_NVCC_PROGRAMS "/launch_syntax"), 0);
}
TEST(RuntimeProgram, LaunchSyntaxWithPerThreadDefaultStreams) {
  EXPECT_EQ(run_program(STREAMCTS_NVCC_PROGRAMS "/launch_syntax_per_thread"), 0);
}

#endif

}  // namespace
}  // namespace streamcts::runtime
