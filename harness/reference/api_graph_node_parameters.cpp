// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Reading and changing parameters of nodes, in graphs and in executables. Changes in a graph concern
// executables made afterwards (GR-HOST-005), changes in an executable launches made afterwards
// (GR-HOST-006).

#include "harness/reference/entry.h"
#include "harness/reference/executable.h"
#include "harness/reference/node_parameters.h"

using namespace streamcts::reference;

namespace {

// The operation must stay of its kind.
void replace(driver_lock& lock, operation& current, CUgraphNodeParams& parameters) {
  require(parameters.type == type_of(current));
  require(parameters.type != CU_GRAPH_NODE_TYPE_MEM_ALLOC &&
              parameters.type != CU_GRAPH_NODE_TYPE_MEM_FREE,
          CUDA_ERROR_NOT_SUPPORTED);
  current = make_operation(lock, parameters);
}

CUresult set(CUgraphNode handle, CUgraphNodeParams parameters) {
  driver_lock lock;
  const node_ptr n = nodes().get(handle, CUDA_ERROR_INVALID_VALUE);
  require(parameters.type != CU_GRAPH_NODE_TYPE_GRAPH);
  replace(lock, n->work, parameters);
  return CUDA_SUCCESS;
}

CUresult set(CUgraphExec exec, CUgraphNode handle, CUgraphNodeParams parameters) {
  driver_lock lock;
  const executable_ptr e = executables().get(exec, CUDA_ERROR_INVALID_VALUE);
  executable::node& n = node_of(*e, handle);
  if (parameters.type == CU_GRAPH_NODE_TYPE_GRAPH) {
    graph_trouble trouble;
    require(n.child != nullptr);
    update(lock, *n.child, *graphs().get(parameters.graph.graph, CUDA_ERROR_INVALID_VALUE),
           trouble);
  } else {
    replace(lock, n.work, parameters);
  }
  return CUDA_SUCCESS;
}

CUgraphNodeParams get(CUgraphNode handle, CUgraphNodeType type) {
  driver_lock lock;
  const node_ptr n = nodes().get(handle, CUDA_ERROR_INVALID_VALUE);
  require(type_of(n->work) == type);
  return describe(n->work);
}

CUgraphNodeParams event_node(CUgraphNodeType type, CUevent event) {
  CUgraphNodeParams n{};
  n.type = type;
  if (type == CU_GRAPH_NODE_TYPE_WAIT_EVENT) {
    n.eventWait.event = event;
  } else {
    n.eventRecord.event = event;
  }
  return n;
}

template <typename T>
T& given(T* p) {
  require(p != nullptr);
  return *p;
}

}  // namespace

STREAMCTS_ENTRY(cuGraphNodeSetParams, (CUgraphNode n, CUgraphNodeParams* p), (n, p)) {
  return set(n, given(p));
}
STREAMCTS_ENTRY(cuGraphExecNodeSetParams, (CUgraphExec e, CUgraphNode n, CUgraphNodeParams* p),
                (e, n, p)) {
  return set(e, n, given(p));
}

