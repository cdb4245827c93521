// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Elapsed time between events.

#include <fmt/format.h>

#include <chrono>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/poll.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

using namespace std::chrono_literals;

/// Which version of cuEventElapsedTime is called.
enum class version { first, second };
std::string_view name(version which) { return which == version::first ? "v1" : "v2"; }
axis versions() { return make_axis<version>("version", {version::first, version::second}); }

struct elapsed {
  CUresult code;
  float milliseconds;
};

/// Ends the case where the driver lacks the version that its parameters ask for.
class stopwatch {
 public:
  explicit stopwatch(case_context& context)
      : cuda_(context.cuda()), which_(context.get<version>("version")) {
    const bool there = which_ == version::first ? cuda_.cuEventElapsedTime.get() != nullptr
                                                : cuda_.cuEventElapsedTime_v2.get() != nullptr;
    if (!there) context.not_supported(fmt::format("cuEventElapsedTime {} = absent", name(which_)));
  }

  /// Asks until the answer is not NOT_READY: that may be given for a while after completion.
  elapsed between_complete(const driver::event& begin, const driver::event& end,
                           std::chrono::nanoseconds patience) const {
    elapsed found{};
    driver::poll(patience, [&] {
      found = between(begin, end);
      return found.code != CUDA_ERROR_NOT_READY;
    });
    return found;
  }

  elapsed between(const driver::event& begin, const driver::event& end) const {
    elapsed found{CUDA_SUCCESS, -1.0f};
    found.code = which_ == version::first
                     ? cuda_.cuEventElapsedTime(&found.milliseconds, begin.get(), end.get())
                     : cuda_.cuEventElapsedTime_v2(&found.milliseconds, begin.get(), end.get());
    return found;
  }

 private:
  const driver::function_table& cuda_;
  version which_;
};

MATCHER_P(Answers, code, driver::result_name(code)) {
  *result_listener << driver::result_name(arg);
  return arg == code;
}

/// An event that was never recorded, made after others that were are gone.
driver::event unrecorded(const case_context& context, const lane& stream) {
  for (int i = 0; i < 4; ++i) {
    const driver::event gone(context.cuda(), CU_EVENT_DEFAULT);
    gone.record(stream.get());
  }
  return driver::event(context.cuda(), CU_EVENT_DEFAULT);
}

// Promise:   EV-TIME-001. Elapsed time is refused with INVALID_HANDLE where an event was never recorded or
//            was made without timing, and with NOT_READY where one is not complete.
// Defect:    zero milliseconds and success, whatever the events.
// Any speed: only return codes are judged; the event that must not be complete is behind held work, and
//            the answer counts only if that was still held after the call.
STREAMCTS_CASE(elapsed_time_codes, {.arrangement = "event/elapsed_codes",
                                    .clauses = {clause::EV_TIME_001},
                                    .axes = {versions(), created_streams()},
                                    .needs = {need::device_gate, need::mapped_memory}}) {
  const stopwatch watch(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& begin = scene.event(CU_EVENT_DEFAULT);
  mark& end = scene.event(CU_EVENT_DEFAULT);
  mark& untimed = scene.event(CU_EVENT_DISABLE_TIMING);
  driver::event never;
  const auto expect = [&](const driver::event& a, const driver::event& b, CUresult code,
                          const char* pair) {
    context.expect(clause::EV_TIME_001, failure_kind::status,
                   fmt::format("host that asks for the time between {}", pair),
                   watch.between(a, b).code, Answers(code));
  };
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    scene.record(begin, stream);
    scene.record(untimed, stream);
    never = unrecorded(context, stream);
    stream.stream.synchronize();
    expect(begin.event, never, CUDA_ERROR_INVALID_HANDLE, "a complete and an unrecorded event");
    expect(never, begin.event, CUDA_ERROR_INVALID_HANDLE, "an unrecorded and a complete event");
    expect(begin.event, untimed.event, CUDA_ERROR_INVALID_HANDLE, "a timed and an untimed event");
    expect(untimed.event, begin.event, CUDA_ERROR_INVALID_HANDLE, "an untimed and a timed event");
    CUresult seen = CUDA_SUCCESS;
    gate::state state = gate::state::opened;
    scene.hold_work([&] {
      scene.victim(stream, out);
      scene.record(end, stream);
      seen = watch.between(begin.event, end.event).code;
      state = scene.victim_gate().now();
    });
    scene.drain();
    if (state == gate::state::shut) {
      context.expect(clause::EV_TIME_001, failure_kind::status,
                     "host that asks for the time up to an event behind held work", seen,
                     Answers(CUDA_ERROR_NOT_READY));
    }
    const elapsed now =
        watch.between_complete(begin.event, end.event, context.calibration().patience());
    context.expect(clause::EV_TIME_001, failure_kind::status,
                   "host that asks for the time between two complete events", now.code, Succeeds());
  }
}

/// How long the timed host call takes: much longer than a host call takes to start.
std::chrono::nanoseconds run_time(const case_context& context) {
  return std::max<std::chrono::nanoseconds>(3ms, 4 * context.calibration().host_call_latency_p999);
}

MATCHER_P(IsAtLeast, milliseconds, fmt::format("at least {} ms", milliseconds)) {
  return arg >= milliseconds;
}

// Promise:   EV-TIME-002. The time between events recorded in front of a host call and behind it is at
//            least the time that the host call took. (Derived from two sentences of the manual.)
// Defect:    the second event gets the time at which the host call starts, or the device's last work
//            ended: about zero.
// Any speed: a lower bound only, taken by the host call itself; both may take as long as they like. Two
//            clocks measure: 2 % and 50 us are allowed for that.
STREAMCTS_CASE(elapsed_over_host_call, {.arrangement = "event/elapsed_over_host_call",
                                        .clauses = {clause::EV_TIME_002},
                                        .axes = {host_calls(), streams(), versions()},
                                        .without_hold = "the host call's own time is the bound"}) {
  using clock = std::chrono::steady_clock;
  const stopwatch watch(context);
  const auto least = run_time(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  mark& begin = scene.event(CU_EVENT_DEFAULT);
  mark& end = scene.event(CU_EVENT_DEFAULT);
  while (scene.next_round(context.by_tier(1, 3, 20))) {
    observer& call = scene.host_call(host_call_of(context));
    clock::duration taken{};
    call.finally([&taken, least] {
      const auto start = clock::now();
      while (clock::now() - start < least) relax_thread(0);
      taken = clock::now() - start;
    });
    scene.record(begin, stream);
    scene.enqueue(stream, call);
    scene.record(end, stream);
    scene.drain();
    const elapsed seen =
        watch.between_complete(begin.event, end.event, context.calibration().patience());
    const operation asked = scene.host_after(end, "cuEventElapsedTime");
    if (!scene.expect(clause::EV_TIME_002, call.op(), asked, failure_kind::status, seen.code,
                      Succeeds())) {
      break;
    }
    const double bound = std::chrono::duration<double, std::milli>(taken).count() * 0.98 - 0.05;
    scene.expect(clause::EV_TIME_002, call.op(), asked, failure_kind::value,
                 static_cast<double>(seen.milliseconds), IsAtLeast(bound));
  }
}

}  // namespace
}  // namespace streamcts
