// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class F: host nodes, and launches of one executable.

#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using nodes = std::vector<CUgraphNode>;

/// Edges at host nodes are lost; every other order of the graph is kept by further edges.
class edges_lost : public behaviour {
 public:
  enum class lost { into_host, out_of_host, into_host_but_first };
  explicit edges_lost(lost which) : which_(which) {}

  CUresult add_node(node_request& request, forward_call forward) override {
    const nodes asked(request.dependencies, request.dependencies + request.dependency_count);
    nodes kept = which_ == lost::out_of_host ? without_host(asked) : with_lost(asked);
    if (request.is_host && which_ != lost::out_of_host && !asked.empty()) {
      const std::size_t keep = which_ == lost::into_host_but_first ? 1 : 0;
      if (asked.size() > keep) hit();
      kept.assign(asked.begin(), asked.begin() + static_cast<std::ptrdiff_t>(keep));
    }
    request.dependencies = kept.data();
    request.dependency_count = kept.size();
    const CUresult result = forward();
    if (result == CUDA_SUCCESS && request.is_host) {
      const std::lock_guard lock(mutex_);
      in_front_[*request.node] = asked;
    }
    return result;
  }

 private:
  /// Dependencies on host nodes replaced by what those depend on.
  nodes without_host(const nodes& asked) {
    const std::lock_guard lock(mutex_);
    nodes kept;
    for (const CUgraphNode node : asked) {
      const auto host = in_front_.find(node);
      if (host == in_front_.end()) {
        insert(kept, node);
        continue;
      }
      hit();
      for (const CUgraphNode before : host->second) insert(kept, before);
    }
    return kept;
  }
  /// Dependencies on host nodes together with what those should have waited for.
  nodes with_lost(const nodes& asked) {
    const std::lock_guard lock(mutex_);
    nodes kept;
    for (const CUgraphNode node : asked) {
      insert(kept, node);
      const auto host = in_front_.find(node);
      if (host == in_front_.end()) continue;
      for (const CUgraphNode before : host->second) insert(kept, before);
    }
    return kept;
  }
  static void insert(nodes& all, CUgraphNode node) {
    for (const CUgraphNode known : all) {
      if (known == node) return;
    }
    all.push_back(node);
  }

  const lost which_;
  std::mutex mutex_;
  std::map<CUgraphNode, nodes> in_front_;
};

/// What a host node is to call, kept by this layer and looked up when the node runs.
struct node_call {
  std::mutex mutex;
  CUDA_HOST_NODE_PARAMS parameters{};
  bool has_run = false;

  CUDA_HOST_NODE_PARAMS get() {
    const std::lock_guard lock(mutex);
    return parameters;
  }
};

/// Common to faults that stand between a host node and its function. The calls are kept for good:
/// an executable may outlive its graph.
class kept_calls : public behaviour {
 public:
  CUresult add_node(node_request& request, forward_call forward) override {
    if (!request.is_host || !request.host.fn) return forward();
    node_call* const call = keep(request.host);
    request.host = {run_function(), call};
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) {
      const std::lock_guard lock(mutex_);
      calls_[*request.node] = call;
    }
    return result;
  }

 protected:
  virtual CUhostFn run_function() const {
    return [](void* data) {
      const CUDA_HOST_NODE_PARAMS now = static_cast<node_call*>(data)->get();
      now.fn(now.userData);
    };
  }
  node_call* keep(const CUDA_HOST_NODE_PARAMS& parameters) {
    const std::lock_guard lock(mutex_);
    kept_.push_back(std::make_unique<node_call>());
    kept_.back()->parameters = parameters;
    return kept_.back().get();
  }
  node_call* find(CUgraphNode node) {
    const std::lock_guard lock(mutex_);
    const auto known = calls_.find(node);
    return known == calls_.end() ? nullptr : known->second;
  }
  /// What runs next, wherever the node has been copied to, is @p parameters.
  static void change(node_call& call, const CUDA_HOST_NODE_PARAMS& parameters) {
    const std::lock_guard lock(call.mutex);
    call.parameters = parameters;
    hit();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<node_call>> kept_;
  std::map<CUgraphNode, node_call*> calls_;
};

/// A host node runs at the first launch alone.
class runs_once : public kept_calls {
 protected:
  CUhostFn run_function() const override {
    return [](void* data) {
      auto& call = *static_cast<node_call*>(data);
      CUDA_HOST_NODE_PARAMS now{};
      {
        const std::lock_guard lock(call.mutex);
        if (std::exchange(call.has_run, true)) return hit();
        now = call.parameters;
      }
      now.fn(now.userData);
    };
  }
};

