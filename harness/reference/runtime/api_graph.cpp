// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs as a whole: making, looking around in them, instantiating, launching, objects they own.

#include "harness/reference/runtime/entry.h"

using namespace streamcts::runtime;

static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData));

namespace {

const CUgraphEdgeData* same(const cudaGraphEdgeData* edges) {
  return reinterpret_cast<const CUgraphEdgeData*>(edges);
}
CUgraphEdgeData* same(cudaGraphEdgeData* edges) {
  return reinterpret_cast<CUgraphEdgeData*>(edges);
}

/// The driver's node types have the runtime's values, except that the latter has fewer.
static_assert(static_cast<int>(cudaGraphNodeTypeHost) == CU_GRAPH_NODE_TYPE_HOST);
static_assert(static_cast<int>(cudaGraphNodeTypeEventRecord) == CU_GRAPH_NODE_TYPE_EVENT_RECORD);

}  // namespace

RUNTIME_ENTRY(cudaGraphCreate, (cudaGraph_t * graph, unsigned flags), (graph, flags)) {
  return driver.cuGraphCreate(graph, flags);
}
RUNTIME_ENTRY(cudaGraphDestroy, (cudaGraph_t graph), (graph)) {
  return driver.cuGraphDestroy(graph);
}
RUNTIME_ENTRY(cudaGraphClone, (cudaGraph_t * clone, cudaGraph_t graph), (clone, graph)) {
  return driver.cuGraphClone(clone, graph);
}
RUNTIME_ENTRY(cudaGraphNodeFindInClone,
              (cudaGraphNode_t * node, cudaGraphNode_t original, cudaGraph_t clone),
              (node, original, clone)) {
  return driver.cuGraphNodeFindInClone(node, original, clone);
}
RUNTIME_ENTRY(cudaGraphDestroyNode, (cudaGraphNode_t node), (node)) {
  return driver.cuGraphDestroyNode(node);
}
RUNTIME_ENTRY(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count),
              (graph, nodes, count)) {
  return driver.cuGraphGetNodes(graph, nodes, count);
}
RUNTIME_ENTRY(cudaGraphGetRootNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count),
              (graph, nodes, count)) {
  return driver.cuGraphGetRootNodes(graph, nodes, count);
}
RUNTIME_ENTRY(cudaGraphGetEdges,
              (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
               cudaGraphEdgeData* edges, size_t* count),
              (graph, from, to, edges, count)) {
  return driver.cuGraphGetEdges(graph, from, to, same(edges), count);
}
RUNTIME_ENTRY(cudaGraphNodeGetDependencies,
              (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
               size_t* count),
              (node, nodes, edges, count)) {
  return driver.cuGraphNodeGetDependencies(node, nodes, same(edges), count);
}
RUNTIME_ENTRY(cudaGraphNodeGetDependentNodes,
              (cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges,
               size_t* count),
              (node, nodes, edges, count)) {
  return driver.cuGraphNodeGetDependentNodes(node, nodes, same(edges), count);
}
RUNTIME_ENTRY(cudaGraphAddDependencies,
              (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
               const cudaGraphEdgeData* edges, size_t count),
              (graph, from, to, edges, count)) {
  return driver.cuGraphAddDependencies(graph, from, to, same(edges), count);
}
RUNTIME_ENTRY(cudaGraphRemoveDependencies,
              (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
               const cudaGraphEdgeData* edges, size_t count),
              (graph, from, to, edges, count)) {
  return driver.cuGraphRemoveDependencies(graph, from, to, same(edges), count);
}
RUNTIME_ENTRY(cudaGraphNodeGetType, (cudaGraphNode_t node, cudaGraphNodeType* type), (node, type)) {
  if (type == nullptr) return cudaErrorInvalidValue;
  CUgraphNodeType found = CU_GRAPH_NODE_TYPE_EMPTY;
  const CUresult result = driver.cuGraphNodeGetType(node, &found);
  if (result == CUDA_SUCCESS) *type = static_cast<cudaGraphNodeType>(found);
  return result;
}
RUNTIME_ENTRY(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t* graph),
              (node, graph)) {
  return driver.cuGraphChildGraphNodeGetGraph(node, graph);
}

