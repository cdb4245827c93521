// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// When a host node runs: behind what it depends on, in front of what depends on it.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// Where the host node is: in the graph that is launched, in a child graph of it, in a clone.
enum class place { top, child, clone };
std::string_view name(place what) {
  switch (what) {
    case place::top: return "top";
    case place::child: return "child";
    case place::clone: return "clone";
  }
  return "unknown";
}

axis places() { return make_axis<place>("place", {place::top, place::child, place::clone}); }

axis device_nodes() {
  return make_axis<node_kind>("node", {node_kind::kernel, node_kind::copy, node_kind::memset});
}

std::vector<clause_id> by_place(const parameters& values) {
  return {values.get<place>("place") == place::top ? clause::GR_HOST_002 : clause::GR_HOST_007};
}

/// @p inner, or what @p where says of it, made executable.
driver::graph_exec placed(const case_context& context, place where, const driver::graph& inner) {
  if (where == place::top) return driver::graph_exec(inner);
  if (where == place::clone) return driver::graph_exec(inner.clone());
  driver::graph outer(context.cuda());
  outer.add_child(inner);
  return driver::graph_exec(outer);
}

// Promise:   GR-HOST-002, GR-HOST-007. A host node runs after every node that it depends on has finished,
//            and sees what they wrote; in child graphs and clones too.
// Defect:    an edge into the host node is lost, or only the first one is kept. It finds the sentinel in
//            what a predecessor writes.
// Any speed: one predecessor after the other is held within the graph until the host node had its
//            chance.
STREAMCTS_CASE(host_node_behind, {.arrangement = "graph/host_node_behind",
                                  .clauses = {clause::GR_HOST_002, clause::GR_HOST_007},
                                  .clauses_of = by_place,
                                  .axes = {device_nodes(), places()},
                                  .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  constexpr std::size_t branches = 3;
  const clause_id promise = context.instance().clauses.front();
  const auto kind = context.get<node_kind>("node");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const node_gates gates(context, branches);
  node_call host;
  driver::graph made(context.cuda());
  std::vector<product*> outs;
  std::vector<CUgraphNode> writers;
  for (std::size_t i = 0; i < branches; ++i) {
    outs.push_back(&buffer_for(scene, kind));
    writers.push_back(add_writer(context, made, kind, *outs[i], gates.add_to(made, i)));
  }
  add_host(made, host, writers);
  const driver::graph_exec graph = placed(context, context.get<place>("place"), made);
  warm_up(context, graph, stream);
  for (std::size_t held = 0; scene.next_round(context.by_tier(3, 6, 60)); ++held) {
    observer& call = scene.host_call(host_call::launch_host_func);
    for (product* each : outs) call.looks_at(*each);
    host.stands_for(call);
    gates.hold_next(scene, held % branches);
    operation victim{};
    scene.hold_work([&] {
      const operation launch = scene.note(stream, "graph launch");
      std::vector<operation> before;
      for (std::size_t i = 0; i < branches; ++i) {
        if (kind == node_kind::memset) prepare_for_memset(*outs[i]);
        before.push_back(scene.node(fmt::format("{} node {}", name(kind), i + 1), {launch}));
        outs[i]->written = before.back();
      }
      victim = before[held % branches];
      scene.node(call, before);
      graph.launch(stream.get());
    });
    scene.drain();
    host.rest();
    scene.expect_complete(promise, victim, call);
  }
}

// Promise:   GR-HOST-002, GR-HOST-007. A node that depends on a host node does not start before the host
//            node has returned, and sees what it wrote.
// Defect:    edges out of a host node are dropped. The successor has written before the host node
//            returned, or copied what was there before.
// Any speed: the host node holds itself until the successor had its chance, and writes last.
STREAMCTS_CASE(host_node_blocks, {.arrangement = "graph/host_node_blocks",
                                  .clauses = {clause::GR_HOST_002, clause::GR_HOST_007},
                                  .clauses_of = by_place,
                                  .axes = {device_nodes(), places()},
                                  .needs = {need::device_gate, need::host_gate,
                                            need::mapped_memory}}) {
  require_graphs(context);
  const clause_id promise = context.instance().clauses.front();
  const auto kind = context.get<node_kind>("node");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = buffer_for(scene, kind);   // by the successor under test
  product& in = scene.buffer(memory_kind::mapped);    // by the host node
  product& taken = scene.buffer(memory_kind::mapped);  // what another successor made of it
  node_call host;
  driver::graph made(context.cuda());
  const CUgraphNode front = add_host(made, host);
  add_writer(context, made, kind, out, front);
  made.add_kernel(context.kernels().get().copy_words, {32, 128}, front, taken.data.target(),
                  in.data.target(), std::uint64_t{in.data.words()});
  const driver::graph_exec graph = placed(context, context.get<place>("place"), made);
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(2, 4, 40))) {
    if (kind == node_kind::memset) prepare_for_memset(out);
    const kernels::pattern token = in.data.expected();
    taken.data.begin_round(token);
    observer& call = scene.host_call(host_call::launch_host_func);
    call.guards(out);
    call.guards(taken);
    call.finally([words = in.data.host_words(), token] {
      for (std::size_t i = 0; i < words.size(); ++i) words[i] = token.word(i);
    });
    host.stands_for(call);
    operation behind{};
    scene.hold_call(stream, call, [] {}, {.victim = [&] {
      const operation launch = scene.note(stream, "graph launch");
      const operation held = scene.node(call, {launch}, "GR-LAUNCH-001");
      out.written = scene.node(fmt::format("{} node behind it", name(kind)), {held});
      behind = scene.node("kernel node that copies what it wrote", {held});
      taken.written = behind;
      graph.launch(stream.get());
    }});
    scene.drain();
    host.rest();
    scene.expect_blocked(promise, call, behind);
    scene.expect_complete(promise, call.op(), behind, taken);
  }
}

