// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/graph.h"

#include <algorithm>
#include <set>

namespace streamcts::reference {

handle_table<graph, CUgraph>& graphs() {
  static auto& only = *new handle_table<graph, CUgraph>;
  return only;
}

handle_table<graph_node, CUgraphNode>& nodes() {
  static auto& only = *new handle_table<graph_node, CUgraphNode>;
  return only;
}

graph_ptr create_graph(driver_lock&) {
  auto g = std::make_shared<graph>();
  g->handle = graphs().insert(g);
  return g;
}

void destroy_graph(driver_lock& lock, graph& g) {
  for (const node_ptr& n : g.nodes) {
    nodes().erase(n->handle);
    if (const auto* c = std::get_if<child_operation>(&n->work)) destroy_graph(lock, *c->child);
  }
  g.nodes.clear();
  g.references.release_all(lock);
  graphs().erase(g.handle);
}

node_ptr add_node(driver_lock& lock, graph& g, operation work, std::vector<node_ptr> behind) {
  if (auto* c = std::get_if<child_operation>(&work)) {
    c->child = clone_graph(lock, *c->child);
    c->child->embedded = true;
  }
  auto n = std::make_shared<graph_node>();
  n->owner = g.shared_from_this();
  n->work = std::move(work);
  n->behind = std::move(behind);
  n->handle = nodes().insert(n);
  return g.nodes.emplace_back(n);
}

void destroy_node(driver_lock& lock, const node_ptr& node) {
  const graph_ptr g = node->owner.lock();
  std::erase(g->nodes, node);
  for (const node_ptr& n : g->nodes) std::erase(n->behind, node);
  if (const auto* c = std::get_if<child_operation>(&node->work)) destroy_graph(lock, *c->child);
  nodes().erase(node->handle);
}

graph_ptr clone_graph(driver_lock& lock, const graph& original) {
  const graph_ptr copy = create_graph(lock);
  std::map<node_ptr, node_ptr> copies;
  for (const node_ptr& n : original.nodes) {
    copies[n] = add_node(lock, *copy, n->work, {});
    copies[n]->copy_of = n->handle;
    copies[n]->priority = n->priority;
  }
  for (const node_ptr& n : original.nodes) {
    for (const node_ptr& before : n->behind) copies[n]->behind.push_back(copies[before]);
  }
  copy->references = original.references.retained(lock);
  return copy;
}

std::vector<node_ptr> in_order(const graph& g) {
  std::vector<node_ptr> ordered;
  std::set<node_ptr> placed;
  // Nodes nearly always come after what they depend on, so that one or two passes do.
  while (ordered.size() < g.nodes.size()) {
    const std::size_t before = ordered.size();
    for (const node_ptr& n : g.nodes) {
      const bool ready = !placed.contains(n) && std::ranges::all_of(n->behind, [&](const auto& b) {
        return placed.contains(b);
      });
      if (!ready) continue;
      placed.insert(n);
      ordered.push_back(n);
    }
    require(ordered.size() > before);
  }
  return ordered;
}

std::vector<node_ptr> nodes_of(driver_lock&, const graph& g, const CUgraphNode* handles,
                               std::size_t count) {
  require(count == 0 || handles != nullptr);
  std::vector<node_ptr> found;
  for (std::size_t i = 0; i < count; ++i) {
    found.push_back(nodes().get(handles[i], CUDA_ERROR_INVALID_VALUE));
    require(found.back()->owner.lock().get() == &g);
  }
  return found;
}

CUgraphNodeType type_of(const operation& o) {
  static constexpr CUgraphNodeType types[] = {
      CU_GRAPH_NODE_TYPE_EMPTY,        CU_GRAPH_NODE_TYPE_KERNEL,
      CU_GRAPH_NODE_TYPE_MEMCPY,       CU_GRAPH_NODE_TYPE_MEMSET,
      CU_GRAPH_NODE_TYPE_HOST,         CU_GRAPH_NODE_TYPE_BATCH_MEM_OP,
      CU_GRAPH_NODE_TYPE_EVENT_RECORD, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
      CU_GRAPH_NODE_TYPE_GRAPH,        CU_GRAPH_NODE_TYPE_MEM_ALLOC,
      CU_GRAPH_NODE_TYPE_MEM_FREE};
  static_assert(std::size(types) == std::variant_size_v<operation>);
  return types[o.index()];
}

}  // namespace streamcts::reference
