// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <vector>

#include "harness/reference/runtime/launch_test_support.h"

namespace streamcts::runtime {
namespace {

using ::testing::ElementsAre;

void CUDART_CB count_up(void* to) {
  ++*static_cast<int*>(to);
}

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
  ASSERT_EQ(cudaGraphAddMemcpyNode1D(&copy, graph, &add, 1, words + 1, words, 8, cudaMemcpyDefault),
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
  EXPECT_EQ(
      cudaGraphExecMemcpyNodeSetParams1D(executable, copy, words + 3, words, 8, cudaMemcpyDefault),
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
  for (const cudaGraph_t each : {graph, child, clone})
    EXPECT_EQ(cudaGraphDestroy(each), cudaSuccess);
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
  ASSERT_EQ(cudaUserObjectCreate(&object, &destroyed, count_up, 1, cudaUserObjectNoDestructorSync),
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

}  // namespace
}  // namespace streamcts::runtime
