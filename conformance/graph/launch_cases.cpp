// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A graph launch as work of a stream: behind what is in front of it, in front of what is behind it.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

// Promise:   GR-LAUNCH-001. Every node of a graph that depends on nothing starts only after what is in
//            front of the launch in its stream.
// Defect:    roots start when the launch call returns, or only the first root waits. A root has copied
//            the sentinel instead of what the producer wrote.
// Any speed: the producer in front is held until the roots had their chance; what they copied stays.
STREAMCTS_CASE(roots_behind, {.arrangement = "graph/roots_behind",
                              .clauses = {clause::GR_LAUNCH_001},
                              .axes = {streams(), producers()},
                              .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& in = scene.buffer(memory_kind::mapped, producer_of(context));
  product& by_kernel = scene.buffer(memory_kind::mapped);
  product& by_copy = scene.buffer(memory_kind::mapped);
  product& by_child = scene.buffer(memory_kind::mapped);
  node_call host;
  driver::graph made(context.cuda());
  const auto add_kernel = [&](driver::graph& to, const product& out) {
    to.add_kernel(context.kernels().get().copy_words, {32, 128}, {}, out.data.target(),
                  in.data.target(), std::uint64_t{in.data.words()});
  };
  add_kernel(made, by_kernel);
  made.add_memcpy(by_copy.data.target(), in.data.target(), in.data.bytes(),
                  context.session().context());
  driver::graph child(context.cuda());
  add_kernel(child, by_child);
  made.add_child(child);
  add_host(made, host);
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const std::array outs = {&by_kernel, &by_copy, &by_child};
    for (product* each : outs) each->data.begin_round(in.data.expected());
    observer& call = scene.host_call(host_call::launch_host_func);
    call.looks_at(in);
    host.stands_for(call);
    operation victim{}, launch{};
    scene.hold_work([&] {
      victim = scene.victim(stream, in);
      launch = scene.note(stream, "graph launch");
      scene.node(call, {launch}, "GR-LAUNCH-001");
      graph.launch(stream.get());
    });
    scene.drain();
    host.rest();
    scene.expect_complete(clause::GR_LAUNCH_001, victim, call);
    for (product* each : outs) {
      scene.expect_complete(clause::GR_LAUNCH_001, victim, launch, *each);
    }
  }
}

// Promise:   GR-LAUNCH-001. A graph launch behind a host call starts only after the host call has returned.
// Defect:    the launch waits for the device alone. The host call finds, before it returns, what the
//            graph's kernel writes.
// Any speed: the host call holds itself until the graph had its chance.
STREAMCTS_CASE(behind_host_call, {.arrangement = "graph/launch_behind_host_call",
                                  .clauses = {clause::GR_LAUNCH_001},
                                  .axes = {host_calls(), created_streams()},
                                  .needs = {need::device_gate, need::host_gate,
                                            need::mapped_memory}}) {
  require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = buffer_for(scene, node_kind::kernel);
  driver::graph made(context.cuda());
  add_writer(context, made, node_kind::kernel, out);
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    held.guards(out);
    operation launch{};
    scene.hold_call(stream, held, [&] {
      launch = scene.note(stream, "graph launch");
      out.written = launch;
      graph.launch(stream.get());
    });
    scene.drain();
    scene.expect_blocked(clause::GR_LAUNCH_001, held, launch);
    scene.expect_complete(clause::GR_LAUNCH_001, held.op(), launch, out);
  }
}