RUNTIME_ENTRY(cudaGraphInstantiate,
              (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
              (executable, graph, flags)) {
  return driver.cuGraphInstantiateWithFlags(executable, graph, flags);
}
RUNTIME_ENTRY(cudaGraphInstantiateWithFlags,
              (cudaGraphExec_t * executable, cudaGraph_t graph, unsigned long long flags),
              (executable, graph, flags)) {
  return driver.cuGraphInstantiateWithFlags(executable, graph, flags);
}
RUNTIME_ENTRY(cudaGraphExecGetFlags, (cudaGraphExec_t executable, unsigned long long* flags),
              (executable, flags)) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  cuuint64_t found = 0;
  const CUresult result = driver.cuGraphExecGetFlags(executable, &found);
  if (result == CUDA_SUCCESS) *flags = found;
  return result;
}
RUNTIME_ENTRY(cudaGraphExecUpdate,
              (cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphExecUpdateResultInfo* info),
              (executable, graph, info)) {
  if (info == nullptr) return cudaErrorInvalidValue;
  CUgraphExecUpdateResultInfo found{};
  const CUresult result = driver.cuGraphExecUpdate(executable, graph, &found);
  info->result = static_cast<cudaGraphExecUpdateResult>(found.result);
  info->errorNode = found.errorNode;
  info->errorFromNode = found.errorFromNode;
  return result;
}
RUNTIME_ENTRY(cudaGraphExecDestroy, (cudaGraphExec_t executable), (executable)) {
  return driver.cuGraphExecDestroy(executable);
}
RUNTIME_STREAM_ENTRY(cudaGraphUpload, _ptsz, (cudaGraphExec_t executable, cudaStream_t stream),
                     (executable, stream)) {
  return driver.cuGraphUpload(executable, stream);
}
RUNTIME_STREAM_ENTRY(cudaGraphLaunch, _ptsz, (cudaGraphExec_t executable, cudaStream_t stream),
                     (executable, stream)) {
  return driver.cuGraphLaunch(executable, stream);
}
RUNTIME_ENTRY(cudaGraphNodeSetEnabled,
              (cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled),
              (executable, node, enabled)) {
  return driver.cuGraphNodeSetEnabled(executable, node, enabled);
}
RUNTIME_ENTRY(cudaGraphNodeGetEnabled,
              (cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled),
              (executable, node, enabled)) {
  return driver.cuGraphNodeGetEnabled(executable, node, enabled);
}

RUNTIME_ENTRY(cudaUserObjectCreate,
              (cudaUserObject_t * object, void* pointer, cudaHostFn_t destroy, unsigned references,
               unsigned flags),
              (object, pointer, destroy, references, flags)) {
  return driver.cuUserObjectCreate(object, pointer, destroy, references, flags);
}
RUNTIME_ENTRY(cudaUserObjectRetain, (cudaUserObject_t object, unsigned count), (object, count)) {
  return driver.cuUserObjectRetain(object, count);
}
RUNTIME_ENTRY(cudaUserObjectRelease, (cudaUserObject_t object, unsigned count), (object, count)) {
  return driver.cuUserObjectRelease(object, count);
}
RUNTIME_ENTRY(cudaGraphRetainUserObject,
              (cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags),
              (graph, object, count, flags)) {
  return driver.cuGraphRetainUserObject(graph, object, count, flags);
}
RUNTIME_ENTRY(cudaGraphReleaseUserObject,
              (cudaGraph_t graph, cudaUserObject_t object, unsigned count),
              (graph, object, count)) {
  return driver.cuGraphReleaseUserObject(graph, object, count);
}
