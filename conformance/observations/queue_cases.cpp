// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// How a driver runs host calls: on which threads, how many at once, how soon, how many may wait.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <thread>

#include "conformance/axes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

using clock = std::chrono::steady_clock;

const char* call_of(host_call which) {
  return which == host_call::add_callback ? "cuStreamAddCallback" : "cuLaunchHostFunc";
}

/// Waits for @p done, at most @p limit.
template <typename Done>
bool await(Done done, std::chrono::nanoseconds limit) {
  const auto start = clock::now();
  for (unsigned step = 0; !done(); ++step) {
    if (clock::now() - start > limit) return false;
    relax_thread(step);
  }
  return true;
}

// Observes:  which threads run host calls of many streams, and whether the call that enqueues one runs it
//            (CB-THREAD-001, CB-ASYNC-001).
// Judges:    nothing: any thread will do.
// Any speed: compares thread ids; a host call that ran on the enqueuing thread ran in the enqueuing call.
STREAMCTS_CASE(threads_seen, {.arrangement = "observations/threads",
                              .clauses = {},
                              .axes = {host_calls()},
                              .without_hold = "observes only",
                              .observes = true}) {
  constexpr std::size_t streams = 16, calls = 4;
  arrangement scene(context);
  std::vector<lane*> lanes;
  for (std::size_t i = 0; i < streams; ++i) {
    lanes.push_back(&scene.stream(driver::stream_kind::non_blocking));
  }
  if (!scene.next_round(1)) return;
  std::vector<std::thread::id> ran(streams * calls);
  for (std::size_t i = 0; i < ran.size(); ++i) {
    observer& call = scene.host_call(host_call_of(context));
    call.finally([&at = ran[i]] { at = std::this_thread::get_id(); });
    scene.enqueue(*lanes[i % streams], call);
  }
  scene.drain();
  const std::set<std::thread::id> all(ran.begin(), ran.end());
  const auto own = std::count(ran.begin(), ran.end(), std::this_thread::get_id());
  context.observe(fmt::format("Threads that ran the host calls of {} streams ({})", streams,
                              call_of(host_call_of(context))),
                  fmt::format("{} for {} calls", all.size(), ran.size()),
                  "Any thread is allowed (CB-THREAD-001).");
  context.observe(fmt::format("{} runs the function itself", call_of(host_call_of(context))),
                  own == 0 ? "never" : fmt::format("{} of {} times", own, ran.size()),
                  "Running it inside the enqueuing call is allowed (CB-ASYNC-001).");
}

// Observes:  how many host calls of independent streams run at once (CB-ORDER-007).
// Judges:    nothing: one at a time is allowed.
// Any speed: each host call stays until all of them are there, or for a while.
STREAMCTS_CASE(overlap_seen, {.arrangement = "observations/overlap",
                              .clauses = {},
                              .axes = {host_calls()},
                              .needs = {need::host_gate},
                              .without_hold = "observes only",
                              .observes = true}) {
  constexpr int streams = 4;
  const auto stay = std::clamp<std::chrono::nanoseconds>(4 * context.calibration().margin(),
                                                         std::chrono::milliseconds(5),
                                                         std::chrono::milliseconds(50));
  arrangement scene(context);
  std::vector<lane*> lanes;
  for (int i = 0; i < streams; ++i) {
    lanes.push_back(&scene.stream(driver::stream_kind::non_blocking));
  }
  std::atomic<int> inside{0}, most{0};
  if (!scene.next_round(1)) return;
  for (lane* each : lanes) {
    observer& call = scene.host_call(host_call_of(context));
    call.finally([&] {
      const int now = inside.fetch_add(1) + 1;
      for (int seen = most.load(); seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      await([&] { return most.load() == streams; }, stay);
      inside.fetch_sub(1);
    });
    scene.enqueue(*each, call);
  }
  scene.drain();
  context.observe(fmt::format("Host calls of {} independent streams at once ({})", streams,
                              call_of(host_call_of(context))),
                  fmt::format("{} at most", most.load()),
                  most.load() == 1 ? "One at a time: host calls that wait for each other never end "
                                     "(CB-ORDER-007)."
                                   : "");
}

std::string microseconds(std::chrono::nanoseconds time) {
  return fmt::format("{:.1f} us", static_cast<double>(time.count()) / 1000);
}

// Observes:  how long after the enqueuing call, in an empty stream, a host call begins (CB-ASYNC-002).
// Judges:    nothing: no latency is promised.
// Any speed: a measurement.
STREAMCTS_CASE(latency_seen, {.arrangement = "observations/latency",
                              .clauses = {},
                              .axes = {host_calls()},
                              .without_hold = "observes only",
                              .observes = true}) {
  const auto rounds = static_cast<std::size_t>(context.by_tier(60, 1000, 10000));
  const host_call which = host_call_of(context);
  const driver::stream stream(context.cuda(), driver::stream_kind::non_blocking);
  std::vector<std::chrono::nanoseconds> enqueued, begun;
  // Whatever comes late still finds its slot.
  static auto* slots = new std::deque<host_call_slot>;
  for (std::size_t i = 0; i < rounds; ++i) {
    host_call_slot& slot = slots->emplace_back();
    std::atomic<clock::time_point> at{clock::time_point{}};
    slot.at_start = [&at] { at.store(clock::now()); };
    const auto start = clock::now();
    slot.enqueue(context.cuda(), which, stream.get());
    enqueued.push_back(clock::now() - start);
    if (!await([&] { return slot.ended(); }, context.calibration().patience())) {
      context.inconclusive("a host call did not come");
    }
    begun.push_back(at.load() - start);
  }
  const auto quantile = [](std::vector<std::chrono::nanoseconds>& of, double which_one) {
    const auto place = of.begin() + static_cast<std::ptrdiff_t>(
                                        which_one * static_cast<double>(of.size() - 1));
    std::nth_element(of.begin(), place, of.end());
    return *place;
  };
  context.observe(fmt::format("Time from the call of {} to the function, empty stream", call_of(which)),
                  fmt::format("median {}, 99 % {}", microseconds(quantile(begun, 0.5)),
                              microseconds(quantile(begun, 0.99))),
                  fmt::format("{} times, one after another; nothing is promised (CB-ASYNC-002).",
                              rounds));
  context.observe(fmt::format("Time of the call of {}", call_of(which)),
                  fmt::format("median {}, 99 % {}", microseconds(quantile(enqueued, 0.5)),
                              microseconds(quantile(enqueued, 0.99))));
}

/// What is queued behind a gate.
enum class queued { add_callback, launch_host_func, kernel };
std::string_view name(queued what) {
  switch (what) {
    case queued::add_callback: return "add_callback";
    case queued::launch_host_func: return "launch_host_func";
    case queued::kernel: return "kernel";
  }
  return "unknown";
}

void put(case_context& context, queued what, CUstream stream) {
  const driver::function_table& cuda = context.cuda();
  switch (what) {
    case queued::add_callback:
      STREAMCTS_CHECK(cuda.cuStreamAddCallback(stream, [](CUstream, CUresult, void*) {}, nullptr, 0));
      return;
    case queued::launch_host_func:
      STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream, [](void*) {}, nullptr));
      return;
    case queued::kernel: context.kernels().delay(stream, 0); return;
  }
}

