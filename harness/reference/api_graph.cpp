// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs: creation, copies, edges.

#include "harness/reference/graph.h"

#include <algorithm>

#include "harness/reference/entry.h"

using namespace streamcts::reference;

namespace {

graph_ptr graph_of(CUgraph handle) { return graphs().get(handle, CUDA_ERROR_INVALID_VALUE); }
node_ptr node_of(CUgraphNode handle) { return nodes().get(handle, CUDA_ERROR_INVALID_VALUE); }

// The convention of all listing calls: without an array, *count becomes the number there are; with
// one, at most *count entries are written, the rest filled with null, and *count becomes the number
// written.
CUresult list(const std::vector<node_ptr>& found, CUgraphNode* out, size_t* count) {
  require(count != nullptr);
  if (out != nullptr) {
    for (size_t i = 0; i < *count; ++i) out[i] = i < found.size() ? found[i]->handle : nullptr;
  }
  *count = out == nullptr ? found.size() : std::min(*count, found.size());
  return CUDA_SUCCESS;
}

void clear(CUgraphEdgeData* edges, const size_t* count) {
  if (edges != nullptr && count != nullptr) std::fill_n(edges, *count, CUgraphEdgeData{});
}

CUresult list_edges(CUgraph handle, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                    size_t* count) {
  require(count != nullptr && (from == nullptr) == (to == nullptr));
  driver_lock lock;
  std::vector<node_ptr> sources, targets;
  for (const node_ptr& n : graph_of(handle)->nodes) {
    for (const node_ptr& before : n->behind) {
      sources.push_back(before);
      targets.push_back(n);
    }
  }
  if (from != nullptr) clear(data, count);
  size_t same = *count;
  list(sources, from, &same);
  return list(targets, to, count);
}

CUresult list_before(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, size_t* count) {
  driver_lock lock;
  if (out != nullptr) clear(data, count);
  return list(node_of(handle)->behind, out, count);
}

CUresult list_after(CUgraphNode handle, CUgraphNode* out, CUgraphEdgeData* data, size_t* count) {
  driver_lock lock;
  const node_ptr n = node_of(handle);
  std::vector<node_ptr> after;
  for (const node_ptr& other : n->owner.lock()->nodes) {
    if (std::ranges::find(other->behind, n) != other->behind.end()) after.push_back(other);
  }
  if (out != nullptr) clear(data, count);
  return list(after, out, count);
}

CUresult add_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, size_t count) {
  driver_lock lock;
  const graph_ptr g = graph_of(handle);
  const auto sources = nodes_of(lock, *g, from, count), targets = nodes_of(lock, *g, to, count);
  for (size_t i = 0; i < count; ++i) {
    std::vector<node_ptr>& behind = targets[i]->behind;
    require(sources[i] != targets[i] &&
            std::ranges::find(behind, sources[i]) == behind.end());
    behind.push_back(sources[i]);
  }
  return CUDA_SUCCESS;
}

