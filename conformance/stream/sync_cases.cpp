// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronizing a stream or an event, and what the host may read right after the return.

#include <fmt/format.h>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

/// The call that waits.
enum class call { stream, event };
std::string_view name(call what) { return what == call::stream ? "stream" : "event"; }
axis calls() { return make_axis<call>("synchronize", {call::stream, call::event}); }

// Promise:   ST-SYNC-001. Synchronizing a stream or an event returns after all covered work has completed;
//            the thread then reads all of its writes by ordinary loads.
// Defect:    it returns after one look, or before the last writes are out. The thread finds the sentinel,
//            or the last words of the payload still sentinel.
// Any speed: the work is held until the call had its chance to return, and the thread looks right after
//            the return; later calls cannot repair what it sees.
STREAMCTS_CASE(returns_after_work, {.arrangement = "stream/synchronize",
                                    .clauses = {clause::ST_SYNC_001},
                                    .axes = {calls(), streams(), producers(), memories()},
                                    .needs = {need::device_gate},
                                    .needs_of = needs_of_memory}) {
  const bool by_event = context.get<call>("synchronize") == call::event;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_of(context), producer_of(context));
  mark& last = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    host_wait* by = nullptr;
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      if (by_event) scene.record(last, stream);
      by = by_event ? &scene.synchronize(last) : &scene.synchronize(stream);
      by->looks_at(out);
    });
    scene.drain();
    scene.expect_covered(clause::ST_SYNC_001, victim, *by);
  }
}

// Promise:   ST-SYNC-001, each time that a stream or an event is synchronized.
// Defect:    only the first call waits, or it is taken for a repetition of the one before. The thread finds
//            the sentinel.
// Any speed: as stream/synchronize. The stream and the event are new in each round and were synchronized
//            none to three times before.
STREAMCTS_CASE(returns_after_work_again, {.arrangement = "stream/synchronize_again",
                                          .clauses = {clause::ST_SYNC_001},
                                          .axes = {calls(), created_streams()},
                                          .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr int most = 4;
  const bool by_event = context.get<call>("synchronize") == call::event;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& before = scene.buffer(memory_kind::mapped, producer::kernel, 64);
  product& out = scene.buffer(memory_kind::mapped);
  mark& last = scene.event();
  for (int round = 0; scene.next_round(most * context.by_tier(1, 2, 20)); ++round) {
    stream.stream = driver::stream(context.cuda(), stream_of(context));
    last.event = driver::event(context.cuda(), CU_EVENT_DISABLE_TIMING);
    for (int i = 0; i < round % most; ++i) {
      scene.write(stream, before);
      if (by_event) scene.record(last, stream);
      by_event ? last.event.synchronize() : stream.stream.synchronize();
    }
    operation victim{};
    host_wait* by = nullptr;
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      if (by_event) scene.record(last, stream);
      by = by_event ? &scene.synchronize(last) : &scene.synchronize(stream);
      by->looks_at(out);
    });
    scene.drain();
    scene.expect_covered(clause::ST_SYNC_001, victim, *by);
  }
}

// Promise:   ST-SYNC-001, for each of some hundred synchronizations in a row.
// Defect:    one call in a hundred returns at once, when a ring of counters wraps. The thread finds the
//            sentinel.
// Any speed: each kernel begins to write some time after it has started, which only buys the chance to see
//            that a call did not wait for it.
STREAMCTS_CASE(returns_after_work_each_time,
               {.arrangement = "stream/synchronize_many_times",
                .clauses = {clause::ST_SYNC_001},
                .axes = {calls()},
                .needs = {need::mapped_memory},
                .without_hold = "the thread looks after each of many synchronizations"}) {
  const bool by_event = context.get<call>("synchronize") == call::event;
  const int count = context.by_tier(105, 300, 2'000);
  constexpr std::uint64_t late_ns = 30'000;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, 64);
  mark& last = scene.event();
  while (scene.next_round(1)) {
    for (int i = 0; i < count; ++i) {
      out.data.begin_round(kernels::ramp(context.next_epoch()));
      const operation written = scene.note(stream, fmt::format("kernel {}", i + 1));
      context.kernels().write_pattern(stream.get(), out.data.target(), out.data.words(),
                                      out.data.expected(), late_ns, {1, 1});
      if (by_event) scene.record(last, stream);
      const operation waited =
          by_event ? scene.host_after(last, fmt::format("host after event synchronize {}", i + 1))
                   : scene.host_after(stream, fmt::format("host after stream synchronize {}", i + 1));
      by_event ? last.event.synchronize() : stream.stream.synchronize();
      const sighting seen = out.data.look();
      if (!scene.expect(clause::ST_SYNC_001, written, waited,
                        kind_of(seen, gate::state::opened), seen, IsComplete())) {
        return;
      }
    }
  }
}

// Promise:   ST-SYNC-001, for events of every kind.
// Defect:    events made for a sleeping wait, or without timing, let the host go at once.
// Any speed: as stream/synchronize.
STREAMCTS_CASE(returns_after_work_of_event, {.arrangement = "stream/synchronize_event_kind",
                                             .clauses = {clause::ST_SYNC_001},
                                             .axes = {event_kinds(), created_streams()},
                                             .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& last = scene.event(flags_of(event_of(context)));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    host_wait* by = nullptr;
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.record(last, stream);
      by = &scene.synchronize(last);
      by->looks_at(out);
    });
    scene.drain();
    scene.expect_covered(clause::ST_SYNC_001, victim, *by);
  }
}