// Observes:  how many operations can be enqueued behind one that does not end, before a call blocks.
// Judges:    nothing: any call may block (CB-ASYNC-001).
// Any speed: a call blocks if it has not returned for a while; then the gate is opened.
STREAMCTS_CASE(depth_seen, {.arrangement = "observations/queue_depth",
                            .clauses = {},
                            .axes = {make_axis<queued>("queued", {queued::add_callback,
                                                                  queued::launch_host_func,
                                                                  queued::kernel})},
                            .needs = {need::device_gate, need::mapped_memory},
                            .without_hold = "observes only",
                            .observes = true,
                            .time_limit = std::chrono::seconds(60)}) {
  const auto what = context.get<queued>("queued");
  const auto limit = static_cast<std::uint32_t>(context.by_tier(2000, 20000, 100000));
  const auto blocked_after = std::max<std::chrono::nanoseconds>(
      std::chrono::milliseconds(50), context.calibration().enqueue_cap() / 4);
  control_page page(context.cuda());
  const control_word word = page.next();
  gate front(word, page.next(), context.calibration().gate_timeout());
  const driver::stream stream(context.cuda(), driver::stream_kind::non_blocking);
  std::atomic<std::uint32_t> count{0};
  std::atomic<bool> ended{false}, stop{false};
  host_thread enqueuer(context.session());
  enqueuer.start([&] {
    front.enqueue(context.cuda(), context.kernels(), stream.get(), gate_kind::mapped_flag);
    for (std::uint32_t i = 0; i < limit && !stop.load(); ++i) {
      put(context, what, stream.get());
      count.fetch_add(1);
    }
    ended.store(true);
  });
  std::uint32_t depth = 0;
  for (;;) {
    const std::uint32_t before = count.load();
    depth = before;
    if (await([&] { return ended.load() || count.load() != before; }, blocked_after)) {
      if (ended.load()) break;
      continue;
    }
    break;
  }
  const bool unlimited = ended.load();
  const bool was_shut = front.open();
  stop.store(true);
  if (!enqueuer.wait(context.calibration().patience())) {
    context.inconclusive("an enqueuing call did not return although the gate is open");
  }
  stream.synchronize();
  if (!was_shut) context.inconclusive("the gate expired");
  context.observe(fmt::format("Operations behind one that does not end ({})", name(what)),
                  unlimited ? fmt::format("{} and more", limit)
                            : fmt::format("{}, then the call blocked", depth),
                  "A call may block (CB-ASYNC-001); keep well below this behind something that the "
                  "same thread must end.");
}

}  // namespace
}  // namespace streamcts
