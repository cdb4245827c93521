// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs built by hand.

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

class graph_test : public driver_test {
 protected:
  void SetUp() override {
    driver_test::SetUp();
    ASSERT_EQ(CUDA_SUCCESS, cuGraphCreate(&graph_, 0));
  }
  void TearDown() override {
    if (graph_ != nullptr) {
      EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(graph_));
    }
    driver_test::TearDown();
  }
  static std::uint32_t look(const std::uint32_t* word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
  }
  CUgraphNode add_kernel(CUgraph g, std::vector<CUgraphNode> behind, const char* name,
                         std::vector<void*> parameters) {
    CUDA_KERNEL_NODE_PARAMS_v2 p{};
    p.func = kernel(name);
    p.gridDimX = p.gridDimY = p.gridDimZ = p.blockDimX = p.blockDimY = p.blockDimZ = 1;
    p.kernelParams = parameters.data();
    CUgraphNode n = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuGraphAddKernelNode_v2(&n, g, behind.data(), behind.size(), &p));
    return n;
  }
  CUgraphNode add_gate(CUgraph g, std::vector<CUgraphNode> behind, const gate& gate) {
    std::uint32_t *word = gate.word(), *begun = gate.begun_word(), token = 1;
    std::uint64_t limit = gate_limit_ns;
    return add_kernel(g, behind, "streamcts_gate", {&word, &begun, &token, &limit});
  }
  CUgraphNode add_signal(CUgraph g, std::vector<CUgraphNode> behind, std::uint32_t* word,
                         std::uint32_t value = 1) {
    return add_kernel(g, behind, "streamcts_signal", {&word, &value});
  }
  CUgraphNode add_host(CUgraph g, std::vector<CUgraphNode> behind, call_record* record) {
    CUDA_HOST_NODE_PARAMS_v1 p{count_function, record};
    CUgraphNode n = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuGraphAddHostNode(&n, g, behind.data(), behind.size(), &p));
    return n;
  }
  CUgraphExec instantiate(CUgraph g) {
    CUgraphExec e = nullptr;
    EXPECT_EQ(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&e, g, 0));
    return e;
  }

  CUgraph graph_ = nullptr;
};

TEST_F(graph_test, diamond_runs_in_order_and_once_per_launch) {
  gate g(pinned(2));
  call_record left, right, last;
  std::uint32_t* after = pinned();
  CUgraphNode root = add_gate(graph_, {}, g);
  CUgraphNode a = add_host(graph_, {root}, &left), b = add_host(graph_, {root}, &right);
  add_host(graph_, {a, b}, &last);
  CUgraphExec e = instantiate(graph_);
  CUstream s = make_stream();
  for (int round = 1; round <= 3; ++round) {
    gate again(g.word());
    ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
    launch(s, "streamcts_signal", after, static_cast<std::uint32_t>(round));
    EXPECT_TRUE(eventually([&] { return again.begun(); }));
    EXPECT_EQ(round - 1, left.calls);
    EXPECT_EQ(round - 1, right.calls);
    EXPECT_EQ(static_cast<std::uint32_t>(round - 1), look(after));
    again.open();
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
    EXPECT_EQ(round, last.calls);
    EXPECT_EQ(static_cast<std::uint32_t>(round), look(after));
  }
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
}

TEST_F(graph_test, launches_of_one_executable_do_not_overlap) {
  gate g(pinned(2));
  call_record record;
  add_host(graph_, {add_gate(graph_, {}, g)}, &record);
  CUgraphExec e = instantiate(graph_);
  CUstream a = make_stream(CU_STREAM_NON_BLOCKING), b = make_stream(CU_STREAM_NON_BLOCKING);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, a));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch_ptsz(e, b));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  // Destroyed in flight, with its graph: both launches go on (LT-GRAPH-001).
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(graph_));
  graph_ = nullptr;
  EXPECT_EQ(0, record.calls);
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(b));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b));
  EXPECT_EQ(2, record.calls);
}

TEST_F(graph_test, updates_concern_later_launches) {
  call_record first, second;
  gate g(pinned(2));
  CUgraphNode held = add_gate(graph_, {}, g), host = add_host(graph_, {held}, &first);
  CUgraphExec e = instantiate(graph_);
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
  CUDA_HOST_NODE_PARAMS_v1 p{count_function, &second};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecHostNodeSetParams(e, host, &p));
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1, first.calls);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1, first.calls);
  EXPECT_EQ(1, second.calls);

  // A change of the graph comes in by an update of the executable.
  CUDA_HOST_NODE_PARAMS_v1 read{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphHostNodeGetParams(host, &read));
  EXPECT_EQ(&first, read.userData);
  CUgraphExecUpdateResultInfo info{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecUpdate_v2(e, graph_, &info));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_SUCCESS, info.result);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(2, first.calls);
  add_host(graph_, {}, &first);
  EXPECT_EQ(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, cuGraphExecUpdate_v2(e, graph_, &info));
  EXPECT_EQ(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, info.result);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
}

TEST_F(graph_test, disabled_node_keeps_its_edges) {
  gate g(pinned(2));
  call_record record;
  std::uint32_t* skipped = pinned();
  CUgraphNode held = add_gate(graph_, {}, g), middle = add_signal(graph_, {held}, skipped);
  add_host(graph_, {middle}, &record);
  CUgraphExec e = instantiate(graph_);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeSetEnabled(e, middle, 0));
  unsigned enabled = 1;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeGetEnabled(e, middle, &enabled));
  EXPECT_EQ(0u, enabled);
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(0, record.calls);
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1, record.calls);
  EXPECT_EQ(0u, look(skipped));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
}

