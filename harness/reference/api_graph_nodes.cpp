// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Adding nodes to graphs.

#include "harness/reference/entry.h"
#include "harness/reference/node_parameters.h"

using namespace streamcts::reference;

namespace {

// The place of a new node: the first arguments of every adding call.
struct place_in_graph {
  CUgraphNode* out;
  CUgraph graph;
  const CUgraphNode* behind;
  size_t count;
};

CUresult add(const place_in_graph& at, CUgraphNodeParams& parameters) {
  require(at.out != nullptr);
  driver_lock lock;
  const graph_ptr g = graphs().get(at.graph, CUDA_ERROR_INVALID_VALUE);
  std::vector<node_ptr> behind = nodes_of(lock, *g, at.behind, at.count);
  *at.out = add_node(lock, *g, make_operation(lock, parameters), std::move(behind))->handle;
  return CUDA_SUCCESS;
}

CUresult add(const place_in_graph& at, CUgraphNodeParams&& parameters) {
  return add(at, parameters);
}

CUgraphNodeParams node_of_type(CUgraphNodeType type) {
  CUgraphNodeParams n{};
  n.type = type;
  return n;
}

template <typename T>
const T& given(const T* p) {
  require(p != nullptr);
  return *p;
}

}  // namespace

STREAMCTS_ENTRY(cuGraphAddNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 CUgraphNodeParams* p),
                (out, g, behind, count, p)) {
  require(p != nullptr);
  return add({out, g, behind, count}, *p);
}

STREAMCTS_ENTRY(cuGraphAddNode_v2,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind,
                 [[maybe_unused]] const CUgraphEdgeData* edges, size_t count,
                 CUgraphNodeParams* p),
                (out, g, behind, edges, count, p)) {
  require(p != nullptr);
  return add({out, g, behind, count}, *p);
}

STREAMCTS_ENTRY(cuGraphAddKernelNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 const CUDA_KERNEL_NODE_PARAMS_v1* p),
                (out, g, behind, count, p)) {
  return add({out, g, behind, count}, as_node(given(p)));
}

STREAMCTS_ENTRY(cuGraphAddKernelNode_v2,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 const CUDA_KERNEL_NODE_PARAMS_v2* p),
                (out, g, behind, count, p)) {
  return add({out, g, behind, count}, as_node(given(p)));
}

STREAMCTS_ENTRY(cuGraphAddMemcpyNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 const CUDA_MEMCPY3D* p, CUcontext c),
                (out, g, behind, count, p, c)) {
  return add({out, g, behind, count}, as_node(given(p), c));
}

STREAMCTS_ENTRY(cuGraphAddMemsetNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 const CUDA_MEMSET_NODE_PARAMS_v1* p, CUcontext c),
                (out, g, behind, count, p, c)) {
  return add({out, g, behind, count}, as_node(given(p), c));
}

STREAMCTS_ENTRY(cuGraphAddHostNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 const CUDA_HOST_NODE_PARAMS_v1* p),
                (out, g, behind, count, p)) {
  return add({out, g, behind, count}, as_node(given(p)));
}

STREAMCTS_ENTRY(cuGraphAddBatchMemOpNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* p),
                (out, g, behind, count, p)) {
  return add({out, g, behind, count}, as_node(given(p)));
}

STREAMCTS_ENTRY(cuGraphAddEmptyNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count),
                (out, g, behind, count)) {
  return add({out, g, behind, count}, node_of_type(CU_GRAPH_NODE_TYPE_EMPTY));
}

STREAMCTS_ENTRY(cuGraphAddChildGraphNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 CUgraph child),
                (out, g, behind, count, child)) {
  CUgraphNodeParams n = node_of_type(CU_GRAPH_NODE_TYPE_GRAPH);
  n.graph.graph = child;
  return add({out, g, behind, count}, n);
}

STREAMCTS_ENTRY(cuGraphAddEventRecordNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 CUevent event),
                (out, g, behind, count, event)) {
  CUgraphNodeParams n = node_of_type(CU_GRAPH_NODE_TYPE_EVENT_RECORD);
  n.eventRecord.event = event;
  return add({out, g, behind, count}, n);
}

STREAMCTS_ENTRY(cuGraphAddEventWaitNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 CUevent event),
                (out, g, behind, count, event)) {
  CUgraphNodeParams n = node_of_type(CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  n.eventWait.event = event;
  return add({out, g, behind, count}, n);
}

STREAMCTS_ENTRY(cuGraphAddMemAllocNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 CUDA_MEM_ALLOC_NODE_PARAMS_v1* p),
                (out, g, behind, count, p)) {
  require(p != nullptr);
  CUgraphNodeParams n = node_of_type(CU_GRAPH_NODE_TYPE_MEM_ALLOC);
  n.alloc.poolProps = p->poolProps;
  n.alloc.bytesize = p->bytesize;
  const CUresult result = add({out, g, behind, count}, n);
  p->dptr = n.alloc.dptr;
  return result;
}

STREAMCTS_ENTRY(cuGraphAddMemFreeNode,
                (CUgraphNode * out, CUgraph g, const CUgraphNode* behind, size_t count,
                 CUdeviceptr address),
                (out, g, behind, count, address)) {
  CUgraphNodeParams n = node_of_type(CU_GRAPH_NODE_TYPE_MEM_FREE);
  n.free.dptr = address;
  return add({out, g, behind, count}, n);
}
