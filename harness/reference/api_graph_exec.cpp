// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Executable graphs: instantiation, launch, update.

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/executable.h"

using namespace streamcts::reference;

namespace {

constexpr unsigned long long known_flags =
    CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD |
    CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

executable_ptr executable_of(CUgraphExec handle) {
  return executables().get(handle, CUDA_ERROR_INVALID_VALUE);
}

CUresult make_executable(CUgraphExec* out, CUgraph handle, unsigned long long flags,
                         graph_trouble& trouble) {
  require(out != nullptr && (flags & ~known_flags) == 0);
  driver_lock lock;
  current_context(lock);
  const graph_ptr g = graphs().get(handle, CUDA_ERROR_INVALID_VALUE);
  const executable_ptr e = instantiate(lock, *g, flags, trouble);
  *out = e->handle = executables().insert(e);
  return CUDA_SUCCESS;
}

CUresult make_executable_with_log(CUgraphExec* out, CUgraph handle, CUgraphNode* error_node,
                                  char* log, size_t log_size) {
  graph_trouble trouble;
  if (log != nullptr && log_size > 0) *log = '\0';
  try {
    return make_executable(out, handle, 0, trouble);
  } catch (const refusal&) {
    if (error_node != nullptr) *error_node = trouble.node;
    throw;
  }
}

CUresult update_executable(CUgraphExec exec, CUgraph handle, graph_trouble& trouble) {
  driver_lock lock;
  const executable_ptr e = executable_of(exec);
  update(lock, *e, *graphs().get(handle, CUDA_ERROR_INVALID_VALUE), trouble);
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_ENTRY(cuGraphInstantiate,
                (CUgraphExec * out, CUgraph g, CUgraphNode* error_node, char* log, size_t size),
                (out, g, error_node, log, size)) {
  return make_executable_with_log(out, g, error_node, log, size);
}
STREAMCTS_ENTRY(cuGraphInstantiate_v2,
                (CUgraphExec * out, CUgraph g, CUgraphNode* error_node, char* log, size_t size),
                (out, g, error_node, log, size)) {
  return make_executable_with_log(out, g, error_node, log, size);
}
STREAMCTS_ENTRY(cuGraphInstantiateWithFlags,
                (CUgraphExec * out, CUgraph g, unsigned long long flags), (out, g, flags)) {
  graph_trouble trouble;
  return make_executable(out, g, flags, trouble);
}

STREAMCTS_STREAM_ENTRY(cuGraphInstantiateWithParams, _ptsz,
                       (CUgraphExec * out, CUgraph g, CUDA_GRAPH_INSTANTIATE_PARAMS* p),
                       (out, g, p)) {
  require(p != nullptr);
  graph_trouble trouble;
  p->hErrNode_out = nullptr;
  p->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  try {
    return make_executable(out, g, p->flags, trouble);
  } catch (const refusal&) {
    p->hErrNode_out = trouble.node;
    p->result_out = trouble.instantiation == CUDA_GRAPH_INSTANTIATE_SUCCESS
                        ? CUDA_GRAPH_INSTANTIATE_ERROR
                        : trouble.instantiation;
    throw;
  }
}

STREAMCTS_ENTRY(cuGraphExecDestroy, (CUgraphExec exec), (exec)) {
  driver_lock lock;
  destroy_executable(lock, executable_of(exec));
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphExecGetFlags, (CUgraphExec exec, cuuint64_t* flags), (exec, flags)) {
  require(flags != nullptr);
  driver_lock lock;
  *flags = executable_of(exec)->flags;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuGraphUpload, _ptsz, (CUgraphExec exec, CUstream handle),
                       (exec, handle)) {
  driver_lock lock;
  executable_of(exec);
  perform(lock, *stream_for_use(lock, handle, mode), empty_operation{});
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuGraphLaunch, _ptsz, (CUgraphExec exec, CUstream handle),
                       (exec, handle)) {
  driver_lock lock;
  const executable_ptr e = executable_of(exec);
  const stream_ptr s = stream_for_use(lock, handle, mode);
  if (s->capture != nullptr) {
    const graph_ptr g = as_graph(lock, *e);
    capture_operation(lock, *s, child_operation{g});  // which copies it
    destroy_graph(lock, *g);
  } else {
    launch(lock, *s, e);
  }
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphExecUpdate,
                (CUgraphExec exec, CUgraph g, CUgraphNode* error_node,
                 CUgraphExecUpdateResult* result),
                (exec, g, error_node, result)) {
  require(result != nullptr);
  graph_trouble trouble;
  try {
    update_executable(exec, g, trouble);
    *result = CU_GRAPH_EXEC_UPDATE_SUCCESS;
    return CUDA_SUCCESS;
  } catch (const refusal&) {
    *result = trouble.update;
    if (error_node != nullptr) *error_node = trouble.node;
    throw;
  }
}

STREAMCTS_ENTRY(cuGraphExecUpdate_v2,
                (CUgraphExec exec, CUgraph g, CUgraphExecUpdateResultInfo* info),
                (exec, g, info)) {
  require(info != nullptr);
  graph_trouble trouble;
  *info = {};
  try {
    return update_executable(exec, g, trouble);
  } catch (const refusal&) {
    info->result = trouble.update;
    info->errorNode = trouble.node;
    throw;
  }
}

STREAMCTS_ENTRY(cuGraphNodeSetEnabled, (CUgraphExec exec, CUgraphNode handle, unsigned enabled),
                (exec, handle, enabled)) {
  driver_lock lock;
  executable::node& n = node_of(*executable_of(exec), handle);
  const CUgraphNodeType type = type_of(n.work);
  require(type == CU_GRAPH_NODE_TYPE_KERNEL || type == CU_GRAPH_NODE_TYPE_MEMCPY ||
          type == CU_GRAPH_NODE_TYPE_MEMSET);
  n.enabled = enabled != 0;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuGraphNodeGetEnabled, (CUgraphExec exec, CUgraphNode handle, unsigned* enabled),
                (exec, handle, enabled)) {
  require(enabled != nullptr);
  driver_lock lock;
  *enabled = node_of(*executable_of(exec), handle).enabled ? 1 : 0;
  return CUDA_SUCCESS;
}
