// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/node_parameters.h"

#include "harness/reference/copy_description.h"
#include "harness/reference/graph_memory.h"
#include "harness/reference/module.h"

namespace streamcts::reference {
namespace {

operation make_kernel(driver_lock& lock, const CUDA_KERNEL_NODE_PARAMS_v3& p) {
  kernel_launch k;
  k.function = p.func != nullptr ? p.func : reinterpret_cast<CUfunction>(p.kern);
  k.kernel = function_of(lock, k.function)->kernel;
  const unsigned grid[] = {p.gridDimX, p.gridDimY, p.gridDimZ};
  const unsigned block[] = {p.blockDimX, p.blockDimY, p.blockDimZ};
  std::copy(grid, grid + 3, k.grid);
  std::copy(block, block + 3, k.block);
  k.shared_bytes = p.sharedMemBytes;
  check_shape(k);
  take_parameters(k, p.kernelParams, p.extra);
  return k;
}

operation make_set(const CUDA_MEMSET_NODE_PARAMS_v2& p) {
  require(p.elementSize == 1 || p.elementSize == 2 || p.elementSize == 4);
  require(p.width > 0 && p.height > 0 && p.dst % p.elementSize == 0);
  device_place(p.dst, (p.height - 1) * p.pitch + p.width * p.elementSize);
  return set_operation{p.dst, p.value, p.elementSize, p.width, p.height, p.pitch};
}

operation make_batch(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& p) {
  require(p.paramArray != nullptr && p.count > 0 && p.flags == 0);
  memory_operation_batch batch{{p.paramArray, p.paramArray + p.count}, p.ctx};
  check_memory_operations(batch.steps);
  return batch;
}

CUgraphNodeParams typed(CUgraphNodeType type) {
  CUgraphNodeParams n{};
  n.type = type;
  return n;
}

void describe_kernel(const kernel_launch& k, CUDA_KERNEL_NODE_PARAMS_v3& p) {
  p.func = k.function;
  p.gridDimX = k.grid[0];
  p.gridDimY = k.grid[1];
  p.gridDimZ = k.grid[2];
  p.blockDimX = k.block[0];
  p.blockDimY = k.block[1];
  p.blockDimZ = k.block[2];
  p.sharedMemBytes = k.shared_bytes;
  k.described = k.parameter_pointers();
  p.kernelParams = k.described.data();
}

}  // namespace

operation make_operation(driver_lock& lock, CUgraphNodeParams& p) {
  switch (p.type) {
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return empty_operation{};
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return make_kernel(lock, p.kernel);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return describe(p.memcpy.copyParams).operation;
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return make_set(p.memset);
    case CU_GRAPH_NODE_TYPE_HOST:
      require(p.host.fn != nullptr);
      return host_operation{.function = p.host.fn, .data = p.host.userData};
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return child_operation{graphs().get(p.graph.graph, CUDA_ERROR_INVALID_VALUE)};
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return event_wait_operation{events().get(p.eventWait.event)};
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return event_record_operation{events().get(p.eventRecord.event)};
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return make_batch(p.memOp);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      allocate_operation o{allocate_for_graph(lock, p.alloc.bytesize), {}};
      p.alloc.dptr = o.memory->device;
      o.described = {p.alloc.poolProps, nullptr, 0, p.alloc.bytesize, p.alloc.dptr};
      return o;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE: {
      const allocation_ptr a = memory::find_device(p.free.dptr);
      require(a != nullptr && a->device == p.free.dptr && a->graph_owned);
      return free_operation{a};
    }
    default:
      refuse(CUDA_ERROR_NOT_SUPPORTED);
  }
}

CUgraphNodeParams describe(const operation& o) {
  CUgraphNodeParams n = typed(type_of(o));
  if (const auto* k = std::get_if<kernel_launch>(&o)) describe_kernel(*k, n.kernel);
  if (const auto* c = std::get_if<copy_operation>(&o)) n.memcpy.copyParams = c->described;
  if (const auto* s = std::get_if<set_operation>(&o)) {
    n.memset = {s->to, s->pitch, s->value, s->element_bytes, s->width, s->height, nullptr};
  }
  if (const auto* h = std::get_if<host_operation>(&o)) n.host = {h->function, h->data};
  if (const auto* b = std::get_if<memory_operation_batch>(&o)) {
    n.memOp = {b->context, static_cast<unsigned>(b->steps.size()),
               const_cast<CUstreamBatchMemOpParams*>(b->steps.data()), 0};
  }
  if (const auto* r = std::get_if<event_record_operation>(&o)) {
    n.eventRecord.event = r->target->handle;
  }
  if (const auto* w = std::get_if<event_wait_operation>(&o)) n.eventWait.event = w->target->handle;
  if (const auto* c = std::get_if<child_operation>(&o)) n.graph.graph = c->child->handle;
  if (const auto* a = std::get_if<allocate_operation>(&o)) {
    n.alloc = {a->described.poolProps, nullptr, 0, a->described.bytesize, a->described.dptr};
  }
  if (const auto* f = std::get_if<free_operation>(&o)) n.free.dptr = f->memory->device;
  return n;
}

CUgraphNodeParams as_node(const CUDA_KERNEL_NODE_PARAMS_v1& p) {
  CUgraphNodeParams n = typed(CU_GRAPH_NODE_TYPE_KERNEL);
  n.kernel.func = p.func;
  n.kernel.gridDimX = p.gridDimX;
  n.kernel.gridDimY = p.gridDimY;
  n.kernel.gridDimZ = p.gridDimZ;
  n.kernel.blockDimX = p.blockDimX;
  n.kernel.blockDimY = p.blockDimY;
  n.kernel.blockDimZ = p.blockDimZ;
  n.kernel.sharedMemBytes = p.sharedMemBytes;
  n.kernel.kernelParams = p.kernelParams;
  n.kernel.extra = p.extra;
  return n;
}

CUgraphNodeParams as_node(const CUDA_KERNEL_NODE_PARAMS_v2& p) {
  CUgraphNodeParams n = as_node(CUDA_KERNEL_NODE_PARAMS_v1{
      p.func, p.gridDimX, p.gridDimY, p.gridDimZ, p.blockDimX, p.blockDimY, p.blockDimZ,
      p.sharedMemBytes, p.kernelParams, p.extra});
  n.kernel.kern = p.kern;
  n.kernel.ctx = p.ctx;
  return n;
}

CUgraphNodeParams as_node(const CUDA_MEMCPY3D& p, CUcontext c) {
  CUgraphNodeParams n = typed(CU_GRAPH_NODE_TYPE_MEMCPY);
  n.memcpy.copyCtx = c;
  n.memcpy.copyParams = p;
  return n;
}

CUgraphNodeParams as_node(const CUDA_MEMSET_NODE_PARAMS_v1& p, CUcontext c) {
  CUgraphNodeParams n = typed(CU_GRAPH_NODE_TYPE_MEMSET);
  n.memset = {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height, c};
  return n;
}

CUgraphNodeParams as_node(const CUDA_HOST_NODE_PARAMS_v1& p) {
  CUgraphNodeParams n = typed(CU_GRAPH_NODE_TYPE_HOST);
  n.host = {p.fn, p.userData};
  return n;
}

CUgraphNodeParams as_node(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v1& p) {
  CUgraphNodeParams n = typed(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  n.memOp = {p.ctx, p.count, p.paramArray, p.flags};
  return n;
}

}  // namespace streamcts::reference
