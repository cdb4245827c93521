// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

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

/// The nodes that a new node depends on: none, one, `{a, b}`, or a vector; and where in the source
/// it was written. Only for arguments: it refers to what it was made of.
class node_list {
 public:
  using site_type = std::source_location;

  node_list(site_type where = site_type::current()) : site(where) {}  // NOLINT: implicit, as all
  node_list(const CUgraphNode& one, site_type where = site_type::current())  // NOLINT
      : node_list(&one, 1, where) {}
  node_list(std::initializer_list<CUgraphNode> several,  // NOLINT
            site_type where = site_type::current())
      : node_list(several.begin(), several.size(), where) {}
  node_list(const std::vector<CUgraphNode>& several,  // NOLINT
            site_type where = site_type::current())
      : node_list(several.data(), several.size(), where) {}
  node_list(const CUgraphNode* first, std::size_t count, site_type where = site_type::current())
      : site(where), first_(first), count_(count) {}

  const CUgraphNode* data() const { return first_; }
  std::size_t size() const { return count_; }

  site_type site;

 private:
  const CUgraphNode* first_ = nullptr;
  std::size_t count_ = 0;
};

/// A graph (CUDA Driver API, "Graph Management"). Graphs are not thread safe, not even for calls
/// that look like reading. Nodes belong to the graph. Every member @throws call_error.
class graph : public handle<detail::graph_traits> {
 public:
  using site_type = std::source_location;

  /// An empty graph.
  explicit graph(const function_table& table, site_type site = site_type::current());
  /// Takes over a graph, such as the result of a capture.
  graph(const function_table& table, CUgraph owned) : handle(table, owned) {}

  graph clone(site_type site = site_type::current()) const;

  CUgraphNode add_empty(node_list after = {}, site_type site = site_type::current());
  CUgraphNode add_host(CUhostFn function, void* user_data, node_list after = {},
                       site_type site = site_type::current());
  CUgraphNode add_memset(const CUDA_MEMSET_NODE_PARAMS& parameters, CUcontext context,
                         node_list after = {}, site_type site = site_type::current());
  /// `count` elements of @p element_size (1, 2 or 4) bytes.
  CUgraphNode add_memset(CUdeviceptr to, unsigned value, unsigned element_size, std::size_t count,
                         CUcontext context, node_list after = {},
                         site_type site = site_type::current());
  CUgraphNode add_memcpy(const CUDA_MEMCPY3D& parameters, CUcontext context, node_list after = {},
                         site_type site = site_type::current());
  /// Linear, between unified addresses of host or device.
  CUgraphNode add_memcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUcontext context,
                         node_list after = {}, site_type site = site_type::current());
  CUgraphNode add_event_record(const event& recorded, node_list after = {},
                               site_type site = site_type::current());
  CUgraphNode add_event_wait(const event& condition, node_list after = {},
                             site_type site = site_type::current());
  CUgraphNode add_child(const graph& child, node_list after = {},
                        site_type site = site_type::current());
  /// Arguments as in launch().
  template <typename... Args>
  CUgraphNode add_kernel(const kernel& which, launch_shape shape, node_list after, Args... args) {
    void* parameters[sizeof...(Args) + 1] = {static_cast<void*>(&args)..., nullptr};
    return add_kernel_node(which, shape, after, parameters);
  }

  void add_dependency(CUgraphNode from, CUgraphNode to, site_type site = site_type::current());

 private:
  CUgraphNode add_kernel_node(const kernel& which, launch_shape shape, node_list after,
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
  using site_type = std::source_location;

  /// cuGraphInstantiateWithFlags, which drivers have from 11.4 on.
  explicit graph_exec(const graph& source, unsigned long long flags = 0,
                      site_type site = site_type::current());

  void launch(CUstream stream, site_type site = site_type::current()) const;
  void upload(CUstream stream, site_type site = site_type::current()) const;
  /// cuGraphExecUpdate: what it returned, and the driver's reason.
  struct update_result {
    CUresult code;
    CUgraphExecUpdateResult reason;
  };
  update_result update(const graph& source) const;
  void set_host_node(CUgraphNode node, CUhostFn function, void* user_data,
                     site_type site = site_type::current()) const;
  void set_enabled(CUgraphNode node, bool enabled, site_type site = site_type::current()) const;
};

}  // namespace streamcts::driver
