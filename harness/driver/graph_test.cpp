// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "harness/driver/testing/mock_driver.h"

namespace streamcts::driver {
namespace {

using ::testing::_;
using ::testing::DoAll;
using ::testing::EndsWith;
using ::testing::Return;
using ::testing::SetArgPointee;

const auto graph_handle = reinterpret_cast<CUgraph>(0x10);
const auto other_graph = reinterpret_cast<CUgraph>(0x11);
const auto exec_handle = reinterpret_cast<CUgraphExec>(0x20);
const auto node_a = reinterpret_cast<CUgraphNode>(0x30);
const auto node_b = reinterpret_cast<CUgraphNode>(0x31);
const auto new_node = reinterpret_cast<CUgraphNode>(0x32);
const auto context_handle = reinterpret_cast<CUcontext>(0x40);

class Graphs : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_CALL(driver_.cuGraphDestroy, Call(graph_handle)).WillOnce(Return(CUDA_SUCCESS));
    graph_ = std::make_unique<graph>(table_, graph_handle);
  }
  void TearDown() override { graph_.reset(); }

  testing::mock_driver driver_;
  const function_table table_ = testing::mock_driver::table();
  std::unique_ptr<graph> graph_;
};

TEST_F(Graphs, MakesAnEmptyOneAndClonesIt) {
  EXPECT_CALL(driver_.cuGraphCreate, Call(_, 0))
      .WillOnce(DoAll(SetArgPointee<0>(other_graph), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuGraphClone, Call(_, graph_handle))
      .WillOnce(DoAll(SetArgPointee<0>(other_graph), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuGraphDestroy, Call(other_graph))
      .Times(2)
      .WillRepeatedly(Return(CUDA_SUCCESS));
  EXPECT_EQ(graph(table_).get(), other_graph);
  EXPECT_EQ(graph_->clone().get(), other_graph);
}

TEST_F(Graphs, NodesWithDependencies) {
  EXPECT_CALL(driver_.cuGraphAddEmptyNode, Call(_, graph_handle, _, 0))
      .WillOnce(DoAll(SetArgPointee<0>(new_node), Return(CUDA_SUCCESS)));
  EXPECT_EQ(graph_->add_empty(), new_node);

  EXPECT_CALL(driver_.cuGraphAddEmptyNode, Call(_, graph_handle, _, 2))
      .Times(2)
      .WillRepeatedly([](CUgraphNode* node, CUgraph, const CUgraphNode* after, std::size_t) {
        EXPECT_EQ(after[0], node_a);
        EXPECT_EQ(after[1], node_b);
        *node = new_node;
        return CUDA_SUCCESS;
      });
  graph_->add_empty({node_a, node_b});
  const std::vector<CUgraphNode> both{node_a, node_b};
  graph_->add_empty(both);
}

TEST_F(Graphs, HostNode) {
  const CUhostFn function = [](void*) {};
  int data = 0;
  EXPECT_CALL(driver_.cuGraphAddHostNode, Call(_, graph_handle, _, 1, _))
      .WillOnce([&](CUgraphNode* node, CUgraph, const CUgraphNode* after, std::size_t,
                    const CUDA_HOST_NODE_PARAMS* parameters) {
        EXPECT_EQ(*after, node_a);
        EXPECT_EQ(parameters->fn, function);
        EXPECT_EQ(parameters->userData, &data);
        *node = new_node;
        return CUDA_SUCCESS;
      });
  EXPECT_EQ(graph_->add_host(function, &data, node_a), new_node);
}

TEST_F(Graphs, MemsetAndCopyNodes) {
  EXPECT_CALL(driver_.cuGraphAddMemsetNode, Call(_, graph_handle, _, 0, _, context_handle))
      .WillOnce([](auto, auto, auto, auto, const CUDA_MEMSET_NODE_PARAMS* p, auto) {
        EXPECT_EQ(p->dst, 0x1000u);
        EXPECT_EQ(p->value, 5u);
        EXPECT_EQ(p->elementSize, 4u);
        EXPECT_EQ(p->width, 16u);
        EXPECT_EQ(p->height, 1u);
        return CUDA_SUCCESS;
      });
  graph_->add_memset(0x1000, 5, 4, 16, context_handle);
  EXPECT_CALL(driver_.cuGraphAddMemcpyNode, Call(_, graph_handle, _, 0, _, context_handle))
      .WillOnce([](auto, auto, auto, auto, const CUDA_MEMCPY3D* p, auto) {
        EXPECT_EQ(p->srcDevice, 0x2000u);
        EXPECT_EQ(p->dstDevice, 0x1000u);
        EXPECT_EQ(p->srcMemoryType, CU_MEMORYTYPE_UNIFIED);
        EXPECT_EQ(p->dstMemoryType, CU_MEMORYTYPE_UNIFIED);
        EXPECT_EQ(p->WidthInBytes * p->Height * p->Depth, 64u);
        return CUDA_SUCCESS;
      });
  graph_->add_memcpy(0x1000, 0x2000, 64, context_handle);
}

TEST_F(Graphs, EventAndChildNodes) {
  const event e;
  EXPECT_CALL(driver_.cuGraphAddEventRecordNode, Call(_, graph_handle, _, 0, nullptr))
      .WillOnce(Return(CUDA_SUCCESS));
  graph_->add_event_record(e);
  EXPECT_CALL(driver_.cuGraphAddEventWaitNode, Call(_, graph_handle, _, 0, nullptr))
      .WillOnce(Return(CUDA_SUCCESS));
  graph_->add_event_wait(e);
  EXPECT_CALL(driver_.cuGraphAddChildGraphNode, Call(_, graph_handle, _, 0, graph_handle))
      .WillOnce(Return(CUDA_ERROR_INVALID_VALUE));
  EXPECT_THROW(graph_->add_child(*graph_), call_error);
  EXPECT_CALL(driver_.cuGraphAddDependencies, Call(graph_handle, _, _, 1))
      .WillOnce([](auto, const CUgraphNode* from, const CUgraphNode* to, auto) {
        EXPECT_EQ(*from, node_a);
        EXPECT_EQ(*to, node_b);
        return CUDA_SUCCESS;
      });
  graph_->add_dependency(node_a, node_b);
}

TEST_F(Graphs, KernelNode) {
  kernel k;
  k.library_kernel = reinterpret_cast<CUkernel>(0x77);
  EXPECT_CALL(driver_.cuGraphAddKernelNode, Call(_, graph_handle, _, 0, _))
      .WillOnce([&](auto, auto, auto, auto, const CUDA_KERNEL_NODE_PARAMS* p) {
        EXPECT_EQ(p->func, nullptr);
        EXPECT_EQ(p->kern, k.library_kernel);
        EXPECT_EQ(p->gridDimX, 2u);
        EXPECT_EQ(p->blockDimX, 32u);
        EXPECT_EQ(*static_cast<int*>(p->kernelParams[0]), 5);
        return CUDA_SUCCESS;
      })
      .WillOnce(Return(CUDA_ERROR_INVALID_VALUE));
  graph_->add_kernel(k, {2, 32}, {}, 5);
  const int line = __LINE__ + 2;
  try {
    graph_->add_kernel(k, {2, 32}, {}, 5);
    FAIL() << "added";
  } catch (const call_error& error) {
    EXPECT_EQ(static_cast<int>(error.site.line()), line);
    EXPECT_THAT(error.site.file_name(), EndsWith("graph_test.cpp"));
  }
}

class GraphExecs : public Graphs {
 protected:
  void SetUp() override {
    Graphs::SetUp();
    EXPECT_CALL(driver_.cuGraphInstantiateWithFlags, Call(_, graph_handle, 8))
        .WillOnce(DoAll(SetArgPointee<0>(exec_handle), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuGraphExecDestroy, Call(exec_handle)).WillOnce(Return(CUDA_SUCCESS));
    exec_ = std::make_unique<graph_exec>(*graph_, 8);
  }
  void TearDown() override {
    exec_.reset();
    Graphs::TearDown();
  }
  std::unique_ptr<graph_exec> exec_;
};

TEST_F(GraphExecs, LaunchAndUpload) {
  const auto s = reinterpret_cast<CUstream>(0x50);
  EXPECT_CALL(driver_.cuGraphLaunch, Call(exec_handle, s)).WillOnce(Return(CUDA_SUCCESS));
  exec_->launch(s);
  EXPECT_CALL(driver_.cuGraphUpload, Call(exec_handle, s)).WillOnce(Return(CUDA_SUCCESS));
  exec_->upload(s);
}

TEST_F(GraphExecs, UpdateReturnsTheReason) {
  EXPECT_CALL(driver_.cuGraphExecUpdate, Call(exec_handle, graph_handle, _))
      .WillOnce([](auto, auto, CUgraphExecUpdateResultInfo* info) {
        info->result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
        return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
      });
  const auto result = exec_->update(*graph_);
  EXPECT_EQ(result.code, CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(result.reason, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
}

TEST_F(Graphs, UpdateByTheOlderCall) {
  function_table older = table_;
  older.cuGraphExecUpdate = nullptr;
  EXPECT_CALL(driver_.cuGraphInstantiateWithFlags, Call(_, graph_handle, 0))
      .WillOnce(DoAll(SetArgPointee<0>(exec_handle), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuGraphExecDestroy, Call(exec_handle)).WillOnce(Return(CUDA_SUCCESS));
  graph source(older, graph_->get());
  const graph_exec exec(source);
  EXPECT_CALL(driver_.cuGraphExecUpdate_v1, Call(exec_handle, graph_handle, _, _))
      .WillOnce(DoAll(SetArgPointee<3>(CU_GRAPH_EXEC_UPDATE_SUCCESS), Return(CUDA_SUCCESS)));
  EXPECT_EQ(exec.update(source).code, CUDA_SUCCESS);
  source.release();
}

TEST_F(GraphExecs, NodesOfAnExecutableGraph) {
  const CUhostFn function = [](void*) {};
  EXPECT_CALL(driver_.cuGraphExecHostNodeSetParams, Call(exec_handle, node_a, _))
      .WillOnce([&](auto, auto, const CUDA_HOST_NODE_PARAMS* parameters) {
        EXPECT_EQ(parameters->fn, function);
        return CUDA_SUCCESS;
      });
  exec_->set_host_node(node_a, function, nullptr);
  EXPECT_CALL(driver_.cuGraphNodeSetEnabled, Call(exec_handle, node_a, 0))
      .WillOnce(Return(CUDA_SUCCESS));
  exec_->set_enabled(node_a, false);
}

}  // namespace
}  // namespace streamcts::driver
