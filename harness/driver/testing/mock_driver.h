// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gmock/gmock.h>

#include "harness/driver/functions.h"

namespace streamcts::driver::testing {

template <typename Entry>
struct signature_of;
template <typename Result, typename... Args>
struct signature_of<entry_point<Result (*)(Args...)>> {
  using type = Result(Args...);
};

/// A function table whose functions are mocks: `EXPECT_CALL(driver.cuStreamQuery, Call(stream))`.
/// An unexpected call fails the test. One at a time, since functions of a table have no state.
/// What is costly to compile is in mock_driver.cpp.
class mock_driver {
 public:
  mock_driver();
  ~mock_driver();
  mock_driver(const mock_driver&) = delete;
  mock_driver& operator=(const mock_driver&) = delete;

// Those that handles call.
#define STREAMCTS_MOCKED(MOCK)                                                                     \
  MOCK(cuInit)                                                                                     \
  MOCK(cuDeviceGet)                                                                                \
  MOCK(cuDeviceGetAttribute)                                                                       \
  MOCK(cuDevicePrimaryCtxRetain) MOCK(cuDevicePrimaryCtxRelease) MOCK(cuCtxCreate) MOCK(           \
      cuCtxCreate_v4) MOCK(cuCtxDestroy) MOCK(cuCtxSetCurrent) MOCK(cuCtxSynchronize)              \
      MOCK(cuCtxGetStreamPriorityRange) MOCK(cuStreamCreate) MOCK(                                 \
          cuStreamCreateWithPriority) MOCK(cuStreamDestroy) MOCK(cuStreamSynchronize)              \
          MOCK(cuStreamQuery) MOCK(cuStreamWaitEvent) MOCK(cuStreamAttachMemAsync) MOCK(           \
              cuEventCreate) MOCK(cuEventDestroy) MOCK(cuEventRecord) MOCK(cuEventRecordWithFlags) \
              MOCK(cuEventQuery) MOCK(cuEventSynchronize) MOCK(cuEventElapsedTime) MOCK(           \
                  cuEventElapsedTime_v2) MOCK(cuMemAlloc) MOCK(cuMemFree) MOCK(cuMemHostAlloc)     \
                  MOCK(cuMemFreeHost) MOCK(cuMemHostRegister) MOCK(cuMemHostUnregister) MOCK(      \
                      cuMemHostGetDevicePointer) MOCK(cuMemAllocManaged) MOCK(cuLibraryLoadData)   \
                      MOCK(cuLibraryUnload) MOCK(cuLibraryGetKernel) MOCK(cuModuleLoadData)        \
                          MOCK(cuModuleUnload) MOCK(cuModuleGetFunction) MOCK(cuLaunchKernel)      \
                              MOCK(cuGraphCreate) MOCK(cuGraphDestroy) MOCK(cuGraphClone) MOCK(    \
                                  cuGraphAddEmptyNode) MOCK(cuGraphAddHostNode)                    \
                                  MOCK(cuGraphAddMemsetNode) MOCK(cuGraphAddMemcpyNode) MOCK(      \
                                      cuGraphAddEventRecordNode) MOCK(cuGraphAddEventWaitNode)     \
                                      MOCK(cuGraphAddChildGraphNode) MOCK(cuGraphAddKernelNode)    \
                                          MOCK(cuGraphAddDependencies)                             \
                                              MOCK(cuGraphInstantiateWithFlags)                    \
                                                  MOCK(cuGraphExecDestroy) MOCK(cuGraphLaunch)     \
                                                      MOCK(cuGraphUpload) MOCK(cuGraphExecUpdate)  \
                                                          MOCK(cuGraphExecUpdate_v1)               \
                                                              MOCK(cuGraphExecHostNodeSetParams)   \
                                                                  MOCK(cuGraphNodeSetEnabled)

#define STREAMCTS_MOCK(name)                                                       \
  ::testing::StrictMock<                                                           \
      ::testing::MockFunction<signature_of<decltype(function_table::name)>::type>> \
      name;
  STREAMCTS_MOCKED(STREAMCTS_MOCK)
#undef STREAMCTS_MOCK

  static function_table table();

 private:
  static inline mock_driver* current_ = nullptr;
};

}  // namespace streamcts::driver::testing
