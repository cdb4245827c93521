// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/graph.h"

namespace streamcts::driver {
namespace {

CUgraph create(const function_table& table, std::source_location site) {
  CUgraph value = nullptr;
  check(table.cuGraphCreate(&value, 0), "cuGraphCreate", site);
  return value;
}

CUgraphExec instantiate(const graph& source, unsigned long long flags, std::source_location site) {
  CUgraphExec value = nullptr;
  check(source.table().cuGraphInstantiateWithFlags(&value, source.get(), flags),
        "cuGraphInstantiateWithFlags", site);
  return value;
}

}  // namespace

CUDA_KERNEL_NODE_PARAMS kernel_node_parameters(const kernel& which, launch_shape shape,
                                               void** parameters) {
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = which.function;
  node.kern = which.library_kernel;  // looked at where func is null
  node.gridDimX = shape.blocks;
  node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = shape.threads;
  node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = parameters;
  return node;
}

CUDA_MEMCPY3D linear_copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice = from;
  copy.dstDevice = to;
  copy.srcPitch = copy.dstPitch = copy.WidthInBytes = bytes;
  copy.Height = copy.Depth = 1;
  return copy;
}

graph::graph(const function_table& table, site_type site) : handle(table, create(table, site)) {}

graph graph::clone(site_type site) const {
  CUgraph copy = nullptr;
  check(table().cuGraphClone(&copy, get()), "cuGraphClone", site);
  return graph(table(), copy);
}

CUgraphNode graph::add_empty(node_list after, site_type site) {
  CUgraphNode node = nullptr;
  check(table().cuGraphAddEmptyNode(&node, get(), after.data(), after.size()),
        "cuGraphAddEmptyNode", site);
  return node;
}

CUgraphNode graph::add_host(CUhostFn function, void* user_data, node_list after, site_type site) {
  CUDA_HOST_NODE_PARAMS parameters{};  // newer headers add members: zero is their default
  parameters.fn = function;
  parameters.userData = user_data;
  CUgraphNode node = nullptr;
  check(table().cuGraphAddHostNode(&node, get(), after.data(), after.size(), &parameters),
        "cuGraphAddHostNode", site);
  return node;
}

CUgraphNode graph::add_memset(const CUDA_MEMSET_NODE_PARAMS& parameters, CUcontext context,
                              node_list after, site_type site) {
  CUgraphNode node = nullptr;
  check(
      table().cuGraphAddMemsetNode(&node, get(), after.data(), after.size(), &parameters, context),
      "cuGraphAddMemsetNode", site);
  return node;
}

CUgraphNode graph::add_memset(CUdeviceptr to, unsigned value, unsigned element_size,
                              std::size_t count, CUcontext context, node_list after,
                              site_type site) {
  CUDA_MEMSET_NODE_PARAMS parameters{};
  parameters.dst = to;
  parameters.value = value;
  parameters.elementSize = element_size;
  parameters.width = count;
  parameters.height = 1;
  return add_memset(parameters, context, after, site);
}

CUgraphNode graph::add_memcpy(const CUDA_MEMCPY3D& parameters, CUcontext context, node_list after,
                              site_type site) {
  CUgraphNode node = nullptr;
  check(
      table().cuGraphAddMemcpyNode(&node, get(), after.data(), after.size(), &parameters, context),
      "cuGraphAddMemcpyNode", site);
  return node;
}

CUgraphNode graph::add_memcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                              CUcontext context, node_list after, site_type site) {
  return add_memcpy(linear_copy(to, from, bytes), context, after, site);
}

CUgraphNode graph::add_event_record(const event& recorded, node_list after, site_type site) {
  CUgraphNode node = nullptr;
  check(table().cuGraphAddEventRecordNode(&node, get(), after.data(), after.size(), recorded.get()),
        "cuGraphAddEventRecordNode", site);
  return node;
}

CUgraphNode graph::add_event_wait(const event& condition, node_list after, site_type site) {
  CUgraphNode node = nullptr;
  check(table().cuGraphAddEventWaitNode(&node, get(), after.data(), after.size(), condition.get()),
        "cuGraphAddEventWaitNode", site);
  return node;
}

CUgraphNode graph::add_child(const graph& child, node_list after, site_type site) {
  CUgraphNode node = nullptr;
  check(table().cuGraphAddChildGraphNode(&node, get(), after.data(), after.size(), child.get()),
        "cuGraphAddChildGraphNode", site);
  return node;
}

CUgraphNode graph::add_kernel_node(const kernel& which, launch_shape shape, node_list after,
                                   void** parameters) {
  const auto node_parameters = kernel_node_parameters(which, shape, parameters);
  CUgraphNode node = nullptr;
  check(table().cuGraphAddKernelNode(&node, get(), after.data(), after.size(), &node_parameters),
        "cuGraphAddKernelNode", after.site);
  return node;
}

void graph::add_dependency(CUgraphNode from, CUgraphNode to, site_type site) {
  check(table().cuGraphAddDependencies(get(), &from, &to, 1), "cuGraphAddDependencies", site);
}

graph_exec::graph_exec(const graph& source, unsigned long long flags, site_type site)
    : handle(source.table(), instantiate(source, flags, site)) {}

void graph_exec::launch(CUstream stream, site_type site) const {
  check(table().cuGraphLaunch(get(), stream), "cuGraphLaunch", site);
}

void graph_exec::upload(CUstream stream, site_type site) const {
  check(table().cuGraphUpload(get(), stream), "cuGraphUpload", site);
}

graph_exec::update_result graph_exec::update(const graph& source) const {
  update_result result{};
  if (table().cuGraphExecUpdate != nullptr) {
    CUgraphExecUpdateResultInfo info{};
    result.code = table().cuGraphExecUpdate(get(), source.get(), &info);
    result.reason = info.result;
  } else {
    CUgraphNode node = nullptr;
    result.code = table().cuGraphExecUpdate_v1(get(), source.get(), &node, &result.reason);
  }
  return result;
}

void graph_exec::set_host_node(CUgraphNode node, CUhostFn function, void* user_data,
                               site_type site) const {
  CUDA_HOST_NODE_PARAMS parameters{};
  parameters.fn = function;
  parameters.userData = user_data;
  check(table().cuGraphExecHostNodeSetParams(get(), node, &parameters),
        "cuGraphExecHostNodeSetParams", site);
}

void graph_exec::set_enabled(CUgraphNode node, bool enabled, site_type site) const {
  check(table().cuGraphNodeSetEnabled(get(), node, enabled ? 1 : 0), "cuGraphNodeSetEnabled", site);
}

}  // namespace streamcts::driver
