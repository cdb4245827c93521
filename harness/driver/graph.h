// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <tuple>

#include "harness/driver/event.h"
#include "harness/driver/kernel_image.h"

namespace streamcts::driver {

namespace detail {
struct graph_traits {
  using value_type = CUgraph;
  static constexpr const char* destroy_call = "cuGraphDestroy";
  static CUresult destroy(const function_table& table, CUgraph graph) {
    return table.cuGraphDestroy(graph);
  }
};
struct graph_exec_traits {
  using value_type = CUgraphExec;
  static constexpr const char* destroy_call = "cuGraphExecDestroy";
  static CUresult destroy(const function_table& table, CUgraphExec exec) {
    return table.cuGraphExecDestroy(exec);
  }
};
}  // namespace detail

/// A graph (CUDA Driver API, "Graph Management"). Graphs are not thread safe, not even for calls
/// that look like reading. Nodes belong to the graph. Every member @throws call_error.
class graph : public handle<detail::graph_traits> {
 public:
  using nodes = std::span<const CUgraphNode>;

  /// An empty graph.
  explicit graph(const function_table& table);
  /// Takes over a graph, such as the result of a capture.
  graph(const function_table& table, CUgraph owned) : handle(table, owned) {}

  graph clone() const;

  CUgraphNode add_empty(nodes after = {});
  CUgraphNode add_host(CUhostFn function, void* user_data, nodes after = {});
  CUgraphNode add_memset(const CUDA_MEMSET_NODE_PARAMS& parameters, CUcontext context,
                         nodes after = {});
  /// `count` elements of @p element_size (1, 2 or 4) bytes.
  CUgraphNode add_memset(CUdeviceptr to, unsigned value, unsigned element_size, std::size_t count,
                         CUcontext context, nodes after = {});
  CUgraphNode add_memcpy(const CUDA_MEMCPY3D& parameters, CUcontext context, nodes after = {});
  /// Linear, between unified addresses of host or device.
  CUgraphNode add_memcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUcontext context,
                         nodes after = {});
  CUgraphNode add_event_record(const event& recorded, nodes after = {});
  CUgraphNode add_event_wait(const event& condition, nodes after = {});
  CUgraphNode add_child(const graph& child, nodes after = {});
  /// Arguments as in launch().
  template <typename... Args>
  CUgraphNode add_kernel(const kernel& which, launch_shape shape, nodes after, Args... args) {
    void* parameters[sizeof...(Args) + 1] = {static_cast<void*>(&args)..., nullptr};
    return add_kernel_node(which, shape, after, parameters);
  }

  void add_dependency(CUgraphNode from, CUgraphNode to);

 private:
  CUgraphNode add_kernel_node(const kernel& which, launch_shape shape, nodes after,
                              void** parameters);
};

/// The parameters of a kernel node; @p parameters must stay valid until the call that takes them.
CUDA_KERNEL_NODE_PARAMS kernel_node_parameters(const kernel& which, launch_shape shape,
                                               void** parameters);
/// The parameters of a linear copy between unified addresses.
CUDA_MEMCPY3D linear_copy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes);

/// An executable graph. Destroying one that is running is allowed: it is freed when it has finished
/// (cuGraphExecDestroy).
class graph_exec : public handle<detail::graph_exec_traits> {
 public:
  /// cuGraphInstantiateWithFlags, which drivers have from 11.4 on.
  explicit graph_exec(const graph& source, unsigned long long flags = 0);

  void launch(CUstream stream, std::source_location site = std::source_location::current()) const;
  void upload(CUstream stream) const;
  /// cuGraphExecUpdate: what it returned, and the driver's reason.
  struct update_result {
    CUresult code;
    CUgraphExecUpdateResult reason;
  };
  update_result update(const graph& source) const;
  void set_host_node(CUgraphNode node, CUhostFn function, void* user_data) const;
  void set_enabled(CUgraphNode node, bool enabled) const;
};

}  // namespace streamcts::driver