// Promise:   ST-SYNC-001, for large results: 16 MiB, the last block late.
// Defect:    the last part of a large result comes after the return: the words written last are still
//            sentinel, or of the round before.
// Any speed: the host looks right after the return, at the last words first. The last block of the kernel
//            is 2 ms behind the others, so that a driver that forgets it is early by that much.
STREAMCTS_CASE(returns_after_large_work, {.arrangement = "stream/synchronize_large",
                                          .clauses = {clause::ST_SYNC_001},
                                          .axes = {calls(), producers(), memories()},
                                          .from = tier::standard,
                                          .needs_of = needs_of_memory,
                                          .without_hold = "the size of the work is what is tried"}) {
  const bool by_event = context.get<call>("synchronize") == call::event;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_of(context), producer_of(context), std::size_t{2} << 20);
  mark& last = scene.event();
  while (scene.next_round(context.by_tier(1, 2, 20))) {
    const operation written = scene.write(stream, out, 2'000'000);
    if (by_event) {
      scene.record(last, stream);
      last.event.synchronize();
    } else {
      stream.stream.synchronize();
    }
    const sighting seen = out.data.look();
    const operation returned = by_event ? scene.host_after(last, "cuEventSynchronize")
                                        : scene.host_after(stream, "cuStreamSynchronize");
    scene.expect(clause::ST_SYNC_001, written, returned, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

/// How many streams are joined into the one that is synchronized.
enum class joined { one, four };
std::string_view name(joined count) { return count == joined::one ? "one" : "four"; }
axis joined_streams() { return make_axis<joined>("joined", {joined::one, joined::four}); }

// Promise:   ST-SYNC-002. Synchronizing a stream covers the work of other streams that was joined into it.
// Defect:    waits at the end of the stream are forgotten: a stream with nothing but waits counts as idle.
//            The thread finds the sentinel.
// Any speed: the work of each joined stream is held in turn. What the joined streams get after the record
//            may be covered or not.
STREAMCTS_CASE(covers_joined_streams, {.arrangement = "stream/synchronize_joined",
                                       .clauses = {clause::ST_SYNC_002},
                                       .axes = {joined_streams(), streams(), event_kinds()},
                                       .needs = {need::device_gate, need::mapped_memory}}) {
  const int count = context.get<joined>("joined") == joined::one ? 1 : 4;
  arrangement scene(context);
  lane& to = scene.stream(stream_of(context));
  std::vector<lane*> from;
  std::vector<product*> out;
  std::vector<mark*> recorded;
  for (int i = 0; i < count; ++i) {
    from.push_back(&scene.stream(driver::stream_kind::non_blocking));
    out.push_back(&scene.buffer(memory_kind::mapped));
    recorded.push_back(&scene.event(flags_of(event_of(context))));
  }
  const int turns = count * context.by_tier(count == 1 ? 2 : 1, 2, 20);
  for (int round = 0; scene.next_round(turns); ++round) {
    operation victim{};
    host_wait* by = nullptr;
    scene.hold_work([&] {
      for (int i = 0; i < count; ++i) {
        if (i == round % count) {
          victim = scene.victim(*from[i], *out[i]);
        } else {
          scene.write(*from[i], *out[i]);
        }
        scene.record(*recorded[i], *from[i]);
        scene.wait(to, *recorded[i]);
      }
      by = &scene.synchronize(to);
      for (product* each : out) by->looks_at(*each);
    });
    scene.drain();
    scene.expect_covered(clause::ST_SYNC_002, victim, *by);
  }
}

}  // namespace
}  // namespace streamcts
