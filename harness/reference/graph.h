// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <vector>

#include "harness/reference/operations.h"
#include "harness/reference/user_object.h"

namespace streamcts::reference {

struct graph;

/// A node of a graph: an operation, and the nodes that it is behind.
struct graph_node {
  CUgraphNode handle = nullptr;
  std::weak_ptr<graph> owner;
  operation work;
  std::vector<std::shared_ptr<graph_node>> behind;
  CUgraphNode copy_of = nullptr;  ///< in a clone, the node of the original
  int priority = 0;
};
using node_ptr = std::shared_ptr<graph_node>;

/// A graph: a description, which is not executed itself. Guarded by the driver lock.
struct graph : std::enable_shared_from_this<graph> {
  CUgraph handle = nullptr;
  std::vector<node_ptr> nodes;  ///< in the order in which they were added
  object_references references;
  bool embedded = false;  ///< belongs to a child graph node
};
using graph_ptr = std::shared_ptr<graph>;

handle_table<graph, CUgraph>& graphs();
handle_table<graph_node, CUgraphNode>& nodes();

graph_ptr create_graph(driver_lock&);
/// Destroys the handles of the graph and its nodes and drops its references to user objects.
void destroy_graph(driver_lock&, graph& g);

/// Adds a node behind others of the same graph. A child graph in @p work is copied (GR-HOST-007).
node_ptr add_node(driver_lock&, graph& g, operation work, std::vector<node_ptr> behind);
void destroy_node(driver_lock&, const node_ptr& node);

/// A copy with nodes of its own, in the same order, child graphs included.
graph_ptr clone_graph(driver_lock&, const graph& original);

/// The nodes, each behind those that it depends on. Refuses a cycle with INVALID_VALUE.
std::vector<node_ptr> in_order(const graph& g);

/// The nodes that handles denote. Refuses with INVALID_VALUE unless all are of @p g.
std::vector<node_ptr> nodes_of(driver_lock&, const graph& g, const CUgraphNode* handles,
                               std::size_t count);

CUgraphNodeType type_of(const operation& o);

}  // namespace streamcts::reference
