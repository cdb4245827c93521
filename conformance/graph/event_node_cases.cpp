// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events that graphs record, and that they wait for.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

// Promise:   GR-EVENT-001. At every launch, the event of a record node completes only after all that the
//            node depends on: for a stream that waits, and for the host.
// Defect:    the event is recorded when the graph starts, or at the first launch alone. The other stream,
//            or the host after its wait, finds the sentinel.
// Any speed: one of the node's two predecessors is held within the graph until both had their chance.
STREAMCTS_CASE(record_node, {.arrangement = "graph/record_node",
                             .clauses = {clause::GR_EVENT_001},
                             .axes = {created_streams(), host_calls()},
                             .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  constexpr std::size_t branches = 2;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event();
  const node_gates gates(context, branches);
  driver::graph made(context.cuda());
  std::vector<product*> outs;
  std::vector<CUgraphNode> writers;
  for (std::size_t i = 0; i < branches; ++i) {
    outs.push_back(&buffer_for(scene, node_kind::kernel));
    writers.push_back(add_writer(context, made, node_kind::kernel, *outs[i],
                                 gates.add_to(made, i)));
  }
  made.add_event_record(event.event, writers);
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  for (std::size_t held = 0; scene.next_round(context.by_tier(4, 8, 80)); ++held) {
    observer& call = scene.host_call(host_call_of(context));
    for (product* each : outs) call.looks_at(*each);
    host_wait* wait = nullptr;
    operation victim{};
    gates.hold_next(scene, held % branches);
    scene.hold_work([&] {
      const operation launch = scene.note(stream, "graph launch");
      std::vector<operation> before;
      for (product* each : outs) {
        before.push_back(scene.node(fmt::format("kernel node writing {}", each->name), {launch}));
        each->written = before.back();
      }
      victim = before[held % branches];
      event.recorded = scene.node(fmt::format("record node of {}", event.name), before,
                                  "GR-EVENT-001");
      graph.launch(stream.get());
      scene.wait(other, event);
      scene.enqueue(other, call);
      wait = held / branches % 2 == 0 ? &scene.synchronize(event) : &scene.poll(event);
      for (product* each : outs) wait->looks_at(*each);
    });
    scene.drain();
    scene.expect_complete(clause::GR_EVENT_001, victim, call);
    scene.expect_covered(clause::GR_EVENT_001, victim, *wait);
  }
}

/// What depends on a wait node.
axis dependents() {
  return make_axis<node_kind>("node", {node_kind::kernel, node_kind::copy, node_kind::host});
}

/// The kind of the stream in which the event is recorded.
axis recorders() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::blocking, stream_kind::non_blocking});
}

// Promise:   GR-EVENT-002. What depends on a wait node starts only after the work that the event captured
//            at the time of the launch, in whichever stream it was recorded.
// Defect:    the wait node is skipped because the event is none of the graph's, or waits at the first
//            launch alone. The dependent takes the sentinel for what the other stream writes.
// Any speed: the work in front of the event is held until the graph had its chance.
STREAMCTS_CASE(wait_node, {.arrangement = "graph/wait_node",
                           .clauses = {clause::GR_EVENT_002},
                           .axes = {dependents(), recorders()},
                           .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  const auto kind = context.get<node_kind>("node");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  lane& other = scene.stream(stream_of(context));
  mark& event = scene.event();
  product& in = scene.buffer(memory_kind::mapped);
  product& out = scene.buffer(memory_kind::mapped);
  node_call host;
  driver::graph made(context.cuda());
  const CUgraphNode wait = made.add_event_wait(event.event);
  if (kind == node_kind::kernel) {
    made.add_kernel(context.kernels().get().copy_words, {32, 128}, wait, out.data.target(),
                    in.data.target(), std::uint64_t{in.data.words()});
  } else if (kind == node_kind::copy) {
    made.add_memcpy(out.data.target(), in.data.target(), in.data.bytes(),
                    context.session().context(), wait);
  } else {
    add_host(made, host, wait);
  }
  const driver::graph_exec graph(made);
  event.event.record(other.get());
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(3, 6, 60))) {
    out.data.begin_round(in.data.expected());
    observer* call = nullptr;
    if (kind == node_kind::host) {
      call = &scene.host_call(host_call::launch_host_func);
      call->looks_at(in);
      host.stands_for(*call);
    }
    operation victim{}, dependent{};
    scene.hold_work([&] {
      victim = scene.victim(other, in);
      const operation record = scene.record(event, other);
      const operation launch = scene.note(stream, "graph launch");
      const operation node = scene.node("wait node", {launch, record}, "GR-EVENT-002");
      if (call != nullptr) {
        scene.node(*call, {node});
      } else {
        dependent = scene.node(fmt::format("{} node behind it", name(kind)), {node});
      }
      graph.launch(stream.get());
    });
    scene.drain();
    host.rest();
    if (call != nullptr) {
      scene.expect_complete(clause::GR_EVENT_002, victim, *call);
    } else {
      scene.expect_complete(clause::GR_EVENT_002, victim, dependent, out);
    }
  }
}

}  // namespace
}  // namespace streamcts
