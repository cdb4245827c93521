// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What happens to an event after a stream was told to wait for it does not change that wait.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

/// Whether the event changes before or after the host call is enqueued.
enum class when { before_call, after_call };
std::string_view name(when what) {
  return what == when::before_call ? "before_call" : "after_call";
}

axis moments() { return make_axis<when>("when", {when::before_call, when::after_call}); }

// Promise:   JN-EVENT-004. A wait refers to the event as it was when the wait was called; a later record
//            does not change it.
// Defect:    the wait looks the event up when it runs. It finds the second record, in an idle stream, and
//            lets go: the host call finds the sentinel.
// Any speed: the work in front of the first record is held; the second record is complete at once.
STREAMCTS_CASE(recorded_again, {.arrangement = "join/recorded_again",
                                .clauses = {clause::JN_EVENT_004},
                                .axes = {host_calls(), created_streams(), moments()},
                                .needs = {need::device_gate, need::mapped_memory}}) {
  const bool first_call = context.get<when>("when") == when::after_call;
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context));
  lane& to = scene.stream(stream_of(context));
  lane& idle = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& joined = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, out);
      scene.record(joined, from);
      scene.wait(to, joined);
      if (first_call) scene.enqueue(to, call);
      scene.record(joined, idle);
      if (!first_call) scene.enqueue(to, call);
    });
    scene.drain();
    scene.expect_complete(clause::JN_EVENT_004, victim, call);
  }
}

// Promise:   JN-EVENT-007. Destroying the event right after the wait does not remove the dependency.
// Defect:    destroying it cancels the waits that use it. The host call finds the sentinel.
// Any speed: the work in front of the record is held until the event is gone and the host call had its
//            chance.
STREAMCTS_CASE(event_destroyed, {.arrangement = "join/event_destroyed",
                                 .clauses = {clause::JN_EVENT_007},
                                 .axes = {host_calls(), created_streams(), moments()},
                                 .needs = {need::device_gate, need::mapped_memory}}) {
  const bool first_call = context.get<when>("when") == when::after_call;
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context));
  lane& to = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& joined = scene.event();
  host_thread& other = scene.thread();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    if (!joined.event) joined.event = driver::event(context.cuda(), CU_EVENT_DISABLE_TIMING);
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, out);
      scene.record(joined, from);
      scene.wait(to, joined);
      if (first_call) scene.enqueue(to, call);
      // Where destroying waits for the event, which it should not, the case goes on without.
      other.start([&] { joined.event.destroy(); });
      other.wait(context.calibration().hold());
      if (!first_call) scene.enqueue(to, call);
    });
    other.wait(context.calibration().patience());
    scene.drain();
    scene.expect_complete(clause::JN_EVENT_007, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
