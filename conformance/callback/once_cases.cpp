// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// How often a host call runs: once for each successful call that put it into a stream.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <random>
#include <thread>
#include <vector>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

std::vector<clause_id> once_clauses(const parameters& values) {
  return {by_host_call(values, clause::CB_ONCE_001, clause::HF_ONCE_001)};
}

/// Executions of one registration, or of several that are identical.
using counter = std::atomic<std::uint32_t>;

void CUDA_CB count_callback(CUstream, CUresult, void* data) {
  static_cast<counter*>(data)->fetch_add(1, std::memory_order_acq_rel);
}
void CUDA_CB count_host_function(void* data) {
  static_cast<counter*>(data)->fetch_add(1, std::memory_order_acq_rel);
}

void enqueue(const driver::function_table& cuda, host_call call, CUstream stream, counter& at) {
  if (call == host_call::add_callback) {
    STREAMCTS_CHECK(cuda.cuStreamAddCallback(stream, &count_callback, &at, 0));
  } else {
    STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream, &count_host_function, &at));
  }
}

/// One counter for each registration. Kept until the process ends: a host call that comes late, or once
/// more, must still find it.
class tally {
 public:
  static tally& make(std::size_t size, std::uint32_t expected) {
    static auto* const kept = new std::deque<tally>;
    return kept->emplace_back(size, expected);
  }
  tally(std::size_t size, std::uint32_t expected) : expected_(expected), counters_(size) {}

  counter& operator[](std::size_t index) { return counters_[index]; }
  std::size_t size() const { return counters_.size(); }
  std::uint32_t expected() const { return expected_; }
  std::uint32_t of(std::size_t index) const {
    return counters_[index].load(std::memory_order_acquire);
  }
  bool complete() const {
    return std::all_of(counters_.begin(), counters_.end(), [this](const counter& each) {
      return each.load(std::memory_order_acquire) >= expected_;
    });
  }
  /// The first counter that is not as expected; 0 where all are.
  std::size_t first_wrong() const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (of(i) != expected_) return i;
    }
    return 0;
  }

 private:
  std::uint32_t expected_;
  std::vector<counter> counters_;
};

/// What was counted: how many executions the worst registration has.
struct executions {
  std::uint32_t seen, expected;
  std::size_t registration;
  friend void PrintTo(const executions& what, std::ostream* out) {
    *out << what.seen << " executions of registration " << what.registration << ", " << what.expected
         << " expected";
  }
};
MATCHER(AreAsRegistered, "as many executions as registrations") { return arg.seen == arg.expected; }

/// Waits for executions that are still to come, then judges all of them.
bool expect_tally(case_context& context, const tally& counts) {
  const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
  for (unsigned step = 0; !counts.complete() && std::chrono::steady_clock::now() < limit; ++step) {
    relax_thread(step);
  }
  const std::size_t shown = counts.first_wrong();
  const executions seen{counts.of(shown), counts.expected(), shown};
  return context.expect(context.instance().clauses.front(),
                        seen.seen < seen.expected ? failure_kind::lost : failure_kind::duplicate,
                        "host", seen, AreAsRegistered());
}