// Promise:   GR-HOST-002. A host node that depends on a host node starts after that one has returned,
//            whichever of several it is.
// Defect:    the driver calls host nodes in the order in which they were added, or as they become known.
//            A later one was called before one in front of it had returned.
// Any speed: stamps that the calls take at their begin and end, whatever the time between them. The
//            nodes are added in an order that is not theirs.
STREAMCTS_CASE(host_node_chain, {.arrangement = "graph/host_node_chain",
                                 .clauses = {clause::GR_HOST_002},
                                 .without_hold = "order of the stamps of all calls"}) {
  require_graphs(context);
  constexpr std::size_t length = 12;
  constexpr std::size_t stride = 5;  // prime to the length: each is added once, the last ones early
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  std::deque<node_call> calls(length);
  driver::graph made(context.cuda());
  std::vector<CUgraphNode> nodes(length);
  for (std::size_t i = 0; i < length; ++i) {
    const std::size_t which = (i * stride + length - 1) % length;
    nodes[which] = add_host(made, calls[which]);
  }
  for (std::size_t i = 1; i < length; ++i) made.add_dependency(nodes[i - 1], nodes[i]);
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(3, 20, 200))) {
    std::vector<observer*> seen;
    const operation launch = scene.note(stream, "graph launch");
    for (std::size_t i = 0; i < length; ++i) {
      seen.push_back(&scene.host_call(host_call::launch_host_func));
      scene.node(*seen[i], {i == 0 ? launch : seen[i - 1]->op()});
      calls[i].stands_for(*seen[i]);
    }
    graph.launch(stream.get());
    scene.drain();
    for (node_call& each : calls) each.rest();
    for (std::size_t i = 1; i < length; ++i) {
      scene.expect(clause::GR_HOST_002, seen[i - 1]->op(), seen[i]->op(), failure_kind::order,
                   seen[i]->slot().begin_stamp(),
                   ::testing::Gt(seen[i - 1]->slot().end_stamp()));
    }
  }
}

// Promise:   GR-HOST-003. A host node that depends on nothing starts only after what is in front of the
//            launch in its stream.
// Defect:    a graph of host nodes alone is taken out of the stream. The node finds the sentinel.
// Any speed: the producer in front is held until the host node had its chance.
STREAMCTS_CASE(root_host_node, {.arrangement = "graph/root_host_node",
                                .clauses = {clause::GR_HOST_003},
                                .axes = {streams(), producers()},
                                .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped, producer_of(context));
  node_call host;
  driver::graph made(context.cuda());
  add_host(made, host);
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call::launch_host_func);
    call.looks_at(out);
    host.stands_for(call);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      const operation launch = scene.note(stream, "launch of a graph of one host node");
      scene.node(call, {launch}, "GR-HOST-003");
      graph.launch(stream.get());
    });
    scene.drain();
    host.rest();
    scene.expect_complete(clause::GR_HOST_003, victim, call);
  }
}

// Promise:   GR-HOST-003. What is behind the launch in the stream waits for all host nodes of the graph,
//            those that are its only nodes too.
// Defect:    the launch counts as done when its device work is, and here there is none. Later work has
//            begun, or the stream is called empty, before the host node returned.
// Any speed: the host node holds itself until what is behind had its chance.
STREAMCTS_CASE(behind_host_node, {.arrangement = "graph/behind_host_node",
                                  .clauses = {clause::GR_HOST_003},
                                  .axes = {streams()},
                                  .needs = {need::device_gate, need::host_gate,
                                            need::mapped_memory}}) {
  require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped, producer::copy);
  node_call host;
  driver::graph made(context.cuda());
  add_host(made, host);
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  for (int round = 0; scene.next_round(context.by_tier(2, 4, 50)); ++round) {
    observer& call = scene.host_call(host_call::launch_host_func);
    const control_word marker = scene.marker();
    call.watches(marker);
    call.guards(out);
    host.stands_for(call);
    operation behind{};
    host_wait* wait = nullptr;
    // A copy right behind the launch in one round, a kernel in the other.
    scene.hold_call(stream, call, [&] {
      if (round % 2 == 0) scene.write(stream, out);
      behind = scene.signal(stream, marker);
      wait = round % 2 == 0 ? &scene.synchronize(stream) : &scene.poll(stream);
      wait->awaits(call);
    }, {.victim = [&] {
      const operation launch = scene.note(stream, "launch of a graph of one host node");
      scene.node(call, {launch}, "GR-LAUNCH-001");
      graph.launch(stream.get());
    }});
    scene.drain();
    host.rest();
    scene.expect_blocked(clause::GR_HOST_003, call, behind);
    scene.expect_covered(clause::GR_HOST_003, call.op(), *wait);
  }
}

}  // namespace
}  // namespace streamcts
