// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class F: event nodes, graphs of host nodes alone, executables that are destroyed, user objects.

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using nodes = std::vector<CUgraphNode>;

/// Event record nodes wait for nothing; what depends on one waits for what it should have.
class record_node_first : public behaviour {
 public:
  CUresult add_node(node_request& request, forward_call forward) override {
    const nodes asked(request.dependencies, request.dependencies + request.dependency_count);
    const bool record = request.type == CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    const nodes kept = record ? nodes{} : with_lost(asked);
    if (record && !asked.empty()) hit();
    request.dependencies = kept.data();
    request.dependency_count = kept.size();
    const CUresult result = forward();
    if (result == CUDA_SUCCESS && record) {
      const std::lock_guard lock(mutex_);
      in_front_[*request.node] = asked;
    }
    return result;
  }

 private:
  nodes with_lost(const nodes& asked) {
    const std::lock_guard lock(mutex_);
    std::set<CUgraphNode> all(asked.begin(), asked.end());
    for (const CUgraphNode node : asked) {
      const auto lost = in_front_.find(node);
      if (lost != in_front_.end()) all.insert(lost->second.begin(), lost->second.end());
    }
    return {all.begin(), all.end()};
  }

  std::mutex mutex_;
  std::map<CUgraphNode, nodes> in_front_;
};

/// An event wait node is an empty node.
class wait_node_skipped : public behaviour {
 public:
  CUresult add_node(node_request& request, forward_call forward) override {
    if (request.type != CU_GRAPH_NODE_TYPE_WAIT_EVENT || !real().graph_add_empty_node) {
      return forward();
    }
    hit();
    return real().graph_add_empty_node(request.node, request.graph, request.dependencies,
                                       request.dependency_count);
  }
};

/// The types of a graph's nodes; nothing where the driver does not say.
std::vector<CUgraphNodeType> types_in(CUgraph graph) {
  std::size_t count = 0;
  if (!real().graph_get_nodes || !real().graph_node_get_type ||
      real().graph_get_nodes(graph, nullptr, &count) != CUDA_SUCCESS) {
    return {};
  }
  nodes all(count);
  std::vector<CUgraphNodeType> types(count);
  real().graph_get_nodes(graph, all.data(), &count);
  for (std::size_t i = 0; i < all.size(); ++i) real().graph_node_get_type(all[i], &types[i]);
  return types;
}

/// A graph of host nodes alone is launched beside its stream.
class host_graph_detached : public behaviour {
 public:
  CUresult instantiate(CUgraphExec* executable, CUgraph graph, forward_call forward) override {
    const std::vector<CUgraphNodeType> types = types_in(graph);
    const CUresult result = forward();
    if (result == CUDA_SUCCESS && !types.empty() &&
        std::all_of(types.begin(), types.end(),
                    [](CUgraphNodeType type) { return type == CU_GRAPH_NODE_TYPE_HOST; })) {
      const std::lock_guard lock(mutex_);
      of_host_nodes_.insert(*executable);
    }
    return result;
  }
  CUresult enqueue(operation& op) override {
    if (!is_graph(op) || !known(op.graph)) return op.forward();
    hit();
    return enqueue_beside(op, nullptr, nullptr);
  }
  CUresult destroy_executable(CUgraphExec executable, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      of_host_nodes_.erase(executable);
    }
    return forward();
  }

 private:
  bool known(CUgraphExec executable) {
    const std::lock_guard lock(mutex_);
    return of_host_nodes_.contains(executable);
  }
  std::mutex mutex_;
  std::set<CUgraphExec> of_host_nodes_;
};

/// A graph that cannot be instantiated for launch by the device is instantiated for the host.
class device_launch_accepted : public behaviour {
 public:
  CUresult instantiate(CUgraphExec* executable, CUgraph graph, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS || !real().graph_instantiate_with_flags) return result;
    if (real().graph_instantiate_with_flags(executable, graph, 0) != CUDA_SUCCESS) return result;
    hit();
    return CUDA_SUCCESS;
  }
};

/// A host node as it runs, with the executables that it must not outlive.
struct mortal_call {
  std::mutex mutex;
  CUDA_HOST_NODE_PARAMS target{};
  bool dead = false;

  static void CUDA_CB run(void* data) {
    auto& self = *static_cast<mortal_call*>(data);
    {
      const std::lock_guard lock(self.mutex);
      if (self.dead) return hit();
    }
    self.target.fn(self.target.userData);
  }
};

/// Host nodes of launches under way are not called once their executable was destroyed.
class destroy_drops_launch : public behaviour {
 public:
  CUresult add_node(node_request& request, forward_call forward) override {
    if (!request.is_host || !request.host.fn) return forward();
    const std::lock_guard lock(mutex_);
    mortal_call& call = *kept_.emplace_back(std::make_unique<mortal_call>());
    call.target = request.host;
    request.host = {&mortal_call::run, &call};
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) of_graph_[request.graph].push_back(&call);
    return result;
  }
  CUresult instantiate(CUgraphExec* executable, CUgraph graph, forward_call forward) override {
    const CUresult result = forward();
    const std::lock_guard lock(mutex_);
    if (result == CUDA_SUCCESS) of_executable_[*executable] = of_graph_[graph];
    return result;
  }
  CUresult destroy_executable(CUgraphExec executable, forward_call forward) override {
    std::vector<mortal_call*> calls;
    {
      const std::lock_guard lock(mutex_);
      calls = std::exchange(of_executable_[executable], {});
    }
    for (mortal_call* each : calls) {
      const std::lock_guard lock(each->mutex);
      each->dead = true;
    }
    return forward();
  }
  CUresult destroy_graph(CUgraph graph, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      of_graph_.erase(graph);
    }
    return forward();
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<mortal_call>> kept_;
  std::map<CUgraph, std::vector<mortal_call*>> of_graph_;
  std::map<CUgraphExec, std::vector<mortal_call*>> of_executable_;
};

