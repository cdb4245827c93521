// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Event nodes, graphs of host nodes alone, executables that are destroyed, user objects.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

void record_node_waits(scene& s) {
  CUstream stream = s.stream(), other = s.stream();
  CUevent event = s.event();
  std::uint32_t* const begun = s.control_word();
  CUgraph graph = s.graph();
  held* gate = nullptr;
  const CUgraphNode front = s.kernel_node(graph, {}, &gate);
  CUgraphNode made = nullptr;
  MUST(cu().GraphAddEventRecordNode(&made, graph, &front, 1, event));
  MUST(cu().GraphLaunch(s.instantiate(graph), stream));
  MUST(cu().StreamWaitEvent(other, event, 0));
  s.signal(other, begun);
  s.must_not_happen(*gate, [&] { return look(begun) != 0; },
                    "a record node did not wait for the node in front of it");
}

void wait_node_waits(scene& s) {
  CUstream stream = s.stream(), other = s.stream();
  CUevent event = s.event();
  std::uint32_t* const begun = s.control_word();
  CUgraph graph = s.graph();
  CUgraphNode wait = nullptr;
  MUST(cu().GraphAddEventWaitNode(&wait, graph, nullptr, 0, event));
  s.signal_node(graph, {wait}, begun);
  CUgraphExec executable = s.instantiate(graph);
  held& gate = s.hold(other);
  MUST(cu().EventRecord(event, other));
  MUST(cu().GraphLaunch(executable, stream));
  s.must_not_happen(gate, [&] { return look(begun) != 0; }, "a wait node did not wait");
}

void host_graph_waits(scene& s) {
  CUstream stream = s.stream();
  CUgraph graph = s.graph();
  host_call_probe& probe = s.probe();
  s.host_node(graph, {}, probe);
  CUgraphExec executable = s.instantiate(graph);
  held& gate = s.hold(stream);
  MUST(cu().GraphLaunch(executable, stream));
  s.must_not_start(gate, probe, "a graph of a host node did not wait for its stream");
  if (!wait_until([&] { return probe.ended > 0; })) s.cannot_tell("a host node did not run");
}

void device_launch_refuses_host_node(scene& s) {
  CUgraph graph = s.graph();
  s.host_node(graph, {}, s.probe());
  CUgraphExec executable = nullptr;
  const CUresult result = cu().GraphInstantiateWithFlags(
      &executable, graph, CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH);
  if (executable) cu().GraphExecDestroy(executable);
  s.expect(result != CUDA_SUCCESS, "a host node may be in a graph for launch by the device");
}

/// A graph of a gate and a host node behind it.
CUgraph held_host_node(scene& s, host_call_probe& probe, held** gate) {
  CUgraph graph = nullptr;
  MUST(cu().GraphCreate(&graph, 0));
  s.host_node(graph, {s.kernel_node(graph, {}, gate)}, probe);
  return graph;
}

void launch_outlives_executable(scene& s) {
  host_call_probe& probe = s.probe();
  held* gate = nullptr;
  CUgraph graph = held_host_node(s, probe, &gate);
  CUgraphExec executable = nullptr;
  MUST(cu().GraphInstantiate(&executable, graph, 0));
  MUST(cu().GraphLaunch(executable, s.stream()));
  MUST(cu().GraphExecDestroy(executable));
  MUST(cu().GraphDestroy(graph));
  s.finish();
  s.expect(probe.begun == 1, "a host node was not called after its executable was destroyed");
}

/// Counts calls of a destructor, for good: it may come late.
std::atomic<int>& new_count() {
  static auto* all = new std::deque<std::atomic<int>>;
  return all->emplace_back(0);
}

CUuserObject object_of(std::atomic<int>& count) {
  CUuserObject made = nullptr;
  MUST(cu().UserObjectCreate(
      &made, &count, [](void* data) { static_cast<std::atomic<int>*>(data)->fetch_add(1); }, 1,
      CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  return made;
}

void user_object_outlives_graph(scene& s) {
  std::atomic<int>& count = new_count();
  CUgraph graph = nullptr;
  MUST(cu().GraphCreate(&graph, 0));
  MUST(cu().GraphRetainUserObject(graph, object_of(count), 1, CU_GRAPH_USER_OBJECT_MOVE));
  CUgraphExec executable = nullptr;
  MUST(cu().GraphInstantiate(&executable, graph, 0));
  MUST(cu().GraphDestroy(graph));
  s.expect(count == 0, "a destructor was called while an executable held the object");
  MUST(cu().GraphExecDestroy(executable));
  s.expect(wait_until([&] { return count > 0; }) && count == 1,
           "a destructor was not called once in the end");
}

void user_object_outlives_executable(scene& s) {
  std::atomic<int>& count = new_count();
  host_call_probe& probe = s.probe();
  std::atomic<int> seen{-1};
  probe.body = [&] { seen = count.load(); };
  held* gate = nullptr;
  CUgraph graph = held_host_node(s, probe, &gate);
  MUST(cu().GraphRetainUserObject(graph, object_of(count), 1, CU_GRAPH_USER_OBJECT_MOVE));
  CUgraphExec executable = nullptr;
  MUST(cu().GraphInstantiate(&executable, graph, 0));
  MUST(cu().GraphDestroy(graph));
  MUST(cu().GraphLaunch(executable, s.stream()));
  MUST(cu().GraphExecDestroy(executable));
  if (gate->forced) s.cannot_tell("the gate was opened by force");
  s.finish();
  s.expect(seen == 0, "a destructor was called while a launch needed the object");
}

const witness list[] = {
    {"record_node_waits", record_node_waits},
    {"wait_node_waits", wait_node_waits},
    {"host_graph_waits", host_graph_waits},
    {"device_launch_refuses_host_node", device_launch_refuses_host_node},
    {"launch_outlives_executable", launch_outlives_executable},
    {"user_object_outlives_graph", user_object_outlives_graph},
    {"user_object_outlives_executable", user_object_outlives_executable},
};

}  // namespace

std::span<const witness> graph_node_witnesses() { return list; }

}  // namespace streamcts::faults::witness