/// Judges the counters, and once more after a round trip through every stream: time for executions that
/// come again.
void expect_tally_twice(case_context& context, arrangement& scene, const tally& counts,
                        const std::vector<lane*>& streams) {
  scene.drain();
  if (!expect_tally(context, counts)) return;
  for (lane* each : streams) context.kernels().delay(each->get(), 200'000);
  scene.drain();
  expect_tally(context, counts);
}

std::vector<lane*> streams_of_both_kinds(arrangement& scene, std::size_t count) {
  std::vector<lane*> made;
  for (std::size_t i = 0; i < count; ++i) {
    made.push_back(&scene.stream(i % 2 == 0 ? driver::stream_kind::blocking
                                            : driver::stream_kind::non_blocking));
  }
  return made;
}

// Promise:   CB-ONCE-001, HF-ONCE-001. Each registration leads to exactly one execution.
// Defect:    one in some hundred or thousand is lost, when a ring of them wraps or two threads meet;
//            or is run again. Its counter is 0 or 2 instead of 1.
// Any speed: counters are compared once every stream has been synchronized and, if some are low,
//            patience has ended; high ones are looked for again at the end of the case.
STREAMCTS_CASE(once_each, {.arrangement = "callback/once_each",
                           .clauses = {clause::CB_ONCE_001, clause::HF_ONCE_001},
                           .clauses_of = once_clauses,
                           .axes = {host_calls()},
                           .without_hold = "counts every one of many executions; each of them could "
                                           "have been lost or doubled",
                           .time_limit = std::chrono::seconds(60)}) {
  constexpr std::size_t workers = 4;
  const std::size_t length = context.by_tier(500, 2'500, 12'500);
  const host_call call = host_call_of(context);
  arrangement scene(context);
  const std::vector<lane*> streams = streams_of_both_kinds(scene, 8);
  std::vector<host_thread*> threads;
  for (std::size_t i = 0; i < workers; ++i) threads.push_back(&scene.thread());
  tally& counts = tally::make(streams.size() * length, 1);
  while (scene.next_round(1)) {
    for (std::size_t w = 0; w < workers; ++w) {
      threads[w]->start([&context, &counts, streams, length, call, w] {
        std::minstd_rand random(static_cast<unsigned>(context.seed() + w));
        for (std::size_t i = 0; i < length; ++i) {
          for (std::size_t s = w; s < streams.size(); s += workers) {
            if (random() % 8 == 0) context.kernels().delay(streams[s]->get(), random() % 4'000);
            enqueue(context.cuda(), call, streams[s]->get(), counts[s * length + i]);
          }
        }
      });
    }
    for (host_thread* each : threads) {
      if (!each->wait(6 * context.calibration().patience())) {
        context.inconclusive("a thread was still enqueuing when patience ended");
      }
    }
    expect_tally_twice(context, scene, counts, streams);
  }
}

// Promise:   CB-ONCE-001, HF-ONCE-001. The same for registrations of one function with one argument.
// Defect:    pending registrations that are equal are merged, or told apart by their argument and lost.
//            The counter that all of them share is short.
// Any speed: in one of the streams all of them are pending at once, behind a held kernel.
STREAMCTS_CASE(once_identical, {.arrangement = "callback/once_identical",
                                .clauses = {clause::CB_ONCE_001, clause::HF_ONCE_001},
                                .clauses_of = once_clauses,
                                .axes = {host_calls()},
                                .needs = {need::device_gate}}) {
  constexpr std::uint32_t length = 120;
  const host_call call = host_call_of(context);
  arrangement scene(context);
  const std::vector<lane*> streams = streams_of_both_kinds(scene, 8);
  while (scene.next_round(context.by_tier(1, 8, 8))) {
    tally& counts = tally::make(1, length * static_cast<std::uint32_t>(streams.size()));
    scene.hold_work([&] {
      scene.note(*streams[0], "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), streams[0]->get(),
                                  gate_kind::mapped_flag);
      for (std::uint32_t i = 0; i < length; ++i) {
        for (lane* each : streams) enqueue(context.cuda(), call, each->get(), counts[0]);
      }
    });
    expect_tally_twice(context, scene, counts, streams);
  }
}

// Promise:   CB-ONCE-001, HF-ONCE-001. A host call that is the only thing in its stream runs once.
// Defect:    where nothing is in front of it no signal is raised, and it never runs; or it runs at once
//            and again at the next synchronization. Its counter is 0 or 2.
// Any speed: nothing is timed: the counter is read once the stream has been synchronized and patience
//            has ended.
STREAMCTS_CASE(once_alone, {.arrangement = "callback/once_alone",
                            .clauses = {clause::CB_ONCE_001, clause::HF_ONCE_001},
                            .clauses_of = once_clauses,
                            .axes = {host_calls(), streams()},
                            .without_hold = "counts the executions of a host call that nothing holds; "
                                            "each could have been lost"}) {
  const host_call call = host_call_of(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  while (scene.next_round(context.by_tier(5, 20, 200))) {
    tally& counts = tally::make(1, 1);
    enqueue(context.cuda(), call, stream.get(), counts[0]);
    scene.drain();
    if (!expect_tally(context, counts)) return;
    stream.stream.synchronize();
    expect_tally(context, counts);
  }
}

// Promise:   CB-ONCE-001, HF-ONCE-001. Pending host calls run once also when the host thread that
//            enqueued them has ended.
// Defect:    what a thread enqueued is dropped with the thread. The counter is 0.
// Any speed: the stream is held until the thread has ended.
STREAMCTS_CASE(once_after_thread_exit, {.arrangement = "callback/once_after_thread_exit",
                                        .clauses = {clause::CB_ONCE_001, clause::HF_ONCE_001},
                                        .clauses_of = once_clauses,
                                        .axes = {host_calls()},
                                        .needs = {need::device_gate}}) {
  constexpr std::size_t length = 8;
  const host_call call = host_call_of(context);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  while (scene.next_round(context.by_tier(1, 3, 20))) {
    tally& counts = tally::make(length, 1);
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      std::exception_ptr thrown;
      std::thread brief([&] {
        try {
          context.session().make_current();
          for (std::size_t i = 0; i < length; ++i) {
            enqueue(context.cuda(), call, stream.get(), counts[i]);
          }
        } catch (...) {
          thrown = std::current_exception();
        }
      });
      brief.join();
      if (thrown) std::rethrow_exception(thrown);
    });
    expect_tally_twice(context, scene, counts, {&stream});
  }
}

}  // namespace
}  // namespace streamcts
