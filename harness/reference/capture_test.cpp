// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream capture.

#include <thread>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

class capture_test : public driver_test {
 protected:
  void SetUp() override {
    driver_test::SetUp();
    stream_ = make_stream(CU_STREAM_NON_BLOCKING);
  }
  void TearDown() override {
    if (graph_ != nullptr) {
      EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(graph_));
    }
    driver_test::TearDown();
  }
  void begin(CUstream s, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) {
    ASSERT_EQ(CUDA_SUCCESS, cuStreamBeginCapture_v2(s, mode));
  }
  CUstreamCaptureStatus status(CUstream s) {
    CUstreamCaptureStatus found{};
    EXPECT_EQ(CUDA_SUCCESS, cuStreamIsCapturing(s, &found));
    return found;
  }
  void expect_end(CUstream s, CUresult expected) {
    CUgraph g = reinterpret_cast<CUgraph>(1);
    EXPECT_EQ(expected, cuStreamEndCapture(s, &g));
    EXPECT_EQ(nullptr, g);
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(s));
  }

  CUstream stream_ = nullptr;
  CUgraph graph_ = nullptr;
};

TEST_F(capture_test, captured_work_runs_only_at_launch) {
  std::uint32_t* word = pinned();
  call_record record;
  begin(stream_);
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(stream_));
  launch(stream_, "streamcts_signal", word, 1u);
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(stream_, count_function, &record));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(word), 7, 1, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream_, &graph_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream_));
  EXPECT_EQ(0u, *word);
  CUgraphExec e = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&e, graph_, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream_));
  EXPECT_EQ(2, record.calls);
  EXPECT_EQ(7u, *word);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
}

TEST_F(capture_test, fork_and_join) {
  CUstream other = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent fork = make_event(), join = make_event();
  gate g(pinned(2));
  call_record record;
  begin(stream_);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(fork, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(other, fork, 0));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(other));
  launch(other, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(join, other));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(stream_, join, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(stream_, count_function, &record));
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, cuStreamEndCapture(other, &graph_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream_, &graph_));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(other));
  EXPECT_EQ(CUDA_ERROR_CAPTURED_EVENT, cuEventQuery(join));
  CUgraphExec e = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&e, graph_, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, stream_));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(0, record.calls);
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream_));
  EXPECT_EQ(1, record.calls);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
}

TEST_F(capture_test, unjoined_fork_yields_no_graph) {
  CUstream other = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent fork = make_event();
  call_record record;
  begin(stream_);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(fork, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(other, fork, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(other, count_function, &record));
  expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(other));
  EXPECT_EQ(0, record.calls);
}

TEST_F(capture_test, what_cannot_be_captured_invalidates) {
  call_record record;
  CUevent e = make_event(), outside = make_event();
  CUdeviceptr managed = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(outside, make_stream(CU_STREAM_NON_BLOCKING)));
  const auto attempt = [&](auto call, CUresult expected) {
    begin(stream_);
    EXPECT_EQ(CUDA_SUCCESS, cuEventRecord(e, stream_));
    EXPECT_EQ(expected, call());
    EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_INVALIDATED, status(stream_));
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
              cuLaunchHostFunc(stream_, count_function, &record));
    expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  };
  attempt([&] { return cuStreamAddCallback(stream_, count_callback, &record, 0); },
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  attempt([&] { return cuStreamAttachMemAsync(stream_, managed, 0, CU_MEM_ATTACH_HOST); },
          CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  attempt([&] { return cuStreamSynchronize(stream_); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  attempt([&] { return cuStreamQuery(stream_); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  attempt([&] { return cuCtxSynchronize(); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  attempt([&] { return cuEventQuery(e); }, CUDA_ERROR_CAPTURED_EVENT);
  attempt([&] { return cuEventSynchronize(e); }, CUDA_ERROR_CAPTURED_EVENT);
  attempt([&] { return cuStreamWaitEvent(stream_, outside, 0); },
          CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  attempt([&] { return cuStreamWaitEvent(nullptr, e, 0); }, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  CUdeviceptr p = 0;
  attempt([&] { return cuMemAlloc_v2(&p, 64); }, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(0, record.calls);
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(managed));
}

TEST_F(capture_test, legacy_stream_is_out_of_bounds) {
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
            cuStreamBeginCapture_v2(nullptr, CU_STREAM_CAPTURE_MODE_RELAXED));
  CUstream blocking = make_stream();
  call_record record;
  begin(stream_, CU_STREAM_CAPTURE_MODE_RELAXED);  // a non-blocking one disturbs nobody
  EXPECT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(nullptr, count_function, &record));
  begin(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
  CUstreamCaptureStatus found{};
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuStreamIsCapturing(nullptr, &found));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_ACTIVE, status(blocking));  // a query does no harm
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, cuLaunchHostFunc(nullptr, count_function, &record));
  expect_end(blocking, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream_, &graph_));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(1, record.calls);
}

TEST_F(capture_test, captures_cannot_be_merged) {
  CUstream other = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent e = make_event();
  begin(stream_);
  begin(other);
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuStreamBeginCapture(other));
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, other));
  EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_MERGE, cuStreamWaitEvent(stream_, e, 0));
  expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  expect_end(other, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CUgraph none = nullptr;
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_STATE, cuStreamEndCapture(other, &none));
}

