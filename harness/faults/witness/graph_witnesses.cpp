// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host nodes of graphs, executables and capture.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

CUDA_HOST_NODE_PARAMS counting(std::atomic<int>& count) {
  CUDA_HOST_NODE_PARAMS node{};
  node.fn = [](void* data) { static_cast<std::atomic<int>*>(data)->fetch_add(1); };
  node.userData = &count;
  return node;
}

void host_node_waits_for_dependencies(scene& s) {
  for (int slow = 0; slow < 2; ++slow) {
    CUgraph graph = s.graph();
    held* gates[2] = {};
    CUgraphNode first = s.kernel_node(graph, {}, &gates[0]);
    CUgraphNode second = s.kernel_node(graph, {}, &gates[1]);
    host_call_probe& probe = s.probe();
    s.host_node(graph, {first, second}, probe);
    gates[1 - slow]->open();
    MUST(cu().GraphLaunch(s.instantiate(graph), s.stream()));
    s.must_not_start(*gates[slow], probe, "a host node started before one of its dependencies");
    s.finish();
  }
}

void host_node_blocks(scene& s) {
  CUgraph graph = s.graph();
  host_call_probe& probe = s.probe();
  held& gate = s.host_gate();
  probe.gate = &gate;
  std::uint32_t* const begun = s.control_word();
  s.signal_node(graph, {s.host_node(graph, {}, probe)}, begun);
  MUST(cu().GraphLaunch(s.instantiate(graph), s.stream()));
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a node started before the host node in front of it had returned");
}

void host_node_runs_at_each_launch(scene& s) {
  CUstream stream = s.stream();
  CUgraph graph = s.graph();
  std::atomic<int> count{0};
  CUDA_HOST_NODE_PARAMS node = counting(count);
  CUgraphNode made = nullptr;
  MUST(cu().GraphAddHostNode(&made, graph, nullptr, 0, &node));
  CUgraphExec executable = s.instantiate(graph);
  for (int i = 0; i < 3; ++i) MUST(cu().GraphLaunch(executable, stream));
  s.finish();
  s.expect(count == 3, "a host node did not run once a launch");
}

/// A graph of one host node that counts in @p before, instantiated.
CUgraphExec counting_graph(scene& s, std::atomic<int>& before, CUgraphNode* made,
                           held** gate = nullptr) {
  CUgraph graph = s.graph();
  std::vector<CUgraphNode> behind;
  if (gate) behind.push_back(s.kernel_node(graph, {}, gate));
  CUDA_HOST_NODE_PARAMS node = counting(before);
  MUST(cu().GraphAddHostNode(made, graph, behind.data(), behind.size(), &node));
  return s.instantiate(graph);
}

void graph_change_leaves_executable(scene& s) {
  std::atomic<int> before{0}, after{0};
  CUgraphNode made = nullptr;
  CUgraphExec executable = counting_graph(s, before, &made);
  CUDA_HOST_NODE_PARAMS changed = counting(after);
  MUST(cu().GraphHostNodeSetParams(made, &changed));
  MUST(cu().GraphLaunch(executable, s.stream()));
  s.finish();
  s.expect(before == 1 && after == 0, "a change of a graph reached an older executable");
}

void executable_change_leaves_pending_launch(scene& s) {
  std::atomic<int> before{0}, after{0};
  CUgraphNode made = nullptr;
  held* gate = nullptr;
  CUgraphExec executable = counting_graph(s, before, &made, &gate);
  MUST(cu().GraphLaunch(executable, s.stream()));
  CUDA_HOST_NODE_PARAMS changed = counting(after);
  MUST(cu().GraphExecHostNodeSetParams(executable, made, &changed));
  if (gate->forced) return s.cannot_tell("the gate was opened by force");
  gate->open();
  s.finish();
  s.expect(before == 1 && after == 0, "a change of an executable reached a pending launch");
}

void executable_change_counts(scene& s) {
  std::atomic<int> before{0}, after{0};
  CUgraphNode made = nullptr;
  CUgraphExec executable = counting_graph(s, before, &made);
  CUDA_HOST_NODE_PARAMS changed = counting(after);
  MUST(cu().GraphExecHostNodeSetParams(executable, made, &changed));
  MUST(cu().GraphLaunch(executable, s.stream()));
  s.finish();
  s.expect(before == 0 && after == 1, "a change of an executable did nothing");
}

void launches_of_one_executable_are_serialized(scene& s) {
  CUstream first = s.stream(), second = s.stream();
  CUgraph graph = s.graph();
  host_call_probe& probe = s.probe();
  held& gate = s.host_gate();
  probe.gate = &gate;
  s.host_node(graph, {}, probe);
  CUgraphExec executable = s.instantiate(graph);
  MUST(cu().GraphLaunch(executable, first));
  MUST(cu().GraphLaunch(executable, second));
  // One driver thread may serialize host nodes by itself: the node's own count tells.
  s.must_not_happen(gate, [&] { return probe.begun > 1; },
                    "two launches of one executable overlapped");
}

void kernel_launches_of_one_executable_are_serialized(scene& s) {
  CUstream first = s.stream(), second = s.stream();
  CUgraph graph = s.graph();
  held* gate = nullptr;
  std::uint32_t* const begun = s.control_word();
  CUgraphNode signal = s.signal_node(graph, {}, begun);
  s.kernel_node(graph, {signal}, &gate);
  CUgraphExec executable = s.instantiate(graph);
  MUST(cu().GraphLaunch(executable, first));
  if (!wait_until([&] { return look(begun) != 0; })) return s.cannot_tell("no launch began");
  *begun = 0;
  MUST(cu().GraphLaunch(executable, second));
  s.must_not_happen(*gate, [&] { return look(begun) != 0; },
                    "two launches of one executable overlapped");
}

