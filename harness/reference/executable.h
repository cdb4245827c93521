// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/reference/graph.h"

namespace streamcts::reference {

/// An executable graph: the operations of a graph as they were when it was instantiated, or last
/// updated. Launches already made keep theirs (GR-HOST-006). Guarded by the driver lock.
struct executable {
  struct node {
    operation work;
    CUgraphNode origin = nullptr;     ///< the node that it was made of
    std::vector<std::size_t> behind;  ///< places in `nodes`, all smaller than its own
    bool enabled = true;
    std::shared_ptr<executable> child;  ///< for a child graph node
  };

  CUgraphExec handle = nullptr;
  unsigned long long flags = 0;
  std::vector<node> nodes;
  object_references references;
  item_ptr last_launch;  ///< the end of the newest launch
  unsigned in_flight = 0;
  bool destroyed = false;
};
using executable_ptr = std::shared_ptr<executable>;

handle_table<executable, CUgraphExec>& executables();

/// Why a graph could not be instantiated or an executable not be updated.
struct graph_trouble {
  CUgraphNode node = nullptr;
  CUgraphInstantiateResult instantiation = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  CUgraphExecUpdateResult update = CU_GRAPH_EXEC_UPDATE_SUCCESS;
};

/// Refuses a cycle, and what @p flags exclude; the reason is in @p trouble.
executable_ptr instantiate(driver_lock&, const graph& g, unsigned long long flags,
                           graph_trouble& trouble);

/// Drops the handle. References to user objects stay until the last launch has ended (UO-002).
void destroy_executable(driver_lock&, const executable_ptr& e);

/// Takes the operations of @p g, which must have the same shape; else GRAPH_EXEC_UPDATE_FAILURE.
void update(driver_lock&, executable& e, const graph& g, graph_trouble& trouble);

/// The node made of @p origin. Refuses with INVALID_VALUE.
executable::node& node_of(executable& e, CUgraphNode origin);

/// Enqueues a launch: behind earlier work of the stream and behind the previous launch
/// (GR-LAUNCH-001, -002).
void launch(driver_lock&, stream& s, const executable_ptr& e);

/// A graph with the nodes of @p e, to capture a launch as a child graph.
graph_ptr as_graph(driver_lock&, const executable& e);

}  // namespace streamcts::reference
