// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What waits for an event: all work put into the stream after the wait.

#include <deque>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"

namespace streamcts {
namespace {

// Promise:   EV-WAIT-001. All work submitted to a stream after a wait starts only after the work that the
//            event stands for: kernels, copies, memsets, graph launches, host calls.
// Defect:    the wait holds back kernels only, or the next item only. A copy brings the epoch of the
//            round before, a memset is overwritten by the work that it had to follow.
// Any speed: that work is held until the consumer had its chance. In every second round the consumer is
//            not the first item behind the wait.
STREAMCTS_CASE(later_work_waits, {.arrangement = "event/holds_back",
                                  .clauses = {clause::EV_WAIT_001},
                                  .axes = {consumers(), producers(), streams()},
                                  .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& from = scene.stream(driver::stream_kind::non_blocking);
  lane& to = scene.stream(stream_of(context));
  product& in = scene.buffer(input_of(consumer_of(context)), producer_of(context));
  product& between = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  mark& recorded = scene.event();
  consumption behind(context, scene, consumer_of(context), in);
  for (bool first = true; scene.next_round(context.by_tier(3, 4, 50)); first = !first) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, in);
      scene.record(recorded, from);
      scene.wait(to, recorded);
      if (!first) scene.write(to, between);
      behind.enqueue(to);
    });
    scene.drain();
    behind.expect_ordered(clause::EV_WAIT_001, victim);
  }
}

/// How many events a stream waits for, one after the other.
enum class events { two, five };
std::string_view name(events count) { return count == events::two ? "two" : "five"; }
int number_of(events count) { return count == events::two ? 2 : 5; }

axis counts() { return make_axis<events>("events", {events::two, events::five}); }

axis some_consumers() {
  return make_axis<consumer>("consumer", {consumer::kernel, consumer::copy, consumer::graph});
}

// Promise:   EV-WAIT-001, for each of several waits in a row.
// Defect:    only the first or the last wait of a row counts. What the forgotten event stands for is read
//            too early: the consumer has the epoch of the round before.
// Any speed: the work behind each event is held in turn.
STREAMCTS_CASE(several_waits, {.arrangement = "event/several_waits",
                               .clauses = {clause::EV_WAIT_001},
                               .axes = {counts(), some_consumers(), created_streams()},
                               .needs = {need::device_gate, need::mapped_memory}}) {
  const int count = number_of(context.get<events>("events"));
  arrangement scene(context);
  lane& to = scene.stream(stream_of(context));
  std::vector<lane*> from;
  std::vector<product*> in;
  std::vector<mark*> recorded;
  std::deque<consumption> behind;
  for (int i = 0; i < count; ++i) {
    from.push_back(&scene.stream(stream_of(context)));
    in.push_back(&scene.buffer(input_of(consumer_of(context)), producer::kernel, 512));
    recorded.push_back(&scene.event());
    behind.emplace_back(context, scene, consumer_of(context), *in.back());
  }
  for (int round = 0; scene.next_round(count * context.by_tier(1, 2, 20)); ++round) {
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < count; ++i) {
        if (i == round % count) {
          victim = scene.victim(*from[i], *in[i]);
        } else {
          scene.write(*from[i], *in[i]);
        }
        scene.record(*recorded[i], *from[i]);
      }
      for (mark* each : recorded) scene.wait(to, *each);
      for (consumption& each : behind) each.enqueue(to);
    });
    scene.drain();
    for (const consumption& each : behind) each.expect_ordered(clause::EV_WAIT_001, victim);
  }
}

// Promise:   EV-WAIT-001, for every stream that waits for the same event.
// Defect:    an event is used up by the first stream that waits for it. The others read the epoch of the
//            round before.
// Any speed: the work in front of the record is held until all had their chance.
STREAMCTS_CASE(several_waiters, {.arrangement = "event/several_waiters",
                                 .clauses = {clause::EV_WAIT_001},
                                 .axes = {some_consumers(), created_streams()},
                                 .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr int waiters = 9;
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context));
  product& in = scene.buffer(input_of(consumer_of(context)), producer::kernel, 512);
  mark& recorded = scene.event();
  std::vector<lane*> to;
  std::deque<consumption> behind;
  for (int i = 0; i < waiters; ++i) {
    to.push_back(&scene.stream(stream_of(context)));
    behind.emplace_back(context, scene, consumer_of(context), in);
  }
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, in);
      scene.record(recorded, from);
      for (int i = 0; i < waiters; ++i) {
        scene.wait(*to[i], recorded);
        behind[i].enqueue(*to[i]);
      }
    });
    scene.drain();
    for (const consumption& each : behind) each.expect_ordered(clause::EV_WAIT_001, victim);
  }
}

}  // namespace
}  // namespace streamcts
