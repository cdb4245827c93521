// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// One stream joined into another by an event, and a host call that reads its results there.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

using driver::stream_kind;

/// The stream that the event is recorded in.
axis sources() {
  return make_axis<stream_kind>("from", {stream_kind::blocking, stream_kind::non_blocking,
                                         stream_kind::null_stream});
}

/// The legacy stream and a blocking one are in order without any event.
bool needs_the_event(const parameters& values) {
  const auto from = values.get<stream_kind>("from");
  const auto to = values.get<stream_kind>("stream");
  if (from == stream_kind::null_stream) return to == stream_kind::non_blocking;
  return to != stream_kind::null_stream || from == stream_kind::non_blocking;
}

std::vector<clause_id> join_clauses(const parameters& values) {
  return {by_host_call(values, clause::JN_EVENT_001, clause::HF_UM_001)};
}

// Promise:   JN-EVENT-001, HF-UM-001. When stream B waits for an event of stream A, a host call that is
//            then put into B finds the work of A in front of the event complete and visible.
// Defect:    the wait is dropped, or only device work heeds it. The host call finds the sentinel.
// Any speed: the work of A is held until the host call had its chance. B is empty in one round and has
//            work of its own in front of the wait in the next.
STREAMCTS_CASE(joined_by_event, {.arrangement = "join/event",
                                 .clauses = {clause::JN_EVENT_001, clause::HF_UM_001},
                                 .clauses_of = join_clauses,
                                 .axes = {host_calls(), sources(), streams(), producers(),
                                          memories()},
                                 .valid = needs_the_event,
                                 .needs = {need::device_gate},
                                 .needs_of = needs_of_memory}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& from = scene.stream(context.get<stream_kind>("from"));
  lane& to = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_of(context), producer_of(context));
  product& own = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  mark& joined = scene.event();
  for (bool busy = false; scene.next_round(context.by_tier(2, 4, 50)); busy = !busy) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, out);
      scene.record(joined, from);
      if (busy) scene.write(to, own);
      scene.wait(to, joined);
      scene.enqueue(to, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

// Promise:   JN-EVENT-001, HF-UM-001, for events of every kind.
// Defect:    waits for events made with some flag are dropped. The host call finds the sentinel.
// Any speed: as join/event.
STREAMCTS_CASE(joined_by_kind_of_event, {.arrangement = "join/event_kind",
                                         .clauses = {clause::JN_EVENT_001, clause::HF_UM_001},
                                         .clauses_of = join_clauses,
                                         .axes = {host_calls(), created_streams(), event_kinds()},
                                         .needs = {need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context));
  lane& to = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& joined = scene.event(flags_of(event_of(context)));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, out);
      scene.record(joined, from);
      scene.wait(to, joined);
      scene.enqueue(to, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

/// More than a ring of 64 entries holds.
constexpr int many = 66;

// Promise:   JN-EVENT-001, HF-UM-001, for each of many waits and host calls that are pending at once.
// Defect:    a wait or its order is lost when many are pending, or only the first few count. A later host
//            call finds the sentinel in its payload.
// Any speed: the first piece of work of A is held, in further rounds one from the middle, then the last;
//            every host call from there on has to wait for it.
STREAMCTS_CASE(joined_many_times, {.arrangement = "join/many_pending",
                                   .clauses = {clause::JN_EVENT_001, clause::HF_UM_001},
                                   .clauses_of = join_clauses,
                                   .axes = {host_calls(), created_streams()},
                                   .needs = {need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context));
  lane& to = scene.stream(stream_of(context));
  std::vector<product*> out;
  std::vector<mark*> joined;
  for (int i = 0; i < many; ++i) {
    out.push_back(&scene.buffer(memory_kind::mapped, producer::kernel, 64));
    joined.push_back(&scene.event());
  }
  const int held_ones[] = {0, many / 2, many - 1};
  for (int round = 0; scene.next_round(context.by_tier(3, 3, 30)); ++round) {
    const int held = held_ones[round % 3];
    std::vector<observer*> calls;
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < many; ++i) {
        if (i == held) {
          victim = scene.victim(from, *out[i]);
        } else {
          scene.write(from, *out[i]);
        }
        scene.record(*joined[i], from);
        scene.wait(to, *joined[i]);
        observer& call = scene.host_call(host_call_of(context));
        call.looks_at(*out[i]);
        scene.enqueue(to, call);
        calls.push_back(&call);
      }
    });
    scene.drain();
    for (observer* call : calls) scene.expect_complete(promise, victim, *call);
  }
}

}  // namespace
}  // namespace streamcts
