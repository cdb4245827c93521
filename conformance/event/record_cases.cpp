// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What an event stands for: all that was in the stream when it was recorded.

#include <optional>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/event/seen_by.h"

namespace streamcts {
namespace {

// Promise:   EV-REC-001. An event completes only after all work in front of the record has completed.
// Defect:    it completes when the record is parsed, or without the last piece of work. Whoever waits for
//            it finds the sentinel.
// Any speed: the work in front is held until all three kinds of observer had their chance.
STREAMCTS_CASE(recorded_behind_work, {.arrangement = "event/behind_work",
                                      .clauses = {clause::EV_REC_001},
                                      .axes = {observers(), streams(), producers(), event_kinds()},
                                      .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& earlier = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  product& out = scene.buffer(memory_kind::mapped, producer_of(context));
  mark& recorded = scene.event(flags_of(event_of(context)));
  event_observer observer(context, scene);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    scene.hold_work([&] {
      scene.write(stream, earlier);
      victim = scene.victim(stream, out);
      scene.record(recorded, stream);
      observer.observe(recorded, {&earlier, &out});
    });
    scene.drain();
    observer.expect_complete(clause::EV_REC_001, victim);
  }
}

/// Work of other kinds that an event has to stand for.
enum class work { graph, wait };
std::string_view name(work what) { return what == work::graph ? "graph" : "wait"; }

axis kinds_of_work() { return make_axis<work>("work", {work::graph, work::wait}); }

/// A graph of one kernel that waits for the gate of the hold, then writes @p out. Made while the gate
/// is shut, but before anything waits for it.
driver::graph_exec held_graph(case_context& context, arrangement& scene, const product& out) {
  const gate& held = scene.victim_gate();
  const kernels::pattern what = out.data.expected();
  driver::graph made(context.cuda());
  made.add_kernel(context.kernels().get().gated_write, {1, 128}, {}, held.word().device(),
                  held.begun_word().device(), std::uint32_t{1},
                  static_cast<std::uint64_t>(held.timeout().count()), out.data.target(),
                  std::uint64_t{out.data.words()}, what.base, what.step);
  return driver::graph_exec(made);
}

// Promise:   EV-REC-001. Graph launches and waits for other events are work in front of the record too.
// Defect:    a stream whose only entry is a wait counts as empty, a graph counts as done once launched.
//            Whoever waits for the event finds the sentinel.
// Any speed: the graph's kernel, or the work that the wait is for, is held until the observer had its
//            chance.
STREAMCTS_CASE(recorded_behind_other_work, {.arrangement = "event/behind_other_work",
                                            .clauses = {clause::EV_REC_001},
                                            .axes = {observers(), created_streams(),
                                                     kinds_of_work()},
                                            .needs = {need::device_gate, need::mapped_memory}}) {
  const work what = context.get<work>("work");
  if (what == work::graph) require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& joined = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& inner = scene.event();
  mark& recorded = scene.event();
  event_observer observer(context, scene);
  std::optional<driver::graph_exec> graph;
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    graph.reset();
    operation victim{};
    scene.hold_work([&] {
      if (what == work::graph) {
        graph.emplace(held_graph(context, scene, out));
        victim = scene.note(stream, "held graph writing payload 1");
        out.written = victim;
        graph->launch(stream.get());
      } else {
        victim = scene.victim(joined, out);
        scene.record(inner, joined);
        scene.wait(stream, inner);
      }
      scene.record(recorded, stream);
      observer.observe(recorded, {&out});
    });
    scene.drain();
    observer.expect_complete(clause::EV_REC_001, victim);
  }
}

// Promise:   EV-REC-001. A host call in front of the record is work too: the event completes after it.
// Defect:    the event completes with the device's work. The host comes back while the host call runs;
//            the stream that waits for the event lets its kernel run: a marker that must be zero is not.
// Any speed: the host call is held inside itself until the observer had its chance, and looks at the
//            marker just before it returns.
STREAMCTS_CASE(recorded_behind_host_call, {.arrangement = "event/behind_host_call",
                                           .clauses = {clause::EV_REC_001},
                                           .axes = {host_calls(), observers(), streams()},
                                           .needs = {need::device_gate, need::host_gate}}) {
  const seen_by how = context.get<seen_by>("observer");
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& waiting = scene.stream(driver::stream_kind::non_blocking);
  mark& recorded = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const control_word marker = scene.marker();
    observer& held = scene.host_call(host_call_of(context));
    held.watches(marker);
    host_wait* by = nullptr;
    operation behind{};
    scene.hold_call(stream, held, [&] {
      scene.record(recorded, stream);
      if (how == seen_by::wait) {
        scene.wait(waiting, recorded);
        behind = scene.signal(waiting, marker);
      } else {
        by = how == seen_by::query ? &scene.poll(recorded) : &scene.synchronize(recorded);
        by->awaits(held);
      }
    });
    scene.drain();
    if (by != nullptr) {
      scene.expect_covered(clause::EV_REC_001, held.op(), *by);
    } else {
      scene.expect_blocked(clause::EV_REC_001, held, behind);
    }
  }
}

}  // namespace
}  // namespace streamcts
