// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graph nodes and executables. The generic cuGraphAddNode passes through.

#include "harness/faults/layer/overrides.h"

namespace streamcts::faults {
namespace {

CUresult add_host_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                       std::size_t count, const CUDA_HOST_NODE_PARAMS* parameters) {
  if (!parameters) {
    return real().graph_add_host_node(node, graph, dependencies, count, parameters);
  }
  return admitted([&](behaviour& chosen) {
    behaviour::node_request request{node, graph, dependencies, count, *parameters, true,
                                    CU_GRAPH_NODE_TYPE_HOST};
    return chosen.add_node(request, [&] {
      return real().graph_add_host_node(node, graph, request.dependencies,
                                        request.dependency_count, &request.host);
    });
  });
}

CUresult add_kernel_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                         std::size_t count, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  return admitted([&](behaviour& chosen) {
    behaviour::node_request request{node, graph, dependencies, count, {}, false};
    return chosen.add_node(request, [&] {
      return real().graph_add_kernel_node(node, graph, request.dependencies,
                                          request.dependency_count, parameters);
    });
  });
}

using event_node_function = CUresult (*)(CUgraphNode*, CUgraph, const CUgraphNode*, size_t, CUevent);

CUresult add_event_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                        std::size_t count, CUevent event, CUgraphNodeType type,
                        event_node_function add) {
  return admitted([&](behaviour& chosen) {
    behaviour::node_request request{node, graph, dependencies, count, {}, false, type};
    return chosen.add_node(request, [&] {
      return add(node, graph, request.dependencies, request.dependency_count, event);
    });
  });
}
CUresult add_event_record_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                               size_t count, CUevent event) {
  return add_event_node(node, graph, dependencies, count, event, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
                        real().graph_add_event_record_node);
}
CUresult add_event_wait_node(CUgraphNode* node, CUgraph graph, const CUgraphNode* dependencies,
                             size_t count, CUevent event) {
  return add_event_node(node, graph, dependencies, count, event, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
                        real().graph_add_event_wait_node);
}

CUresult destroy_graph(CUgraph graph) {
  return admitted([&](behaviour& chosen) {
    return chosen.destroy_graph(graph, [&] { return real().graph_destroy(graph); });
  });
}

CUresult create_user_object(CUuserObject* object, void* data, CUhostFn destructor, unsigned count,
                            unsigned flags) {
  return admitted([&](behaviour& chosen) {
    return chosen.create_user_object(object, destructor, data, [&] {
      return real().user_object_create(object, data, destructor, count, flags);
    });
  });
}

CUresult retain_user_object(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
  return admitted([&](behaviour& chosen) {
    return chosen.retain_user_object(graph, object, [&] {
      return real().graph_retain_user_object(graph, object, count, flags);
    });
  });
}

CUresult set_host_node(CUgraphNode node, const CUDA_HOST_NODE_PARAMS* parameters) {
  if (!parameters) return real().graph_host_node_set_params(node, parameters);
  return admitted([&](behaviour& chosen) {
    CUDA_HOST_NODE_PARAMS changed = *parameters;
    return chosen.set_host_node(
        node, changed, [&] { return real().graph_host_node_set_params(node, &changed); });
  });
}

CUresult set_executable_host_node(CUgraphExec executable, CUgraphNode node,
                                  const CUDA_HOST_NODE_PARAMS* parameters) {
  if (!parameters) return real().graph_exec_host_node_set_params(executable, node, parameters);
  return admitted([&](behaviour& chosen) {
    CUDA_HOST_NODE_PARAMS changed = *parameters;
    return chosen.set_executable_host_node(executable, node, changed, [&] {
      return real().graph_exec_host_node_set_params(executable, node, &changed);
    });
  });
}

CUresult instantiate(CUgraphExec* executable, CUgraph graph, CUgraphNode* error_node, char* log,
                     std::size_t log_bytes) {
  return admitted([&](behaviour& chosen) {
    return chosen.instantiate(executable, graph, [&] {
      return real().graph_instantiate(executable, graph, error_node, log, log_bytes);
    });
  });
}

CUresult instantiate_with_flags(CUgraphExec* executable, CUgraph graph,
                                unsigned long long flags) {
  return admitted([&](behaviour& chosen) {
    return chosen.instantiate(executable, graph, [&] {
      return real().graph_instantiate_with_flags(executable, graph, flags);
    });
  });
}

template <stream_mode Mode>
CUresult instantiate_with_params(CUgraphExec* executable, CUgraph graph,
                                 CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  return admitted([&](behaviour& chosen) {
    return chosen.instantiate(executable, graph, [&] {
      return real().graph_instantiate_with_params[Mode](executable, graph, parameters);
    });
  });
}

CUresult destroy_executable(CUgraphExec executable) {
  return admitted([&](behaviour& chosen) {
    return chosen.destroy_executable(
        executable, [&] { return real().graph_exec_destroy(executable); });
  });
}

/// Whatever changes an executable: its first argument.
template <auto Member, typename F>
struct executable_change;
template <auto Member, typename... A>
struct executable_change<Member, CUresult (*)(CUgraphExec, A...)> {
  static CUresult call(CUgraphExec executable, A... arguments) {
    return admitted([&](behaviour& chosen) {
      chosen.executable_changed(executable);
      return (real().*Member)(executable, arguments...);
    });
  }
};
#define EXECUTABLE_CHANGE(member) \
  STREAMCTS_OVERRIDE(             \
      member, (executable_change<&real_table::member, decltype(real_table::member)>::call))

const override_entry overrides[] = {
    EXECUTABLE_CHANGE(graph_exec_update),
    EXECUTABLE_CHANGE(graph_exec_kernel_node_set_params),
    EXECUTABLE_CHANGE(graph_exec_memcpy_node_set_params),
    EXECUTABLE_CHANGE(graph_exec_memset_node_set_params),
    EXECUTABLE_CHANGE(graph_exec_node_set_params),
    EXECUTABLE_CHANGE(graph_node_set_enabled),
    STREAMCTS_OVERRIDE(graph_add_host_node, add_host_node),
    STREAMCTS_OVERRIDE(graph_add_kernel_node, add_kernel_node),
    STREAMCTS_OVERRIDE(graph_host_node_set_params, set_host_node),
    STREAMCTS_OVERRIDE(graph_exec_host_node_set_params, set_executable_host_node),
    STREAMCTS_OVERRIDE(graph_instantiate, instantiate),
    STREAMCTS_OVERRIDE(graph_instantiate_with_flags, instantiate_with_flags),
    STREAMCTS_MODED_OVERRIDE(graph_instantiate_with_params, instantiate_with_params),
    STREAMCTS_OVERRIDE(graph_exec_destroy, destroy_executable),
    STREAMCTS_OVERRIDE(graph_add_event_record_node, add_event_record_node),
    STREAMCTS_OVERRIDE(graph_add_event_wait_node, add_event_wait_node),
    STREAMCTS_OVERRIDE(graph_destroy, destroy_graph),
    STREAMCTS_OVERRIDE(user_object_create, create_user_object),
    STREAMCTS_OVERRIDE(graph_retain_user_object, retain_user_object),
};

}  // namespace

std::span<const override_entry> graph_overrides() { return overrides; }

}  // namespace streamcts::faults