STREAMCTS_ENTRY(cuGraphKernelNodeSetParams, (CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1* p),
                (n, p)) {
  return set(n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphKernelNodeSetParams_v2,
                (CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v2* p), (n, p)) {
  return set(n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphMemcpyNodeSetParams, (CUgraphNode n, const CUDA_MEMCPY3D* p), (n, p)) {
  return set(n, as_node(given(p), nullptr));
}
STREAMCTS_ENTRY(cuGraphMemsetNodeSetParams, (CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS_v1* p),
                (n, p)) {
  return set(n, as_node(given(p), nullptr));
}
STREAMCTS_ENTRY(cuGraphHostNodeSetParams, (CUgraphNode n, const CUDA_HOST_NODE_PARAMS_v1* p),
                (n, p)) {
  return set(n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphBatchMemOpNodeSetParams,
                (CUgraphNode n, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* p), (n, p)) {
  return set(n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphEventRecordNodeSetEvent, (CUgraphNode n, CUevent event), (n, event)) {
  return set(n, event_node(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}
STREAMCTS_ENTRY(cuGraphEventWaitNodeSetEvent, (CUgraphNode n, CUevent event), (n, event)) {
  return set(n, event_node(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}

STREAMCTS_ENTRY(cuGraphExecKernelNodeSetParams,
                (CUgraphExec e, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v1* p), (e, n, p)) {
  return set(e, n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphExecKernelNodeSetParams_v2,
                (CUgraphExec e, CUgraphNode n, const CUDA_KERNEL_NODE_PARAMS_v2* p), (e, n, p)) {
  return set(e, n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphExecMemcpyNodeSetParams,
                (CUgraphExec e, CUgraphNode n, const CUDA_MEMCPY3D* p, CUcontext c),
                (e, n, p, c)) {
  return set(e, n, as_node(given(p), c));
}
STREAMCTS_ENTRY(cuGraphExecMemsetNodeSetParams,
                (CUgraphExec e, CUgraphNode n, const CUDA_MEMSET_NODE_PARAMS_v1* p, CUcontext c),
                (e, n, p, c)) {
  return set(e, n, as_node(given(p), c));
}
STREAMCTS_ENTRY(cuGraphExecHostNodeSetParams,
                (CUgraphExec e, CUgraphNode n, const CUDA_HOST_NODE_PARAMS_v1* p), (e, n, p)) {
  return set(e, n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphExecBatchMemOpNodeSetParams,
                (CUgraphExec e, CUgraphNode n, const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* p),
                (e, n, p)) {
  return set(e, n, as_node(given(p)));
}
STREAMCTS_ENTRY(cuGraphExecEventRecordNodeSetEvent,
                (CUgraphExec e, CUgraphNode n, CUevent event), (e, n, event)) {
  return set(e, n, event_node(CU_GRAPH_NODE_TYPE_EVENT_RECORD, event));
}
STREAMCTS_ENTRY(cuGraphExecEventWaitNodeSetEvent, (CUgraphExec e, CUgraphNode n, CUevent event),
                (e, n, event)) {
  return set(e, n, event_node(CU_GRAPH_NODE_TYPE_WAIT_EVENT, event));
}
STREAMCTS_ENTRY(cuGraphExecChildGraphNodeSetParams,
                (CUgraphExec e, CUgraphNode n, CUgraph child), (e, n, child)) {
  CUgraphNodeParams p{};
  p.type = CU_GRAPH_NODE_TYPE_GRAPH;
  p.graph.graph = child;
  return set(e, n, p);
}

STREAMCTS_ENTRY(cuGraphKernelNodeGetParams, (CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v1* out),
                (n, out)) {
  const auto p = get(n, CU_GRAPH_NODE_TYPE_KERNEL).kernel;
  given(out) = {p.func,      p.gridDimX,  p.gridDimY,       p.gridDimZ,     p.blockDimX,
                p.blockDimY, p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra};
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphKernelNodeGetParams_v2, (CUgraphNode n, CUDA_KERNEL_NODE_PARAMS_v2* out),
                (n, out)) {
  const auto p = get(n, CU_GRAPH_NODE_TYPE_KERNEL).kernel;
  given(out) = {p.func,      p.gridDimX,  p.gridDimY,       p.gridDimZ,     p.blockDimX,
                p.blockDimY, p.blockDimZ, p.sharedMemBytes, p.kernelParams, p.extra,
                p.kern,      p.ctx};
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphMemcpyNodeGetParams, (CUgraphNode n, CUDA_MEMCPY3D* out), (n, out)) {
  given(out) = get(n, CU_GRAPH_NODE_TYPE_MEMCPY).memcpy.copyParams;
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphMemsetNodeGetParams, (CUgraphNode n, CUDA_MEMSET_NODE_PARAMS_v1* out),
                (n, out)) {
  const auto p = get(n, CU_GRAPH_NODE_TYPE_MEMSET).memset;
  given(out) = {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height};
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphHostNodeGetParams, (CUgraphNode n, CUDA_HOST_NODE_PARAMS_v1* out),
                (n, out)) {
  const auto p = get(n, CU_GRAPH_NODE_TYPE_HOST).host;
  given(out) = {p.fn, p.userData};
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphBatchMemOpNodeGetParams,
                (CUgraphNode n, CUDA_BATCH_MEM_OP_NODE_PARAMS_v1* out), (n, out)) {
  const auto p = get(n, CU_GRAPH_NODE_TYPE_BATCH_MEM_OP).memOp;
  given(out) = {p.ctx, p.count, p.paramArray, p.flags};
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphEventRecordNodeGetEvent, (CUgraphNode n, CUevent* out), (n, out)) {
  given(out) = get(n, CU_GRAPH_NODE_TYPE_EVENT_RECORD).eventRecord.event;
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphEventWaitNodeGetEvent, (CUgraphNode n, CUevent* out), (n, out)) {
  given(out) = get(n, CU_GRAPH_NODE_TYPE_WAIT_EVENT).eventWait.event;
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphChildGraphNodeGetGraph, (CUgraphNode n, CUgraph* out), (n, out)) {
  given(out) = get(n, CU_GRAPH_NODE_TYPE_GRAPH).graph.graph;
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphMemAllocNodeGetParams, (CUgraphNode n, CUDA_MEM_ALLOC_NODE_PARAMS_v1* out),
                (n, out)) {
  const auto p = get(n, CU_GRAPH_NODE_TYPE_MEM_ALLOC).alloc;
  given(out) = {p.poolProps, nullptr, 0, p.bytesize, p.dptr};
  return CUDA_SUCCESS;
}
STREAMCTS_ENTRY(cuGraphMemFreeNodeGetParams, (CUgraphNode n, CUdeviceptr* out), (n, out)) {
  given(out) = get(n, CU_GRAPH_NODE_TYPE_MEM_FREE).free.dptr;
  return CUDA_SUCCESS;
}