TEST_F(capture_test, ends_in_its_thread_unless_relaxed) {
  begin(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL);
  std::thread([&] {
    ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
    CUgraph g = nullptr;
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, cuStreamEndCapture(stream_, &g));
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    EXPECT_EQ(CUDA_SUCCESS, cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(CU_STREAM_CAPTURE_MODE_GLOBAL, mode);
    CUdeviceptr p = 0;
    EXPECT_EQ(CUDA_SUCCESS, cuMemAlloc_v2(&p, 64));  // the thread says that it knows
    EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(p));
    EXPECT_EQ(CUDA_SUCCESS, cuThreadExchangeStreamCaptureMode(&mode));
    EXPECT_EQ(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, cuMemAlloc_v2(&p, 64));
  }).join();
  expect_end(stream_, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(stream_, CU_STREAM_CAPTURE_MODE_RELAXED);
  std::thread([&] { EXPECT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream_, &graph_)); }).join();
}

TEST_F(capture_test, dependencies_can_be_read_and_replaced) {
  call_record record;
  begin(stream_);
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(stream_, count_function, &record));
  CUstreamCaptureStatus found{};
  cuuint64_t id = 0, again = 0;
  CUgraph g = nullptr;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  size_t count = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamGetCaptureInfo_v3(stream_, &found, &id, &g, &nodes, &edges, &count));
  ASSERT_EQ(1u, count);
  CUgraphNode first = nodes[0];
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetCaptureInfo(stream_, &found, &again));
  EXPECT_EQ(id, again);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamUpdateCaptureDependencies(stream_, nullptr, 0,
                                                            CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(stream_, count_function, &record));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamUpdateCaptureDependencies_v2(
                              stream_, &first, nullptr, 1, CU_STREAM_ADD_CAPTURE_DEPENDENCIES));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamGetCaptureInfo_v2(stream_, &found, &id, &g, &nodes, &count));
  EXPECT_EQ(2u, count);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream_, &graph_));
  EXPECT_EQ(g, graph_);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphGetRootNodes(graph_, nullptr, &count));
  EXPECT_EQ(2u, count);
}

TEST_F(capture_test, into_a_graph_with_external_events_and_memory) {
  call_record record;
  CUevent before = make_event(), after = make_event();
  gate g(pinned(2));
  CUstream other = make_stream(CU_STREAM_NON_BLOCKING);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphCreate(&graph_, 0));
  ASSERT_EQ(CUDA_SUCCESS,
            cuStreamBeginCaptureToGraph(stream_, graph_, nullptr, nullptr, 0,
                                        CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CUdeviceptr p = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocAsync(&p, 4096, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32Async(p, 9, 1024, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuMemFreeAsync(p, stream_));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(stream_, before, CU_EVENT_WAIT_EXTERNAL));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(stream_, count_function, &record));
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecordWithFlags(after, stream_, CU_EVENT_RECORD_EXTERNAL));
  CUgraph same = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(stream_, &same));
  EXPECT_EQ(graph_, same);
  CUgraphExec e = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&e, graph_, 0));
  launch(other, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(before, other));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, stream_));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(after));
  EXPECT_EQ(0, record.calls);
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(after));
  EXPECT_EQ(1, record.calls);
  // A launch into a capture becomes a child graph.
  begin(other);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, other));
  CUgraph outer = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(other, &outer));
  CUgraphNode node = nullptr;
  size_t count = 1;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphGetNodes(outer, &node, &count));
  CUgraphNodeType type{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeGetType(node, &type));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_GRAPH, type);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(outer));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
}

TEST_F(capture_test, destroying_a_stream_ends_its_capture) {
  CUstream s = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  CUevent fork = make_event();
  begin(s);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(fork, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(stream_, fork, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamDestroy_v2(s));
  EXPECT_EQ(CU_STREAM_CAPTURE_STATUS_NONE, status(stream_));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(stream_));
}

}  // namespace
}  // namespace streamcts::reference::test
