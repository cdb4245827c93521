// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What waits for a graph launch waits for all of its nodes.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// What stands behind the launch.
enum class wait_by {
  callback,
  host_function,
  stream_synchronize,
  stream_query,
  event_synchronize,
  event_query,
  context_synchronize,
};
std::string_view name(wait_by what) {
  switch (what) {
    case wait_by::callback: return "callback";
    case wait_by::host_function: return "host_function";
    case wait_by::stream_synchronize: return "stream_synchronize";
    case wait_by::stream_query: return "stream_query";
    case wait_by::event_synchronize: return "event_synchronize";
    case wait_by::event_query: return "event_query";
    case wait_by::context_synchronize: return "context_synchronize";
  }
  return "unknown";
}
axis waits() {
  return make_axis<wait_by>("wait", {wait_by::callback, wait_by::host_function,
                                     wait_by::stream_synchronize, wait_by::stream_query,
                                     wait_by::event_synchronize, wait_by::event_query,
                                     wait_by::context_synchronize});
}

bool is_host_call(wait_by what) {
  return what == wait_by::callback || what == wait_by::host_function;
}

host_call call_of(wait_by what) {
  return what == wait_by::callback ? host_call::add_callback : host_call::launch_host_func;
}

/// Puts what waits behind everything in @p stream; not for host calls.
host_wait& wait_behind(case_context& context, arrangement& scene, wait_by how, lane& stream,
                       mark& event) {
  if (how == wait_by::event_synchronize || how == wait_by::event_query) {
    scene.record(event, stream);
    return how == wait_by::event_query ? scene.poll(event) : scene.synchronize(event);
  }
  if (how == wait_by::stream_query) return scene.poll(stream);
  if (how == wait_by::stream_synchronize) return scene.synchronize(stream);
  return scene.host_wait(scene.host_after(stream, "cuCtxSynchronize"),
                         [&cuda = context.cuda()] { return cuda.cuCtxSynchronize(); });
}

/// The sinks of the graph: what it ends with, side by side.
constexpr std::array sinks = {node_kind::kernel, node_kind::copy, node_kind::memset,
                              node_kind::kernel};
constexpr std::size_t in_child = sinks.size() - 1;

/// A graph of those sinks, each behind a gate, the last one in a child graph; and a host node.
struct wide_graph {
  wide_graph(case_context& context, arrangement& scene, const node_gates& gates)
      : made(context.cuda()) {
    driver::graph child(context.cuda());
    for (std::size_t i = 0; i < sinks.size(); ++i) {
      outs.push_back(&buffer_for(scene, sinks[i]));
      driver::graph& to = i == in_child ? child : made;
      add_writer(context, to, sinks[i], *outs[i], gates.add_to(to, i));
    }
    made.add_child(child);
    add_host(made, host);
  }
  void begin_round() const {
    for (std::size_t i = 0; i < sinks.size(); ++i) {
      if (sinks[i] == node_kind::memset) prepare_for_memset(*outs[i]);
    }
  }

  driver::graph made;
  std::vector<product*> outs;
  node_call host;
};

// Promise:   GR-LAUNCH-004. A host call, and a synchronize or successful query of stream, event and
//            context, behind a graph launch covers all of its nodes: kernels, copies, memsets, those of
//            child graphs.
// Defect:    the graph counts as done with its first sink, or with its kernels. The held sink's payload
//            is the sentinel, or the wait returned while it was held.
// Any speed: one sink after the other is held within the graph until what waits had its chance.
STREAMCTS_CASE(covers_sinks, {.arrangement = "graph/covers_sinks",
                              .clauses = {clause::GR_LAUNCH_004},
                              .axes = {waits()},
                              .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  const auto how = context.get<wait_by>("wait");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  mark& event = scene.event();
  const node_gates gates(context, sinks.size());
  wide_graph wide(context, scene, gates);
  const driver::graph_exec graph(wide.made);
  warm_up(context, graph, stream);
  const int rounds = static_cast<int>(sinks.size());
  for (std::size_t held = 0; scene.next_round(rounds * context.by_tier(1, 1, 10)); ++held) {
    wide.begin_round();
    observer* call = nullptr;
    host_wait* wait = nullptr;
    operation victim{};
    gates.hold_next(scene, held % sinks.size());
    scene.hold_work([&] {
      const operation launch = scene.note(stream, "graph launch");
      for (std::size_t i = 0; i < sinks.size(); ++i) {
        wide.outs[i]->written = scene.node(fmt::format("{} node", name(sinks[i])), {launch});
      }
      victim = launch;
      graph.launch(stream.get());
      if (is_host_call(how)) {
        call = &scene.host_call(call_of(how));
        for (product* each : wide.outs) call->looks_at(*each);
        scene.enqueue(stream, *call);
      } else {
        wait = &wait_behind(context, scene, how, stream, event);
        for (product* each : wide.outs) wait->looks_at(*each);
      }
    });
    scene.drain();
    if (call != nullptr) scene.expect_complete(clause::GR_LAUNCH_004, victim, *call);
    if (wait != nullptr) scene.expect_covered(clause::GR_LAUNCH_004, victim, *wait);
  }
}

// Promise:   GR-LAUNCH-004. The same for host nodes that nothing in the graph depends on.
// Defect:    the graph counts as done when its device work is. The wait returned, or the host call began,
//            before the host node had ended.
// Any speed: the host node holds itself until what waits had its chance.
STREAMCTS_CASE(covers_host_node, {.arrangement = "graph/covers_host_node",
                                  .clauses = {clause::GR_LAUNCH_004},
                                  .axes = {waits()},
                                  .needs = {need::device_gate, need::host_gate,
                                            need::mapped_memory}}) {
  require_graphs(context);
  const auto how = context.get<wait_by>("wait");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  mark& event = scene.event();
  const node_gates gates(context, sinks.size());
  wide_graph wide(context, scene, gates);
  const driver::graph_exec graph(wide.made);
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(2, 4, 40))) {
    wide.begin_round();
    observer& held = scene.host_call(host_call::launch_host_func);
    wide.host.stands_for(held);
    observer* call = nullptr;
    host_wait* wait = nullptr;
    scene.hold_call(stream, held, [&] {
      if (is_host_call(how)) {
        call = &scene.host_call(call_of(how));
        scene.enqueue(stream, *call);
      } else {
        wait = &wait_behind(context, scene, how, stream, event);
        wait->awaits(held);
      }
    }, {.victim = [&] {
      const operation launch = scene.note(stream, "graph launch");
      scene.node(held, {launch}, "GR-LAUNCH-001");
      graph.launch(stream.get());
    }});
    scene.drain();
    wide.host.rest();
    if (wait != nullptr) scene.expect_covered(clause::GR_LAUNCH_004, held.op(), *wait);
    if (call != nullptr) {
      scene.expect(clause::GR_LAUNCH_004, held.op(), call->op(), failure_kind::early,
                   call->slot().begin_stamp(), ::testing::Gt(held.slot().end_stamp()));
    }
  }
}

}  // namespace
}  // namespace streamcts