/// Captures what @p body puts into a stream and hands out an executable of it.
CUgraphExec captured(scene& s, CUstream stream, const std::function<void()>& body) {
  CUgraph graph = nullptr;
  MUST(cu().StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  body();
  MUST(cu().StreamEndCapture(stream, &graph));
  CUgraphExec executable = s.instantiate(graph);
  MUST(cu().GraphDestroy(graph));
  return executable;
}

void capture_does_not_run_host_function(scene& s) {
  CUstream stream = s.stream();
  host_call_probe& probe = s.probe();
  captured(s, stream, [&] { s.call(stream, form::launch_host_func, probe); });
  s.finish();
  s.expect(probe.begun == 0, "a host function ran when it was captured");
}

void captured_host_function_waits(scene& s) {
  CUstream stream = s.stream();
  host_call_probe& probe = s.probe();
  held* gate = nullptr;
  CUgraphExec executable = captured(s, stream, [&] {
    gate = &s.hold(stream);
    s.call(stream, form::launch_host_func, probe);
  });
  MUST(cu().GraphLaunch(executable, stream));
  s.must_not_start(*gate, probe, "a captured host function started before the kernel before it");
}

void captured_host_function_waits_for_joins(scene& s) {
  for (int slow = 0; slow < 2; ++slow) {
    CUstream stream = s.stream(), branch = s.stream();
    CUevent fork = s.event(), join = s.event();
    host_call_probe& probe = s.probe();
    held* gates[2] = {};
    CUgraphExec executable = captured(s, stream, [&] {
      MUST(cu().EventRecord(fork, stream));
      MUST(cu().StreamWaitEvent(branch, fork, 0));
      gates[0] = &s.hold(stream);
      gates[1] = &s.hold(branch);
      MUST(cu().EventRecord(join, branch));
      MUST(cu().StreamWaitEvent(stream, join, 0));
      s.call(stream, form::launch_host_func, probe);
    });
    gates[1 - slow]->open();
    MUST(cu().GraphLaunch(executable, stream));
    s.must_not_start(*gates[slow], probe, "a captured host function did not wait for a branch");
    s.finish();
  }
}

void capture_refuses_callback(scene& s) {
  CUstream stream = s.stream();
  host_call_probe& probe = s.probe();
  MUST(cu().StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  CUresult result = CUDA_SUCCESS;
  try {
    s.call(stream, form::add_callback, probe);
  } catch (const std::exception&) {
    result = CUDA_ERROR_UNKNOWN;
  }
  CUgraph graph = nullptr;
  (void)cu().StreamEndCapture(stream, &graph);
  if (graph) cu().GraphDestroy(graph);
  s.expect(result != CUDA_SUCCESS, "a stream callback was accepted in a capture");
}

void capturing_stream_cannot_be_waited_for(scene& s) {
  CUstream stream = s.stream();
  MUST(cu().StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const CUresult queried = cu().StreamQuery(stream);
  const CUresult synchronized = cu().StreamSynchronize(stream);
  CUgraph graph = nullptr;
  (void)cu().StreamEndCapture(stream, &graph);
  if (graph) cu().GraphDestroy(graph);
  s.expect(queried != CUDA_SUCCESS && synchronized != CUDA_SUCCESS,
           "a capturing stream was waited for");
}

void captured_event_cannot_be_waited_for(scene& s) {
  CUstream stream = s.stream();
  CUevent event = s.event();
  MUST(cu().StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  MUST(cu().EventRecord(event, stream));
  const CUresult queried = cu().EventQuery(event);
  CUgraph graph = nullptr;
  (void)cu().StreamEndCapture(stream, &graph);
  if (graph) cu().GraphDestroy(graph);
  s.expect(queried != CUDA_SUCCESS, "a captured event was asked and said complete");
}

void capture_keeps_stream_order(scene& s) {
  CUstream stream = s.stream();
  std::uint32_t *const captured_word = s.control_word(), *const begun = s.control_word();
  held& gate = s.hold(stream);
  captured(s, stream, [&] { s.signal(stream, captured_word); });
  s.signal(stream, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "after a capture a kernel passed what was in its stream before");
}

const witness list[] = {
    {"host_node_waits_for_dependencies", host_node_waits_for_dependencies},
    {"host_node_blocks", host_node_blocks},
    {"host_node_runs_at_each_launch", host_node_runs_at_each_launch},
    {"graph_change_leaves_executable", graph_change_leaves_executable},
    {"executable_change_leaves_pending_launch", executable_change_leaves_pending_launch},
    {"executable_change_counts", executable_change_counts},
    {"launches_of_one_executable_are_serialized", launches_of_one_executable_are_serialized},
    {"kernel_launches_of_one_executable_are_serialized",
     kernel_launches_of_one_executable_are_serialized},
    {"capture_does_not_run_host_function", capture_does_not_run_host_function},
    {"captured_host_function_waits", captured_host_function_waits},
    {"captured_host_function_waits_for_joins", captured_host_function_waits_for_joins},
    {"capture_refuses_callback", capture_refuses_callback},
    {"capturing_stream_cannot_be_waited_for", capturing_stream_cannot_be_waited_for},
    {"captured_event_cannot_be_waited_for", captured_event_cannot_be_waited_for},
    {"capture_keeps_stream_order", capture_keeps_stream_order},
};

}  // namespace

std::span<const witness> graph_witnesses() { return list; }

}  // namespace streamcts::faults::witness
