// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graph nodes by hand, and their parameters.

#include "harness/reference/runtime/copies.h"
#include "harness/reference/runtime/registered_code.h"

using namespace streamcts::runtime;

namespace {

CUDA_HOST_NODE_PARAMS same(const cudaHostNodeParams& p) {
  return {p.fn, p.userData};
}

CUDA_MEMSET_NODE_PARAMS same(const cudaMemsetParams& p) {
  return {address(p.dst), p.pitch, p.value, p.elementSize, p.width, p.height};
}

outcome describe(const cudaKernelNodeParams& p, CUDA_KERNEL_NODE_PARAMS* made) {
  *made = {};
  if (const outcome o = find_kernel(p.func, &made->func); o.failed()) return o;
  made->gridDimX = p.gridDim.x;
  made->gridDimY = p.gridDim.y;
  made->gridDimZ = p.gridDim.z;
  made->blockDimX = p.blockDim.x;
  made->blockDimY = p.blockDim.y;
  made->blockDimZ = p.blockDim.z;
  made->sharedMemBytes = p.sharedMemBytes;
  made->kernelParams = p.kernelParams;
  made->extra = p.extra;
  return cudaSuccess;
}

/// Copies and memsets of a graph belong to a context: the one of the calling thread.
CUresult this_context(const driver_calls& driver, CUcontext* context) {
  return driver.cuCtxGetCurrent(context);
}

}  // namespace

RUNTIME_ENTRY(cudaGraphAddEmptyNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count),
              (node, graph, after, count)) {
  return driver.cuGraphAddEmptyNode(node, graph, after, count);
}

