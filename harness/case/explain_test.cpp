// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/explain.h"

#include <gtest/gtest.h>

namespace streamcts {
namespace {

constexpr clause_id promise{"CB-ORDER-001"};

TEST(OperationGraph, FindsTheShortestChain) {
  operation_graph graph;
  const operation kernel = graph.add("kernel");
  const operation record = graph.add("record");
  const operation detour = graph.add("detour");
  const operation wait = graph.add("wait");
  const operation callback = graph.add("callback");
  graph.order(kernel, record, "ST-ORDER-001");
  graph.order(record, detour, "ST-ORDER-001");
  graph.order(detour, wait, "ST-ORDER-001");
  graph.order(record, wait, "EV-WAIT-001");
  graph.order(wait, callback, "ST-ORDER-001");
  const auto edges = graph.chain(kernel, callback, promise);
  ASSERT_EQ(edges.size(), 3u);
  EXPECT_EQ(edges[0].from, "kernel");
  EXPECT_EQ(edges[1].clause, "EV-WAIT-001");
  EXPECT_EQ(edges[2].to, "callback");
  EXPECT_EQ(edges[2].clause, "CB-ORDER-001");
  EXPECT_TRUE(edges[2].broken);
  EXPECT_FALSE(edges[0].broken);
}

TEST(OperationGraph, ShowsTheBrokenEdgeAloneWhereThereIsNoChain) {
  operation_graph graph;
  const operation a = graph.add("a");
  const operation b = graph.add("b");
  const auto edges = graph.chain(a, b, promise);
  ASSERT_EQ(edges.size(), 1u);
  EXPECT_EQ(edges[0].from, "a");
  EXPECT_EQ(edges[0].to, "b");
  EXPECT_TRUE(edges[0].broken);
}

TEST(OperationGraph, BeginsAnewAfterClear) {
  operation_graph graph;
  graph.add("a");
  graph.clear();
  EXPECT_EQ(graph.size(), 0u);
}

}  // namespace
}  // namespace streamcts