/// Executables share the parameters of the graph's host nodes.
class shared_with_graph : public kept_calls {
 public:
  CUresult set_host_node(CUgraphNode node, CUDA_HOST_NODE_PARAMS& parameters,
                         forward_call forward) override {
    node_call* const call = find(node);
    if (!call) return forward();
    change(*call, parameters);
    return CUDA_SUCCESS;
  }
};

/// A change of an executable's host node reaches launches that are already enqueued.
class read_when_run : public kept_calls {
 public:
  CUresult set_executable_host_node(CUgraphExec, CUgraphNode node,
                                    CUDA_HOST_NODE_PARAMS& parameters,
                                    forward_call forward) override {
    node_call* const call = find(node);
    if (!call) return forward();
    change(*call, parameters);
    return CUDA_SUCCESS;
  }
};

/// A change of an executable's host node does nothing.
class update_ignored : public behaviour {
 public:
  CUresult set_executable_host_node(CUgraphExec, CUgraphNode, CUDA_HOST_NODE_PARAMS&,
                                    forward_call) override {
    hit();
    return CUDA_SUCCESS;
  }
};

/// Launches of one executable in different streams run side by side, from two copies of it.
class relaunch_overlaps : public behaviour {
 public:
  CUresult instantiate(CUgraphExec* executable, CUgraph graph, forward_call forward) override {
    const CUresult result = forward();
    CUgraphExec twin = nullptr;
    if (result == CUDA_SUCCESS && real().graph_instantiate_with_flags &&
        real().graph_instantiate_with_flags(&twin, graph, 0) == CUDA_SUCCESS) {
      const std::lock_guard lock(mutex_);
      pairs_[*executable] = {twin, {}, false};
    }
    return result;
  }
  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::graph)) return op.forward();
    const stream_key key = op.stream.key();
    CUgraphExec chosen = op.graph;
    {
      const std::lock_guard lock(mutex_);
      const auto known = pairs_.find(op.graph);
      if (known != pairs_.end()) {
        pair& p = known->second;
        if (p.last != stream_key{} && p.last != key) {
          p.twin_next = !p.twin_next;
          hit();
        }
        p.last = key;
        if (p.twin_next) chosen = p.twin;
      }
    }
    return real().graph_launch[op.stream.mode](chosen, op.stream.handle);
  }
  /// What changes one copy would have to change the other.
  void executable_changed(CUgraphExec executable) override { drop(executable); }
  CUresult set_executable_host_node(CUgraphExec executable, CUgraphNode, CUDA_HOST_NODE_PARAMS&,
                                    forward_call forward) override {
    drop(executable);
    return forward();
  }
  CUresult destroy_executable(CUgraphExec executable, forward_call forward) override {
    drop(executable);
    return forward();
  }

 private:
  struct pair {
    CUgraphExec twin;
    stream_key last;
    bool twin_next;
  };
  void drop(CUgraphExec executable) {
    CUgraphExec twin = nullptr;
    {
      const std::lock_guard lock(mutex_);
      const auto known = pairs_.find(executable);
      if (known == pairs_.end()) return;
      twin = known->second.twin;
      pairs_.erase(known);
    }
    real().graph_exec_destroy(twin);
  }

  std::mutex mutex_;
  std::map<CUgraphExec, pair> pairs_;
};

}  // namespace

std::unique_ptr<behaviour> make::graph_host_node_ignores_dependencies() {
  return std::make_unique<edges_lost>(edges_lost::lost::into_host);
}
std::unique_ptr<behaviour> make::graph_host_node_keeps_first_dependency() {
  return std::make_unique<edges_lost>(edges_lost::lost::into_host_but_first);
}
std::unique_ptr<behaviour> make::graph_host_node_does_not_block() {
  return std::make_unique<edges_lost>(edges_lost::lost::out_of_host);
}
std::unique_ptr<behaviour> make::graph_host_node_runs_once() {
  return std::make_unique<runs_once>();
}
std::unique_ptr<behaviour> make::graph_change_reaches_executable() {
  return std::make_unique<shared_with_graph>();
}
std::unique_ptr<behaviour> make::executable_change_reaches_pending_launch() {
  return std::make_unique<read_when_run>();
}
std::unique_ptr<behaviour> make::executable_change_is_ignored() {
  return std::make_unique<update_ignored>();
}
std::unique_ptr<behaviour> make::graph_relaunch_overlaps() {
  return std::make_unique<relaunch_overlaps>();
}
}  // namespace streamcts::faults