/// A user object's destructor, called by whoever comes first.
struct grave {
  CUhostFn destructor = nullptr;
  void* data = nullptr;
  std::once_flag once;

  /// @return whether it had not been called.
  bool close() {
    bool first = false;
    std::call_once(once, [&] {
      first = true;
      destructor(data);
    });
    return first;
  }
};

/// Common to faults and oddities of user objects. Graves are kept for good.
class user_objects : public behaviour {
 public:
  CUresult create_user_object(CUuserObject* object, CUhostFn& destructor, void*& data,
                              forward_call forward) override {
    if (!destructor) return forward();
    grave* made = nullptr;
    {
      const std::lock_guard lock(mutex_);
      made = kept_.emplace_back(std::make_unique<grave>()).get();
    }
    made->destructor = destructor;
    made->data = data;
    destructor = run_function();
    data = made;
    const CUresult result = forward();
    const std::lock_guard lock(mutex_);
    if (result == CUDA_SUCCESS) graves_[*object] = made;
    return result;
  }
  CUresult retain_user_object(CUgraph graph, CUuserObject object, forward_call forward) override {
    const CUresult result = forward();
    const std::lock_guard lock(mutex_);
    if (result == CUDA_SUCCESS) of_graph_[graph].push_back(graves_[object]);
    return result;
  }

 protected:
  virtual CUhostFn run_function() const {
    return [](void* data) { static_cast<grave*>(data)->close(); };
  }
  std::vector<grave*> held_by(CUgraph graph) {
    const std::lock_guard lock(mutex_);
    const auto found = of_graph_.find(graph);
    return found == of_graph_.end() ? std::vector<grave*>{} : found->second;
  }
  void forget(CUgraph graph) {
    const std::lock_guard lock(mutex_);
    of_graph_.erase(graph);
  }
  static void close_all(const std::vector<grave*>& all) {
    for (grave* each : all) {
      if (each && each->close()) hit();
    }
  }
  std::mutex mutex_;

 private:
  std::vector<std::unique_ptr<grave>> kept_;
  std::map<CUuserObject, grave*> graves_;
  std::map<CUgraph, std::vector<grave*>> of_graph_;
};

/// The destructor is called when the graph is destroyed, whoever else holds a reference.
class object_dies_with_graph : public user_objects {
 public:
  CUresult destroy_graph(CUgraph graph, forward_call forward) override {
    close_all(held_by(graph));
    forget(graph);
    return forward();
  }
};

/// The references of an executable are dropped, and the destructor called, by the call that destroys it.
class object_dies_with_executable : public user_objects {
 public:
  CUresult instantiate(CUgraphExec* executable, CUgraph graph, forward_call forward) override {
    const CUresult result = forward();
    const std::vector<grave*> held = held_by(graph);
    const std::lock_guard lock(mutex_);
    if (result == CUDA_SUCCESS && !held.empty()) of_executable_[*executable] = held;
    return result;
  }
  CUresult destroy_executable(CUgraphExec executable, forward_call forward) override {
    std::vector<grave*> held;
    {
      const std::lock_guard lock(mutex_);
      held = std::exchange(of_executable_[executable], {});
    }
    close_all(held);
    return forward();
  }

 private:
  std::map<CUgraphExec, std::vector<grave*>> of_executable_;
};

/// Destructors run a while after the last reference is gone, on a thread of their own.
class late_destructors : public user_objects {
 protected:
  CUhostFn run_function() const override {
    return [](void* data) {
      hit();
      std::thread([data] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        static_cast<grave*>(data)->close();
      }).detach();
    };
  }
};

}  // namespace

std::unique_ptr<behaviour> make::event_record_node_runs_first() {
  return std::make_unique<record_node_first>();
}
std::unique_ptr<behaviour> make::event_wait_node_is_skipped() {
  return std::make_unique<wait_node_skipped>();
}
std::unique_ptr<behaviour> make::host_graph_leaves_its_stream() {
  return std::make_unique<host_graph_detached>();
}
std::unique_ptr<behaviour> make::device_launch_accepts_host_node() {
  return std::make_unique<device_launch_accepted>();
}
std::unique_ptr<behaviour> make::executable_destroy_drops_launch() {
  return std::make_unique<destroy_drops_launch>();
}
std::unique_ptr<behaviour> make::user_object_dies_with_graph() {
  return std::make_unique<object_dies_with_graph>();
}
std::unique_ptr<behaviour> make::user_object_dies_with_executable() {
  return std::make_unique<object_dies_with_executable>();
}
std::unique_ptr<behaviour> make::legal_late_destructors() {
  return std::make_unique<late_destructors>();
}

}  // namespace streamcts::faults