TEST_F(graph_test, child_graphs_and_clones_have_copies) {
  call_record record;
  CUgraph child = nullptr, clone = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphCreate(&child, 0));
  CUgraphNode inner = add_host(child, {}, &record);
  gate g(pinned(2));
  CUgraphNode held = add_gate(graph_, {}, g), outer = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddChildGraphNode(&outer, graph_, &held, 1, child));
  std::uint32_t* after = pinned();
  add_signal(graph_, {outer}, after);
  CUDA_HOST_NODE_PARAMS_v1 nothing{count_function, nullptr};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphHostNodeSetParams(inner, &nothing));  // not that of the copy
  CUgraph embedded = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphChildGraphNodeGetGraph(outer, &embedded));
  EXPECT_NE(child, embedded);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphDestroy(embedded));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(child));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphClone(&clone, graph_));
  CUgraphNode found = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeFindInClone(&found, held, clone));
  EXPECT_NE(held, found);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphNodeFindInClone(&found, inner, clone));
  CUgraphExec e = instantiate(clone);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(clone));
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(e, s));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(0, record.calls);
  EXPECT_EQ(0u, look(after));
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1, record.calls);
  EXPECT_EQ(1u, look(after));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
}

TEST_F(graph_test, event_nodes_order_across_streams) {
  gate g(pinned(2));
  std::uint32_t* after = pinned();
  CUevent e = make_event();
  CUgraphNode held = add_gate(graph_, {}, g), record = nullptr, wait = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddEventRecordNode(&record, graph_, &held, 1, e));
  CUgraph waiting = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphCreate(&waiting, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddEventWaitNode(&wait, waiting, nullptr, 0, e));
  add_signal(waiting, {wait}, after);
  CUgraphExec first = instantiate(graph_), second = instantiate(waiting);
  CUstream a = make_stream(CU_STREAM_NON_BLOCKING), b = make_stream(CU_STREAM_NON_BLOCKING);
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(first, a));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(second, b));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(e));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(0u, look(after));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(e));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b));
  EXPECT_EQ(1u, look(after));
  CUevent read = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphEventRecordNodeGetEvent(record, &read));
  EXPECT_EQ(e, read);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphEventWaitNodeGetEvent(wait, &read));
  EXPECT_EQ(e, read);
  CUevent other = make_event();
  EXPECT_EQ(CUDA_SUCCESS, cuGraphEventRecordNodeSetEvent(record, other));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphEventWaitNodeSetEvent(wait, other));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecEventRecordNodeSetEvent(first, record, other));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecEventWaitNodeSetEvent(second, wait, other));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(waiting));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(first));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(second));
}

TEST_F(graph_test, edges_and_nodes_can_be_listed_and_changed) {
  call_record record;
  CUgraphNode a = add_host(graph_, {}, &record), b = add_host(graph_, {a}, &record), c = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuGraphAddEmptyNode(&c, graph_, nullptr, 0));
  size_t count = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphGetNodes(graph_, nullptr, &count));
  EXPECT_EQ(3u, count);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphGetRootNodes(graph_, nullptr, &count));
  EXPECT_EQ(2u, count);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphAddDependencies_v2(graph_, &b, &c, nullptr, 1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph_, &b, &c, 1));
  CUgraphNode from[4], to[4];
  CUgraphEdgeData data[4];
  count = 4;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphGetEdges_v2(graph_, from, to, data, &count));
  ASSERT_EQ(2u, count);
  EXPECT_EQ(a, from[0]);
  EXPECT_EQ(b, to[0]);
  EXPECT_EQ(nullptr, from[3]);
  count = 4;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphGetEdges(graph_, from, to, &count));
  for (auto dependencies : {cuGraphNodeGetDependencies, cuGraphNodeGetDependentNodes}) {
    count = 4;
    EXPECT_EQ(CUDA_SUCCESS, dependencies(b, from, &count));
    EXPECT_EQ(1u, count);
  }
  count = 4;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeGetDependencies_v2(b, from, data, &count));
  EXPECT_EQ(a, from[0]);
  count = 4;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeGetDependentNodes_v2(b, from, data, &count));
  EXPECT_EQ(c, from[0]);
  CUgraphNodeType type{};
  EXPECT_EQ(CUDA_SUCCESS, cuGraphNodeGetType(c, &type));
  EXPECT_EQ(CU_GRAPH_NODE_TYPE_EMPTY, type);

  EXPECT_EQ(CUDA_SUCCESS, cuGraphAddDependencies(graph_, &c, &a, 1));  // a cycle
  CUgraphExec e = nullptr;
  CUgraphNode trouble = nullptr;
  char log[8];
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiate_v2(&e, graph_, &trouble, log, sizeof log));
  CUDA_GRAPH_INSTANTIATE_PARAMS p{};
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphInstantiateWithParams(&e, graph_, &p));
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE, p.result_out);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphRemoveDependencies_v2(graph_, &c, &a, nullptr, 1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphRemoveDependencies(graph_, &c, &a, 1));
  p.flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuGraphInstantiateWithParams_ptsz(&e, graph_, &p));
  EXPECT_EQ(CUDA_GRAPH_INSTANTIATE_NODE_OPERATION_NOT_SUPPORTED, p.result_out);
  EXPECT_EQ(a, p.hErrNode_out);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroyNode(b));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphDestroyNode(b));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphInstantiate(&e, graph_, nullptr, nullptr, 0));
  cuuint64_t flags = 1;
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecGetFlags(e, &flags));
  EXPECT_EQ(0u, flags);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphUpload(e, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(e));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGraphLaunch(e, nullptr));
}

}  // namespace
}  // namespace streamcts::reference::test