RUNTIME_ENTRY(cudaGraphAddHostNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, const cudaHostNodeParams* parameters),
              (node, graph, after, count, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const CUDA_HOST_NODE_PARAMS made = same(*parameters);
  return driver.cuGraphAddHostNode(node, graph, after, count, &made);
}
RUNTIME_ENTRY(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, cudaHostNodeParams* parameters),
              (node, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_HOST_NODE_PARAMS found{};
  const CUresult result = driver.cuGraphHostNodeGetParams(node, &found);
  if (result == CUDA_SUCCESS) *parameters = {found.fn, found.userData};
  return result;
}
RUNTIME_ENTRY(cudaGraphHostNodeSetParams,
              (cudaGraphNode_t node, const cudaHostNodeParams* parameters), (node, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const CUDA_HOST_NODE_PARAMS made = same(*parameters);
  return driver.cuGraphHostNodeSetParams(node, &made);
}
RUNTIME_ENTRY(cudaGraphExecHostNodeSetParams,
              (cudaGraphExec_t executable, cudaGraphNode_t node,
               const cudaHostNodeParams* parameters),
              (executable, node, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const CUDA_HOST_NODE_PARAMS made = same(*parameters);
  return driver.cuGraphExecHostNodeSetParams(executable, node, &made);
}

RUNTIME_ENTRY(cudaGraphAddKernelNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, const cudaKernelNodeParams* parameters),
              (node, graph, after, count, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS made;
  if (const outcome o = describe(*parameters, &made); o.failed()) return o;
  return driver.cuGraphAddKernelNode(node, graph, after, count, &made);
}
RUNTIME_ENTRY(cudaGraphKernelNodeSetParams,
              (cudaGraphNode_t node, const cudaKernelNodeParams* parameters), (node, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS made;
  if (const outcome o = describe(*parameters, &made); o.failed()) return o;
  return driver.cuGraphKernelNodeSetParams(node, &made);
}
RUNTIME_ENTRY(cudaGraphExecKernelNodeSetParams,
              (cudaGraphExec_t executable, cudaGraphNode_t node,
               const cudaKernelNodeParams* parameters),
              (executable, node, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_KERNEL_NODE_PARAMS made;
  if (const outcome o = describe(*parameters, &made); o.failed()) return o;
  return driver.cuGraphExecKernelNodeSetParams(executable, node, &made);
}

RUNTIME_ENTRY(cudaGraphAddMemcpyNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, const cudaMemcpy3DParms* parameters),
              (node, graph, after, count, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  CUDA_MEMCPY3D made;
  CUcontext context = nullptr;
  if (const outcome o = describe(*parameters, &made); o.failed()) return o;
  if (const CUresult r = this_context(driver, &context); r != CUDA_SUCCESS) return r;
  return driver.cuGraphAddMemcpyNode(node, graph, after, count, &made, context);
}
RUNTIME_ENTRY(cudaGraphAddMemcpyNode1D,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
              (node, graph, after, count, to, from, bytes, kind)) {
  if (!known(kind)) return cudaErrorInvalidMemcpyDirection;
  const CUDA_MEMCPY3D made = describe(to, from, bytes, kind);
  CUcontext context = nullptr;
  if (const CUresult r = this_context(driver, &context); r != CUDA_SUCCESS) return r;
  return driver.cuGraphAddMemcpyNode(node, graph, after, count, &made, context);
}
RUNTIME_ENTRY(cudaGraphExecMemcpyNodeSetParams1D,
              (cudaGraphExec_t executable, cudaGraphNode_t node, void* to, const void* from,
               size_t bytes, cudaMemcpyKind kind),
              (executable, node, to, from, bytes, kind)) {
  if (!known(kind)) return cudaErrorInvalidMemcpyDirection;
  const CUDA_MEMCPY3D made = describe(to, from, bytes, kind);
  CUcontext context = nullptr;
  if (const CUresult r = this_context(driver, &context); r != CUDA_SUCCESS) return r;
  return driver.cuGraphExecMemcpyNodeSetParams(executable, node, &made, context);
}

RUNTIME_ENTRY(cudaGraphAddMemsetNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, const cudaMemsetParams* parameters),
              (node, graph, after, count, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const CUDA_MEMSET_NODE_PARAMS made = same(*parameters);
  CUcontext context = nullptr;
  if (const CUresult r = this_context(driver, &context); r != CUDA_SUCCESS) return r;
  return driver.cuGraphAddMemsetNode(node, graph, after, count, &made, context);
}
RUNTIME_ENTRY(cudaGraphExecMemsetNodeSetParams,
              (cudaGraphExec_t executable, cudaGraphNode_t node,
               const cudaMemsetParams* parameters),
              (executable, node, parameters)) {
  if (parameters == nullptr) return cudaErrorInvalidValue;
  const CUDA_MEMSET_NODE_PARAMS made = same(*parameters);
  CUcontext context = nullptr;
  if (const CUresult r = this_context(driver, &context); r != CUDA_SUCCESS) return r;
  return driver.cuGraphExecMemsetNodeSetParams(executable, node, &made, context);
}

RUNTIME_ENTRY(cudaGraphAddChildGraphNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, cudaGraph_t child),
              (node, graph, after, count, child)) {
  return driver.cuGraphAddChildGraphNode(node, graph, after, count, child);
}
RUNTIME_ENTRY(cudaGraphExecChildGraphNodeSetParams,
              (cudaGraphExec_t executable, cudaGraphNode_t node, cudaGraph_t child),
              (executable, node, child)) {
  return driver.cuGraphExecChildGraphNodeSetParams(executable, node, child);
}

RUNTIME_ENTRY(cudaGraphAddEventRecordNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, cudaEvent_t event),
              (node, graph, after, count, event)) {
  return driver.cuGraphAddEventRecordNode(node, graph, after, count, event);
}
RUNTIME_ENTRY(cudaGraphAddEventWaitNode,
              (cudaGraphNode_t * node, cudaGraph_t graph, const cudaGraphNode_t* after,
               size_t count, cudaEvent_t event),
              (node, graph, after, count, event)) {
  return driver.cuGraphAddEventWaitNode(node, graph, after, count, event);
}
RUNTIME_ENTRY(cudaGraphExecEventRecordNodeSetEvent,
              (cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event),
              (executable, node, event)) {
  return driver.cuGraphExecEventRecordNodeSetEvent(executable, node, event);
}
RUNTIME_ENTRY(cudaGraphExecEventWaitNodeSetEvent,
              (cudaGraphExec_t executable, cudaGraphNode_t node, cudaEvent_t event),
              (executable, node, event)) {
  return driver.cuGraphExecEventWaitNodeSetEvent(executable, node, event);
}
