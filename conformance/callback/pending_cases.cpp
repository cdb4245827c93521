// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Many host calls pending in one stream: each starts after what is in front of it, all run one at a
// time and in order.

#include <fmt/format.h>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

/// Which entry points the host calls of a run are made by.
enum class mix { callbacks, host_functions, alternating };
std::string_view name(mix what) {
  switch (what) {
    case mix::callbacks: return "callbacks";
    case mix::host_functions: return "host_functions";
    case mix::alternating: return "alternating";
  }
  return "unknown";
}

axis mixes() {
  return make_axis<mix>("mix", {mix::callbacks, mix::host_functions, mix::alternating});
}

host_call nth_of(mix what, std::size_t index) {
  if (what == mix::alternating) {
    return index % 2 == 0 ? host_call::add_callback : host_call::launch_host_func;
  }
  return what == mix::callbacks ? host_call::add_callback : host_call::launch_host_func;
}

std::vector<clause_id> sequence_clauses(const parameters& values) {
  return {values.get<mix>("mix") == mix::callbacks ? clause::CB_ORDER_004 : clause::HF_ORDER_002};
}

clause_id start_clause(const observer& call) {
  return call.call() == host_call::add_callback ? clause::CB_ORDER_001 : clause::HF_ORDER_001;
}

/// Begin and end of a host call, as stamps of one counter.
struct span {
  std::uint64_t begin, end;
  friend void PrintTo(const span& what, std::ostream* out) {
    *out << "from " << what.begin << " to " << what.end;
  }
};
MATCHER_P(FollowsSpan, before, fmt::format("a begin after {}, the end of the host call in front",
                                           before.end)) {
  return arg.begin > before.end;
}

span span_of(const observer& call) { return {call.slot().begin_stamp(), call.slot().end_stamp()}; }

/// Each host call of @p run, in the order of enqueuing, must have begun after the one in front ended.
void expect_sequence(arrangement& scene, clause_id promise, const std::vector<observer*>& run,
                     std::source_location site = std::source_location::current()) {
  for (std::size_t i = 1; i < run.size(); ++i) {
    const span before = span_of(*run[i - 1]);
    const span now = span_of(*run[i]);
    const failure_kind kind = now.begin < before.begin ? failure_kind::order : failure_kind::overlap;
    if (!scene.expect(promise, run[i - 1]->op(), run[i]->op(), kind, now, FollowsSpan(before), site)) {
      return;
    }
  }
}

// Promise:   CB-ORDER-004, HF-ORDER-002. The host calls of one stream run one at a time, in the order
//            in which they were enqueued, by whichever entry point.
// Defect:    ready host calls go to a pool of threads, or each entry point has a queue of its own. One
//            begins before the one in front has ended: its stamp is lower.
// Any speed: one of the host calls is held inside itself until the others had their chance. Stamps
//            are drawn within the host calls, from one counter: they order what happened.
STREAMCTS_CASE(in_order, {.arrangement = "callback/in_order",
                          .clauses = {clause::CB_ORDER_004, clause::HF_ORDER_002},
                          .clauses_of = sequence_clauses,
                          .axes = {mixes(), streams()},
                          .needs = {need::device_gate, need::host_gate}}) {
  constexpr std::size_t length = 6;
  const clause_id promise = context.instance().clauses.front();
  const mix of = context.get<mix>("mix");
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  for (std::size_t held = 0; scene.next_round(context.by_tier(4, 5, 50)); ++held) {
    std::vector<observer*> run;
    for (std::size_t i = 0; i < length; ++i) run.push_back(&scene.host_call(nth_of(of, i)));
    const std::size_t victim = held % (length - 1);
    const auto enqueue = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) scene.enqueue(stream, *run[i]);
    };
    scene.hold_call(stream, *run[victim], [&] { enqueue(victim + 1, length); },
                    {.before = [&] { enqueue(0, victim); }});
    scene.drain();
    expect_sequence(scene, promise, run);
  }
}

