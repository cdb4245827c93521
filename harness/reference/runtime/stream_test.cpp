// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams, host calls, events, capture.

#include <gmock/gmock.h>

#include <thread>
#include <vector>

#include "harness/reference/runtime/test_support.h"

STREAMCTS_PER_THREAD(cudaStreamQuery, _ptsz);
STREAMCTS_PER_THREAD(cudaStreamSynchronize, _ptsz);
STREAMCTS_PER_THREAD(cudaLaunchHostFunc, _ptsz);
STREAMCTS_PER_THREAD(cudaStreamGetId, _ptsz);

namespace streamcts::runtime {
namespace {

using ::testing::ElementsAre;

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