CUresult remove_edges(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to,
                      size_t count) {
  driver_lock lock;
  const graph_ptr g = graph_of(handle);
  const auto sources = nodes_of(lock, *g, from, count), targets = nodes_of(lock, *g, to, count);
  for (size_t i = 0; i < count; ++i) {
    require(std::erase(targets[i]->behind, sources[i]) > 0);
  }
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_ENTRY(cuGraphCreate, (CUgraph * out, unsigned flags), (out, flags)) {
  require(out != nullptr && flags == 0);
  driver_lock lock;
  *out = create_graph(lock)->handle;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphDestroy, (CUgraph handle), (handle)) {
  driver_lock lock;
  const graph_ptr g = graph_of(handle);
  require(!g->embedded);
  destroy_graph(lock, *g);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphClone, (CUgraph * out, CUgraph original), (out, original)) {
  require(out != nullptr);
  driver_lock lock;
  *out = clone_graph(lock, *graph_of(original))->handle;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphNodeFindInClone, (CUgraphNode * out, CUgraphNode original, CUgraph clone),
                (out, original, clone)) {
  require(out != nullptr);
  driver_lock lock;
  for (const node_ptr& n : graph_of(clone)->nodes) {
    if (n->copy_of != original) continue;
    *out = n->handle;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

STREAMCTS_ENTRY(cuGraphDestroyNode, (CUgraphNode handle), (handle)) {
  driver_lock lock;
  destroy_node(lock, node_of(handle));
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphNodeGetType, (CUgraphNode handle, CUgraphNodeType* type), (handle, type)) {
  require(type != nullptr);
  driver_lock lock;
  *type = type_of(node_of(handle)->work);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphGetNodes, (CUgraph handle, CUgraphNode* out, size_t* count),
                (handle, out, count)) {
  driver_lock lock;
  return list(graph_of(handle)->nodes, out, count);
}

STREAMCTS_ENTRY(cuGraphGetRootNodes, (CUgraph handle, CUgraphNode* out, size_t* count),
                (handle, out, count)) {
  driver_lock lock;
  std::vector<node_ptr> roots = graph_of(handle)->nodes;
  std::erase_if(roots, [](const node_ptr& n) { return !n->behind.empty(); });
  return list(roots, out, count);
}

STREAMCTS_ENTRY(cuGraphGetEdges, (CUgraph g, CUgraphNode* from, CUgraphNode* to, size_t* count),
                (g, from, to, count)) {
  return list_edges(g, from, to, nullptr, count);
}
STREAMCTS_ENTRY(cuGraphGetEdges_v2,
                (CUgraph g, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data,
                 size_t* count),
                (g, from, to, data, count)) {
  return list_edges(g, from, to, data, count);
}
STREAMCTS_ENTRY(cuGraphNodeGetDependencies, (CUgraphNode n, CUgraphNode* out, size_t* count),
                (n, out, count)) {
  return list_before(n, out, nullptr, count);
}
STREAMCTS_ENTRY(cuGraphNodeGetDependencies_v2,
                (CUgraphNode n, CUgraphNode* out, CUgraphEdgeData* data, size_t* count),
                (n, out, data, count)) {
  return list_before(n, out, data, count);
}
STREAMCTS_ENTRY(cuGraphNodeGetDependentNodes, (CUgraphNode n, CUgraphNode* out, size_t* count),
                (n, out, count)) {
  return list_after(n, out, nullptr, count);
}
STREAMCTS_ENTRY(cuGraphNodeGetDependentNodes_v2,
                (CUgraphNode n, CUgraphNode* out, CUgraphEdgeData* data, size_t* count),
                (n, out, data, count)) {
  return list_after(n, out, data, count);
}
STREAMCTS_ENTRY(cuGraphAddDependencies,
                (CUgraph g, const CUgraphNode* from, const CUgraphNode* to, size_t count),
                (g, from, to, count)) {
  return add_edges(g, from, to, count);
}
STREAMCTS_ENTRY(cuGraphAddDependencies_v2,
                (CUgraph g, const CUgraphNode* from, const CUgraphNode* to,
                 [[maybe_unused]] const CUgraphEdgeData* data, size_t count),
                (g, from, to, data, count)) {
  return add_edges(g, from, to, count);
}
STREAMCTS_ENTRY(cuGraphRemoveDependencies,
                (CUgraph g, const CUgraphNode* from, const CUgraphNode* to, size_t count),
                (g, from, to, count)) {
  return remove_edges(g, from, to, count);
}
STREAMCTS_ENTRY(cuGraphRemoveDependencies_v2,
                (CUgraph g, const CUgraphNode* from, const CUgraphNode* to,
                 [[maybe_unused]] const CUgraphEdgeData* data, size_t count),
                (g, from, to, data, count)) {
  return remove_edges(g, from, to, count);
}
