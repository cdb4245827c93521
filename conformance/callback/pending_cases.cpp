// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Many host calls pending in one stream: each starts after what is in front of it, all run one at a
// time and in order.

#include <algorithm>
#include <chrono>

#include "conformance/callback/run.h"

namespace streamcts {
namespace {

/// Each host call of @p run, in the order of enqueuing, must have begun after the one in front ended.
void expect_sequence(arrangement& scene, clause_id promise, const std::vector<observer*>& run,
                     std::source_location site = std::source_location::current()) {
  for (std::size_t i = 1; i < run.size(); ++i) {
    const call_span before = span_of(run[i - 1]->slot());
    const call_span now = span_of(run[i]->slot());
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

/// A kernel that takes many times as long as a host call needs to start. Few threads, since a CPU runs
/// them one after another.
void write_slowly(case_context& context, arrangement& scene, lane& on, product& what) {
  using namespace std::chrono_literals;
  const auto late = std::clamp<std::chrono::nanoseconds>(
      20 * context.calibration().host_call_latency_p999, 1ms,
      std::chrono::milliseconds(context.by_tier(3, 20, 80)));
  what.written = scene.note(on, "slow kernel writing " + what.name);
  context.kernels().write_pattern(on.get(), what.data.target(), what.data.words(),
                                  what.data.expected(), static_cast<std::uint64_t>(late.count()),
                                  {2, 4});
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

// Promise:   CB-ORDER-001, HF-ORDER-001; CB-ORDER-004, HF-ORDER-002. Of many host calls pending behind
//            one kernel, each starts after the kernel has finished, and they run in order; so does one
//            behind a further kernel that is behind all of them.
// Defect:    from some host call on, or once more than so many are pending, they start early or swap.
//            The host call finds the sentinel, or has a lower stamp than the one in front.
// Any speed: the first kernel is held until all of them had their chance. The further one is slow, which
//            only buys the chance to see a start that is too early.
STREAMCTS_CASE(many_pending, {.arrangement = "callback/many_pending",
                              .clauses = {clause::CB_ORDER_001, clause::HF_ORDER_001,
                                          clause::CB_ORDER_004, clause::HF_ORDER_002},
                              .clauses_of = run_clauses,
                              .axes = {mixes(), make_axis<depth>("depth",
                                                                 {depth::three, depth::seventeen,
                                                                  depth::hundred_fifty})},
                              .needs = {need::device_gate, need::mapped_memory}}) {
  const mix of = context.get<mix>("mix");
  const std::size_t length = count_of(context.get<depth>("depth"));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  product& slow = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  while (scene.next_round(context.by_tier(1, 2, 20))) {
    std::vector<observer*> run;
    for (std::size_t i = 0; i <= length; ++i) {
      run.push_back(&scene.host_call(nth_of(of, i)));
      run.back()->looks_at(i == length ? slow : out);
    }
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      for (std::size_t i = 0; i < length; ++i) scene.enqueue(stream, *run[i]);
      write_slowly(context, scene, stream, slow);
      scene.enqueue(stream, *run.back());
    });
    scene.drain();
    for (observer* each : run) scene.expect_complete(start_clause(each->call()), victim, *each);
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
