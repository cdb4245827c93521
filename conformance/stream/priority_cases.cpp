// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Priorities are hints.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"

namespace streamcts {
namespace {

using driver::stream_kind;

axis prioritized_streams() {
  return make_axis<stream_kind>("stream", {stream_kind::low_priority, stream_kind::high_priority});
}

/// The stream of the other end of the range.
stream_kind opposite(stream_kind kind) {
  return kind == stream_kind::low_priority ? stream_kind::high_priority
                                           : stream_kind::low_priority;
}

// Promise:   ST-PRIO-001. A priority never overrides stream order.
// Defect:    what is urgent starts before what is in front of it: it reads the epoch of the round before.
// Any speed: what is in front is held until the rest had its chance.
STREAMCTS_CASE(priority_and_order, {.arrangement = "stream/priority_order",
                                    .clauses = {clause::ST_PRIO_001},
                                    .axes = {consumers(), prioritized_streams()},
                                    .needs = {need::device_gate, need::stream_priorities}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& in = scene.buffer(input_of(consumer_of(context)));
  consumption behind(context, scene, consumer_of(context), in);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, in);
      behind.enqueue(stream);
    });
    scene.drain();
    behind.expect_ordered(clause::ST_PRIO_001, victim);
  }
}

// Promise:   ST-PRIO-001. A priority never overrides a wait for an event.
// Defect:    a stream of high priority starts before its waits are satisfied: it reads the epoch of the
//            round before.
// Any speed: the work of the other stream is held until the consumer had its chance.
STREAMCTS_CASE(priority_and_wait, {.arrangement = "stream/priority_wait",
                                   .clauses = {clause::ST_PRIO_001},
                                   .axes = {consumers(), prioritized_streams()},
                                   .needs = {need::device_gate, need::stream_priorities}}) {
  arrangement scene(context);
  lane& to = scene.stream(stream_of(context));
  lane& from = scene.stream(opposite(stream_of(context)));
  product& in = scene.buffer(input_of(consumer_of(context)));
  mark& joined = scene.event();
  consumption behind(context, scene, consumer_of(context), in);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(from, in);
      scene.record(joined, from);
      scene.wait(to, joined);
      behind.enqueue(to);
    });
    scene.drain();
    behind.expect_ordered(clause::ST_PRIO_001, victim);
  }
}

// Promise:   ST-PRIO-001. A priority never lets later work pass a host call, neither in its own stream nor
//            in one of another priority that waits for it.
// Defect:    urgent work starts while the host call in front of it runs: a marker that must be zero is not.
// Any speed: the host call is held inside itself until the rest had its chance, and looks just before it
//            returns.
STREAMCTS_CASE(priority_and_host_call, {.arrangement = "stream/priority_host_call",
                                        .clauses = {clause::ST_PRIO_001},
                                        .axes = {host_calls(), prioritized_streams()},
                                        .needs = {need::device_gate, need::host_gate,
                                                  need::stream_priorities}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& other = scene.stream(opposite(stream_of(context)));
  mark& recorded = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const control_word own = scene.marker();
    const control_word joined = scene.marker();
    observer& held = scene.host_call(host_call_of(context));
    held.watches(own);
    held.watches(joined);
    operation last{};
    scene.hold_call(stream, held, [&] {
      scene.record(recorded, stream);
      scene.signal(stream, own);
      scene.wait(other, recorded);
      last = scene.signal(other, joined);
    });
    scene.drain();
    scene.expect_blocked(clause::ST_PRIO_001, held, last);
  }
}

MATCHER_P(IsPriority, priority, fmt::format("priority {}", priority)) { return arg == priority; }

/// A priority asked for, and what it stands for.
struct request {
  int asked;
  int granted;
};

// Promise:   ST-PRIO-002. A priority outside the range is clamped, and the query reports the clamped one.
// Defect:    the query reports what was asked for.
// Any speed: only answers are judged.
STREAMCTS_CASE(priority_clamped, {.arrangement = "stream/priority_clamped",
                                  .clauses = {clause::ST_PRIO_002},
                                  .axes = {created_streams()},
                                  .without_hold = "only answers are judged"}) {
  const driver::function_table& cuda = context.cuda();
  if (!cuda.cuStreamCreateWithPriority || !cuda.cuStreamGetPriority) {
    context.not_supported("cuStreamCreateWithPriority or cuStreamGetPriority = absent");
  }
  const unsigned flags = stream_of(context) == stream_kind::non_blocking ? CU_STREAM_NON_BLOCKING
                                                                         : CU_STREAM_DEFAULT;
  const auto [least, greatest] = driver::stream_priorities(cuda);
  std::vector<request> requests = {{greatest - 1, greatest}, {greatest - 1000, greatest},
                                   {least + 1, least},       {least + 1000, least}};
  for (int each = greatest; each <= least; ++each) requests.push_back({each, each});
  for (const request& each : requests) {
    const auto made = driver::stream::with_priority(cuda, each.asked, flags);
    int reported = 0;
    const auto name = fmt::format("cuStreamGetPriority of a stream made with {}", each.asked);
    context.expect(clause::ST_PRIO_002, failure_kind::status, name,
                   cuda.cuStreamGetPriority(made.get(), &reported), Succeeds());
    context.expect(clause::ST_PRIO_002, failure_kind::value, name, reported,
                   IsPriority(each.granted));
  }
}

}  // namespace
}  // namespace streamcts