// Promise:   GR-LAUNCH-001. Work behind a graph launch in its stream starts only after every branch of
//            the graph.
// Defect:    it waits for one branch, or for the launch to be submitted. It takes the sentinel for what
//            the held branch writes.
// Any speed: one branch after the other is held within the graph until the consumer had its chance.
STREAMCTS_CASE(behind_branches, {.arrangement = "graph/behind_branches",
                                 .clauses = {clause::GR_LAUNCH_001},
                                 .axes = {consumers(), created_streams()},
                                 .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  constexpr std::size_t branches = 2;
  const consumer kind = consumer_of(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  const node_gates gates(context, branches);
  driver::graph made(context.cuda());
  std::vector<product*> ins;
  std::deque<consumption> uses;
  for (std::size_t i = 0; i < branches; ++i) {
    ins.push_back(&scene.buffer(input_of(kind), producer::copy));
    add_writer(context, made, node_kind::kernel, *ins[i], gates.add_to(made, i));
    uses.emplace_back(context, scene, kind, *ins[i]);
  }
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  for (std::size_t held = 0; scene.next_round(context.by_tier(2, 4, 50)); ++held) {
    gates.hold_next(scene, held % branches);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.note(stream, "graph with a held branch");
      for (product* each : ins) each->written = victim;
      graph.launch(stream.get());
      for (consumption& each : uses) each.enqueue(stream);
    });
    scene.drain();
    for (const consumption& each : uses) each.expect_ordered(clause::GR_LAUNCH_001, victim);
  }
}

/// Where the launches of one executable go.
enum class spread { one_stream, two_streams, blocking_and_null };
std::string_view name(spread what) {
  switch (what) {
    case spread::one_stream: return "one_stream";
    case spread::two_streams: return "two_streams";
    case spread::blocking_and_null: return "non_blocking_and_null";
  }
  return "unknown";
}

// Promise:   GR-LAUNCH-002. Launches of one executable run one after another, in the order of the launch
//            calls, in whichever streams they are.
// Defect:    launches in different streams overlap. When the first one's last node runs, a later one's
//            first node has run too: it counts more heads than launches that had ended, and one.
// Any speed: the first launch is held between its first and its last node until the others had their
//            chance; each last node reads the count of first nodes.
STREAMCTS_CASE(one_executable, {.arrangement = "graph/one_executable",
                                .clauses = {clause::GR_LAUNCH_002},
                                .axes = {make_axis<spread>("streams", {spread::two_streams,
                                                                       spread::one_stream,
                                                                       spread::blocking_and_null})},
                                .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  constexpr std::size_t launches = 6;
  const auto where = context.get<spread>("streams");
  arrangement scene(context);
  std::vector<lane*> lanes = {&scene.stream(driver::stream_kind::non_blocking)};
  if (where != spread::one_stream) {
    lanes.push_back(&scene.stream(where == spread::two_streams ? driver::stream_kind::non_blocking
                                                               : driver::stream_kind::null_stream));
  }
  const node_gates gates(context, 1);
  product& heads = scene.buffer(memory_kind::mapped);
  struct tail {
    const std::uint64_t* heads;
    std::atomic<std::size_t> ended{0};
    std::array<std::uint64_t, launches> seen{};
  } last{heads.data.host_words().data(), {}, {}};
  driver::graph made(context.cuda());
  const CUgraphNode head = made.add_kernel(context.kernels().get().add, {1, 1}, {},
                                           heads.data.target(), std::uint64_t{1});
  const CUgraphNode gate = gates.add_to(made, 0, head);
  made.add_host([](void* data) {
    auto& self = *static_cast<tail*>(data);
    const std::size_t index = self.ended.fetch_add(1, std::memory_order_acq_rel);
    if (index < launches) self.seen[index] = *self.heads;
  }, &last, gate);
  const driver::graph_exec graph(made);
  warm_up(context, graph, *lanes.front());
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    heads.data.host_words()[0] = 0;
    last.ended.store(0);
    gates.hold_next(scene, 0);
    std::vector<operation> all;
    scene.hold_work([&] {
      for (std::size_t i = 0; i < launches; ++i) {
        lane& on = *lanes[i % lanes.size()];
        all.push_back(scene.note(on, fmt::format("launch {} in {}", i + 1, on.name)));
        graph.launch(on.get());
      }
    });
    scene.drain();
    for (std::size_t i = 0; i < launches; ++i) {
      scene.expect(clause::GR_LAUNCH_002, all[0], all[i], failure_kind::overlap, last.seen[i],
                   ::testing::Eq(i + 1));
    }
  }
}

}  // namespace
}  // namespace streamcts
