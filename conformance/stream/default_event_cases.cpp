// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events recorded in, and waited for by, the legacy default stream.

#include <array>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/event/seen_by.h"

namespace streamcts {
namespace {

using driver::stream_kind;

constexpr int blocking_streams = 3;

axis legacy_handles() {
  return make_axis<stream_kind>("handle", {stream_kind::null_stream, stream_kind::legacy});
}

// Promise:   ST-DEF-005. A wait for an event is an action of the legacy default stream: blocking streams
//            inherit it for their later work.
// Defect:    a wait of the legacy stream that no legacy work follows is ignored. A blocking stream reads
//            the epoch of the round before.
// Any speed: the work in front of the event is held until the later work, in another blocking stream in
//            each round, had its chance.
STREAMCTS_CASE(legacy_wait_inherited, {.arrangement = "stream/legacy_wait_inherited",
                                       .clauses = {clause::ST_DEF_005},
                                       .axes = {consumers(), legacy_handles()},
                                       .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& legacy = scene.stream(context.get<stream_kind>("handle"));
  lane& from = scene.stream(stream_kind::non_blocking);
  std::array<lane*, blocking_streams> blocking{};
  for (lane*& each : blocking) each = &scene.stream(stream_kind::blocking);
  product& in = scene.buffer(input_of(consumer_of(context)));
  mark& joined = scene.event();
  consumption later(context, scene, consumer_of(context), in);
  for (int round = 0; scene.next_round(blocking_streams * context.by_tier(1, 2, 20)); ++round) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, in);
      scene.record(joined, from);
      scene.wait(legacy, joined);
      later.enqueue(*blocking[round % blocking_streams]);
    });
    scene.drain();
    later.expect_ordered(clause::ST_DEF_005, victim);
  }
}

// Promise:   ST-DEF-005. A wait for an event is an action of the legacy default stream: it has the earlier
//            work of blocking streams in front of it and the later work behind it.
// Defect:    the wait of the legacy stream orders only against the event. The work of one blocking stream
//            is read by another too early: the epoch of the round before.
// Any speed: the event and the earlier work are behind the same gate; when it opens, the earlier work
//            goes on for some milliseconds before it writes, so that a stream that was let go with the
//            event is early by that much.
STREAMCTS_CASE(legacy_wait_after_blocking, {.arrangement = "stream/legacy_wait_after_blocking",
                                            .clauses = {clause::ST_DEF_005},
                                            .axes = {consumers(), legacy_handles()},
                                            .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr std::uint64_t longer_ns = 5'000'000;
  arrangement scene(context);
  lane& legacy = scene.stream(context.get<stream_kind>("handle"));
  lane& from = scene.stream(stream_kind::non_blocking);
  lane& earlier = scene.stream(stream_kind::blocking);
  lane& behind = scene.stream(stream_kind::blocking);
  product& in = scene.buffer(input_of(consumer_of(context)));
  mark& joined = scene.event();
  consumption later(context, scene, consumer_of(context), in);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation written{};
    scene.hold_work([&] {
      for (lane* each : {&from, &earlier}) {
        scene.note(*each, "held kernel");
        scene.victim_gate().enqueue(context.cuda(), context.kernels(), each->get(),
                                    gate_kind::mapped_flag);
      }
      scene.record(joined, from);
      scene.note(earlier, "kernel that goes on");
      context.kernels().delay(earlier.get(), longer_ns);
      written = scene.write(earlier, in);
      scene.wait(legacy, joined);
      later.enqueue(behind);
    });
    scene.drain();
    later.expect_ordered(clause::ST_DEF_005, written);
  }
}

// Promise:   ST-DEF-006. An event recorded in the legacy default stream completes only after the earlier
//            work of all blocking streams.
// Defect:    it completes as soon as the legacy stream itself is empty. Whoever waits for it finds the
//            sentinel.
// Any speed: the work of each blocking stream is held in turn until the observer had its chance.
STREAMCTS_CASE(legacy_record, {.arrangement = "stream/legacy_record",
                               .clauses = {clause::ST_DEF_006},
                               .axes = {observers(), legacy_handles(), event_kinds()},
                               .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& legacy = scene.stream(context.get<stream_kind>("handle"));
  std::array<lane*, blocking_streams> blocking{};
  std::array<product*, blocking_streams> out{};
  for (int i = 0; i < blocking_streams; ++i) {
    blocking[i] = &scene.stream(stream_kind::blocking);
    out[i] = &scene.buffer(memory_kind::mapped);
  }
  mark& recorded = scene.event(flags_of(event_of(context)));
  event_observer observer(context, scene);
  for (int round = 0; scene.next_round(blocking_streams * context.by_tier(1, 2, 20)); ++round) {
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < blocking_streams; ++i) {
        if (i == round % blocking_streams) {
          victim = scene.victim(*blocking[i], *out[i]);
        } else {
          scene.write(*blocking[i], *out[i]);
        }
      }
      scene.record(recorded, legacy);
      observer.observe(recorded, {out[0], out[1], out[2]});
    });
    scene.drain();
    observer.expect_complete(clause::ST_DEF_006, victim);
  }
}

}  // namespace
}  // namespace streamcts
