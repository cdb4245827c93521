// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host calls by the hundred, each behind a kernel of its own.

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "conformance/callback/run.h"
#include "harness/driver/memory.h"

namespace streamcts {
namespace {

/// One host call of a run, and what it finds.
struct step {
  host_call_slot slot;
  host_call call{};
  const std::uint64_t* word = nullptr;  ///< written by the kernel right in front
  std::uint64_t seen = 0;
};

/// Memory and host calls of a case, kept until the process ends: a host call that comes late, or once
/// more, must still find them.
struct run_of_steps {
  driver::host_buffer words;
  host_call_counts counts;
  std::deque<step> steps;

  explicit run_of_steps(driver::host_buffer memory) : words(std::move(memory)) {}
  static run_of_steps& make(driver::host_buffer memory) {
    static auto* const kept = new std::deque<run_of_steps>;
    return kept->emplace_back(std::move(memory));
  }
};

/// Long beside the time that a host call needs to start.
std::uint64_t kernel_ns(const case_context& context) {
  using namespace std::chrono_literals;
  const std::chrono::nanoseconds length = 4 * context.calibration().host_call_latency_median;
  return static_cast<std::uint64_t>(std::clamp<std::chrono::nanoseconds>(length, 100us, 1ms).count());
}

void enqueue(case_context& context, CUstream stream, run_of_steps& run, mix of,
             std::size_t length, kernels::pattern what) {
  const std::uint64_t late = kernel_ns(context);
  for (std::size_t i = 0; i < length; ++i) {
    step& made = run.steps.emplace_back();
    made.call = nth_of(of, i);
    made.word = run.words.words().data() + i;
    made.slot.counts = &run.counts;
    made.slot.at_start = [&made] { made.seen = *made.word; };
    context.kernels().write_pattern(stream, run.words.device_address() + i * sizeof(std::uint64_t), 1,
                                    {what.word(i), 0}, late, {1, 1});
    made.slot.enqueue(context.cuda(), made.call, stream);
  }
}

void expect_run(case_context& context, const run_of_steps& run, kernels::pattern what) {
  const clause_id in_order = context.instance().clauses.back();
  const step* before = nullptr;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    const step& now = run.steps[i];
    const std::string name = fmt::format("host call {} of {}", i + 1, run.steps.size());
    if (!context.expect(in_order, failure_kind::lost, name, now.slot.times(), testing::Ge(1u)) ||
        !context.expect(start_clause(now.call), failure_kind::early, name, now.seen,
                        testing::Eq(what.word(i)))) {
      return;
    }
    if (before != nullptr && !context.expect(in_order, failure_kind::order, name, span_of(now.slot),
                                             FollowsSpan(span_of(before->slot)))) {
      return;
    }
    before = &now;
  }
}

// Promise:   CB-ORDER-001, HF-ORDER-001; CB-ORDER-004, HF-ORDER-002. Of some hundred pairs of a kernel
//            and a host call in one stream, each host call starts after its kernel, and all run in order.
// Defect:    one in a hundred starts early or is overtaken, when a ring of them wraps. It finds the
//            sentinel in its kernel's word, or has a lower stamp than the one in front.
// Any speed: each kernel takes longer than a host call needs to start, which only buys the chance to see
//            it. Nothing is held: the host would have to wait behind so many items.
STREAMCTS_CASE(long_run, {.arrangement = "callback/long_run",
                          .clauses = {clause::CB_ORDER_001, clause::HF_ORDER_001,
                                      clause::CB_ORDER_004, clause::HF_ORDER_002},
                          .clauses_of = run_clauses,
                          .axes = {mixes()},
                          .needs = {need::mapped_memory},
                          .without_hold = "every host call of a long run could start early or out of "
                                          "order; its kernel is slow beside it",
                          .time_limit = std::chrono::seconds(60)}) {
  const std::size_t length = context.by_tier(130, 2'000, 10'000);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  run_of_steps& run = run_of_steps::make(
      driver::host_buffer(context.cuda(), length * sizeof(std::uint64_t)));
  while (scene.next_round(1)) {
    const kernels::pattern what = kernels::ramp(context.next_epoch());
    fill_with_sentinel(run.words.words());
    enqueue(context, stream.get(), run, context.get<mix>("mix"), length, what);
    scene.drain();
    const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
    for (unsigned at = 0; !run.steps.back().slot.ended(); ++at) {
      if (std::chrono::steady_clock::now() > limit) break;
      relax_thread(at);
    }
    expect_run(context, run, what);
  }
}

}  // namespace
}  // namespace streamcts
