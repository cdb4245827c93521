// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams and events that are destroyed while work still needs them.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

axis destroyed_streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::blocking, stream_kind::non_blocking,
                                           stream_kind::high_priority});
}

std::vector<need> needs_of_stream(const parameters& values) {
  if (values.get<driver::stream_kind>("stream") != driver::stream_kind::high_priority) return {};
  return {need::stream_priorities};
}

/// A stream of its own for one round; the arrangement does not wait for it.
lane short_lived(const case_context& context, driver::stream_kind kind) {
  return {driver::stream(context.cuda(), kind),
          fmt::format("destroyed stream ({})", to_string(kind)), std::nullopt};
}

/// Destroys @p stream on @p by. A driver may let the call wait for the work, which then has its hold
/// all the same.
void destroy(const case_context& context, host_thread& by, lane& stream) {
  by.start([&] { stream.stream.destroy(); });
  by.wait(context.calibration().enqueue_cap() / 4);
}

void await_destroyed(case_context& context, host_thread& by) {
  if (by.wait(context.calibration().patience())) return;
  context.inconclusive("cuStreamDestroy did not return although all work had ended");
}

// Promise:   LT-STREAM-001. A stream that is destroyed with work in it still does all of it, in order and
//            once: kernels, copies and host calls.
// Defect:    host calls that have not started are cancelled with their stream, or run without waiting for
//            what is in front of them. One never runs; or finds the sentinel; or runs out of order.
// Any speed: the work in front is held until the stream was destroyed and the host calls had their chance.
STREAMCTS_CASE(destroyed_stream, {.arrangement = "lifetime/destroyed_stream",
                                  .clauses = {clause::LT_STREAM_001},
                                  .axes = {destroyed_streams(), producers()},
                                  .needs = {need::device_gate, need::mapped_memory},
                                  .needs_of = needs_of_stream}) {
  constexpr std::size_t calls = 10;
  arrangement scene(context);
  product& front = scene.buffer(memory_kind::mapped, producer_of(context));
  product& back = scene.buffer(memory_kind::mapped, producer_of(context));
  host_thread& destroyer = scene.thread();
  while (scene.next_round(context.by_tier(3, 6, 60))) {
    lane stream = short_lived(context, stream_of(context));
    std::vector<observer*> all;
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, front);
      for (std::size_t i = 0; i < calls; ++i) {
        // Both kinds, and a later kernel in the middle.
        if (i == calls / 2) scene.write(stream, back);
        all.push_back(&scene.host_call(i % 3 == 1 ? host_call::launch_host_func
                                                  : host_call::add_callback));
        all.back()->looks_at(i < calls / 2 ? front : back);
        scene.enqueue(stream, *all.back());
      }
      destroy(context, destroyer, stream);
    });
    await_destroyed(context, destroyer);
    scene.drain();
    for (std::size_t i = 0; i < calls && !context.failed(); ++i) {
      scene.expect_complete(clause::LT_STREAM_001, victim, *all[i]);
      scene.expect(clause::LT_STREAM_001, victim, all[i]->op(), failure_kind::duplicate,
                   all[i]->slot().times(), ::testing::Eq(1u));
      if (i == 0) continue;
      scene.expect(clause::LT_STREAM_001, all[i - 1]->op(), all[i]->op(), failure_kind::order,
                   all[i]->slot().begin_stamp(),
                   ::testing::Gt(all[i - 1]->slot().end_stamp()));
    }
  }
}

// Promise:   LT-STREAM-001. So does a stream of kernels and copies alone, and an event recorded in it
//            still holds back who waits for it.
// Defect:    what has not started is dropped with the stream. The payload stays the sentinel, or the other
//            stream does not wait.
// Any speed: as above; the other stream's host call looks at what the destroyed stream wrote.
STREAMCTS_CASE(destroyed_stream_joined, {.arrangement = "lifetime/destroyed_stream_joined",
                                         .clauses = {clause::LT_STREAM_001},
                                         .axes = {producers(), host_calls()},
                                         .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event();
  product& front = scene.buffer(memory_kind::mapped, producer_of(context));
  product& back = scene.buffer(memory_kind::mapped, producer_of(context));
  host_thread& destroyer = scene.thread();
  while (scene.next_round(context.by_tier(3, 6, 60))) {
    lane stream = short_lived(context, driver::stream_kind::non_blocking);
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(front);
    call.looks_at(back);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, front);
      scene.write(stream, back);
      scene.record(event, stream);
      scene.wait(other, event);
      destroy(context, destroyer, stream);
      scene.enqueue(other, call);
    });
    await_destroyed(context, destroyer);
    scene.drain();
    scene.expect_complete(clause::LT_STREAM_001, victim, call);
  }
}

// Promise:   LT-EVENT-001, JN-EVENT-007. Destroying events that are not complete disturbs neither the
//            work they were recorded in nor the waits for them.
// Defect:    the waits are cancelled with the event, or the last ones are, or the ones of one stream. A
//            host call behind such a wait finds the sentinel.
// Any speed: the work in front of the records is held until all events were destroyed and the host calls
//            had their chance.
STREAMCTS_CASE(destroyed_events, {.arrangement = "lifetime/destroyed_events",
                                  .clauses = {clause::LT_EVENT_001, clause::JN_EVENT_007},
                                  .axes = {event_kinds(), created_streams()},
                                  .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr std::size_t streams_that_wait = 3;
  constexpr std::size_t events = 30;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  std::vector<lane*> others;
  for (std::size_t i = 0; i < streams_that_wait; ++i) {
    others.push_back(&scene.stream(driver::stream_kind::non_blocking));
  }
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(3, 6, 60))) {
    std::deque<mark> marks;
    for (std::size_t i = 0; i < events; ++i) {
      marks.push_back({driver::event(context.cuda(), flags_of(event_of(context))),
                       fmt::format("destroyed event {}", i + 1), std::nullopt});
    }
    std::vector<observer*> calls;
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      for (std::size_t i = 0; i < events; ++i) {
        scene.record(marks[i], stream);
        // Some are waited for, each other stream by one of them; the rest is only recorded.
        if (i % (events / streams_that_wait) == 0) {
          scene.wait(*others[i / (events / streams_that_wait)], marks[i]);
        }
        marks[i].event.destroy();
      }
      for (lane* each : others) {
        calls.push_back(&scene.host_call(host_call::launch_host_func));
        calls.back()->looks_at(out);
        scene.enqueue(*each, *calls.back());
      }
      calls.push_back(&scene.host_call(host_call::add_callback));
      calls.back()->looks_at(out);
      scene.enqueue(stream, *calls.back());
    });
    scene.drain();
    for (const observer* each : calls) {
      scene.expect_complete(each == calls.back() ? clause::LT_EVENT_001 : clause::JN_EVENT_007,
                            victim, *each);
    }
  }
}

}  // namespace
}  // namespace streamcts