/// How many host calls are pending at once.
enum class depth { three, seventeen, hundred_fifty };
std::string_view name(depth what) {
  switch (what) {
    case depth::three: return "three";
    case depth::seventeen: return "seventeen";
    case depth::hundred_fifty: return "hundred_fifty";
  }
  return "unknown";
}

std::size_t count_of(depth what) {
  switch (what) {
    case depth::three: return 3;
    case depth::seventeen: return 17;
    case depth::hundred_fifty: return 150;
  }
  return 0;
}

std::vector<clause_id> pending_clauses(const parameters& values) {
  switch (values.get<mix>("mix")) {
    case mix::callbacks: return {clause::CB_ORDER_001, clause::CB_ORDER_004};
    case mix::host_functions: return {clause::HF_ORDER_001, clause::HF_ORDER_002};
    case mix::alternating:
      return {clause::CB_ORDER_001, clause::HF_ORDER_001, clause::HF_ORDER_002};
  }
  return {};
}

// Promise:   CB-ORDER-001, HF-ORDER-001; CB-ORDER-004, HF-ORDER-002. Of many host calls pending behind
//            one kernel, each starts after the kernel has finished, and they run in order.
// Defect:    from some host call on, or once more than so many are pending, they start early or swap.
//            The host call finds the sentinel, or has a lower stamp than the one in front.
// Any speed: the kernel is held until all of them had their chance.
STREAMCTS_CASE(many_pending, {.arrangement = "callback/many_pending",
                              .clauses = {clause::CB_ORDER_001, clause::HF_ORDER_001,
                                          clause::CB_ORDER_004, clause::HF_ORDER_002},
                              .clauses_of = pending_clauses,
                              .axes = {mixes(), make_axis<depth>("depth",
                                                                 {depth::three, depth::seventeen,
                                                                  depth::hundred_fifty})},
                              .needs = {need::device_gate, need::mapped_memory}}) {
  const mix of = context.get<mix>("mix");
  const std::size_t length = count_of(context.get<depth>("depth"));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  while (scene.next_round(context.by_tier(1, 2, 20))) {
    std::vector<observer*> run;
    for (std::size_t i = 0; i < length; ++i) {
      run.push_back(&scene.host_call(nth_of(of, i)));
      run.back()->looks_at(out);
    }
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      for (observer* each : run) scene.enqueue(stream, *each);
    });
    scene.drain();
    for (observer* each : run) scene.expect_complete(start_clause(*each), victim, *each);
    expect_sequence(scene, context.instance().clauses.back(), run);
  }
}

// Promise:   CB-ORDER-001, HF-ORDER-001. Kernels and host calls in turns: each host call starts after
//            the kernel right in front of it has finished.
// Defect:    a host call waits for the first kernel, or for all but the last. It finds the sentinel
//            in what the kernel right in front of it writes.
// Any speed: each of the kernels is the held one in some round.
STREAMCTS_CASE(in_turns, {.arrangement = "callback/in_turns",
                          .clauses = {clause::CB_ORDER_001, clause::HF_ORDER_001},
                          .clauses_of = [](const parameters& values) {
                            return std::vector{by_host_call(values, clause::CB_ORDER_001,
                                                            clause::HF_ORDER_001)};
                          },
                          .axes = {host_calls(), streams()},
                          .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr std::size_t length = 4;
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  std::vector<product*> outs;
  for (std::size_t i = 0; i < length; ++i) outs.push_back(&scene.buffer(memory_kind::mapped));
  for (std::size_t held = 0; scene.next_round(context.by_tier(length, length, 50)); ++held) {
    std::vector<observer*> run;
    for (product* each : outs) {
      run.push_back(&scene.host_call(host_call_of(context)));
      run.back()->looks_at(*each);
    }
    operation victim{};
    scene.hold_work([&] {
      for (std::size_t i = 0; i < length; ++i) {
        if (i == held % length) victim = scene.victim(stream, *outs[i]);
        else scene.write(stream, *outs[i]);
        scene.enqueue(stream, *run[i]);
      }
    });
    scene.drain();
    for (observer* each : run) scene.expect_complete(promise, victim, *each);
  }
}

}  // namespace
}  // namespace streamcts
