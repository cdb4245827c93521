// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What events do not wait for.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "conformance/clauses/clauses.h"
#include "conformance/event/seen_by.h"
#include "harness/driver/poll.h"

namespace streamcts {
namespace {

MATCHER(IsCompleteWhileLaterWorkIsHeld,
        "the event to complete although the kernel behind it is held") {
  return arg;
}

// Promise:   EV-REC-002. Work added to the stream after the record does not postpone the event.
// Defect:    the event stands for the end of the stream, whatever is there when it is asked. It completes
//            with the later kernel, which is held: never, until that gate expires.
// Any speed: nothing else is on the device and every enqueuing call has returned before the stream is
//            let go; completion may come as late as the gate of the later kernel permits.
STREAMCTS_CASE(later_work, {.arrangement = "event/not_for_later_work",
                            .clauses = {clause::EV_REC_002},
                            .axes = {streams(), event_kinds()},
                            .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& recorded = scene.event(flags_of(event_of(context)));
  while (scene.next_round(context.by_tier(2, 3, 20))) {
    const control_word word = scene.marker();
    gate later(word, scene.marker(), 4 * context.calibration().enqueue_cap());
    operation behind{};
    const hold_result held = scene.hold_work([&] {
      scene.victim(stream, out);
      scene.record(recorded, stream);
      behind = scene.note(stream, "kernel behind the record");
      later.enqueue(context.cuda(), context.kernels(), stream.get(), gate_kind::mapped_flag);
    });
    bool in_time = false;
    driver::poll(context.calibration().patience(), [&] {
      if (later.now() != gate::state::shut) return true;
      return in_time = recorded.event.query();
    });
    later.open();
    scene.drain();
    // Where an enqueuing call waited for the gate, the kernel behind may not have been there.
    if (held != hold_result::canary && held != hold_result::calibrated) continue;
    const operation asked = scene.host_after(recorded, "successful cuEventQuery");
    scene.expect(clause::EV_REC_002, behind, asked, failure_kind::progress, in_time,
                 IsCompleteWhileLaterWorkIsHeld());
  }
}

/// What an event that was never recorded does to the one that asks, with a bound.
/// @return the code; nothing if the call did not return or the host call did not come.
std::optional<CUresult> ask_unrecorded(case_context& context, arrangement& scene,
                                       host_thread& other, const driver::event& never, lane& stream,
                                       seen_by how) {
  const driver::function_table& cuda = context.cuda();
  const auto limit = context.calibration().patience();
  if (how == seen_by::query) {
    CUresult code = CUDA_ERROR_NOT_READY;
    driver::poll(limit, [&] {
      code = cuda.cuEventQuery(never.get());
      return code != CUDA_ERROR_NOT_READY;
    });
    if (code == CUDA_ERROR_NOT_READY) return std::nullopt;
    return code;
  }
  if (how == seen_by::synchronize) {
    // The thread may stay behind in the call: it owns what it writes.
    auto code = std::make_shared<CUresult>(CUDA_SUCCESS);
    other.start([&cuda, code, event = never.get()] { *code = cuda.cuEventSynchronize(event); });
    if (!other.wait(limit)) return std::nullopt;
    return *code;
  }
  observer& call = scene.host_call(host_call::add_callback);
  stream.stream.wait(never);
  scene.enqueue(stream, call);
  const bool came = driver::poll(limit, [&] {
    (void)cuda.cuStreamQuery(stream.get());
    return call.slot().ended();
  });
  if (!came) return std::nullopt;
  return CUDA_SUCCESS;
}

MATCHER(HasAnswered, "an answer without waiting: the event stands for nothing") {
  if (arg) *result_listener << driver::result_name(*arg);
  return arg.has_value();
}
MATCHER(HasSucceeded, "CUDA_SUCCESS") {
  if (arg) *result_listener << driver::result_name(*arg);
  return arg == CUDA_SUCCESS;
}

// Promise:   EV-REC-004. An event that was never recorded stands for no work: a query succeeds, a
//            synchronize returns, and a stream that waits for it goes on.
// Defect:    such an event is never complete: NOT_READY for ever, or a stream that does not go on.
// Any speed: nothing else is on the device; an answer may come as late as patience permits.
STREAMCTS_CASE(never_recorded, {.arrangement = "event/never_recorded",
                                .clauses = {clause::EV_REC_004},
                                .axes = {observers(), event_kinds(), streams()},
                                .needs = {},
                                .without_hold = "nothing may be waited for, so nothing is held"}) {
  const seen_by how = context.get<seen_by>("observer");
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  host_thread& other = scene.thread();
  const auto name = fmt::format("host that asks by {}", streamcts::name(how));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const driver::event never(context.cuda(), flags_of(event_of(context)));
    const auto answer = ask_unrecorded(context, scene, other, never, stream, how);
    if (!context.expect(clause::EV_REC_004, failure_kind::progress, name, answer, HasAnswered())) {
      break;
    }
    context.expect(clause::EV_REC_004, failure_kind::status, name, answer, HasSucceeded());
  }
}

/// Makes events like @p gone was, which is destroyed first.
std::vector<driver::event> replace(const case_context& context, driver::event& gone) {
  gone.destroy();
  std::vector<driver::event> made;
  for (int i = 0; i < 4; ++i) made.emplace_back(context.cuda(), CU_EVENT_DISABLE_TIMING);
  return made;
}

MATCHER(AreComplete, "events that stand for nothing to be complete although a kernel is held") {
  return arg;
}

// Promise:   EV-REC-004. A new event stands for no work, also where another one, whose work goes on, was
//            destroyed just before.
// Defect:    a new event takes over what an old one stood for: NOT_READY until that work ends.
// Any speed: nothing else is on the device and every enqueuing call has returned; the answer may come as
//            late as the gate of that work permits, and counts only if the events were there in time.
STREAMCTS_CASE(made_after_another, {.arrangement = "event/made_after_another",
                                    .clauses = {clause::EV_REC_004},
                                    .axes = {created_streams()},
                                    .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  host_thread& other = scene.thread();
  while (scene.next_round(context.by_tier(2, 3, 20))) {
    driver::event gone(context.cuda(), CU_EVENT_DISABLE_TIMING);
    const control_word word = scene.marker();
    gate later(word, scene.marker(), 4 * context.calibration().enqueue_cap());
    const hold_result held = scene.hold_work([&] {
      scene.victim(stream, out);
      scene.note(stream, "kernel that goes on");
      later.enqueue(context.cuda(), context.kernels(), stream.get(), gate_kind::mapped_flag);
      gone.record(stream.get());
    });
    std::vector<driver::event> made;
    other.run([&] { made = replace(context, gone); });
    const bool there_in_time = later.now() == gate::state::shut;
    bool complete = false;
    driver::poll(context.calibration().patience(), [&] {
      if (later.now() != gate::state::shut) return true;
      return complete = std::all_of(made.begin(), made.end(), [](auto& each) { return each.query(); });
    });
    later.open();
    scene.drain();
    if (!there_in_time || (held != hold_result::canary && held != hold_result::calibrated)) continue;
    context.expect(clause::EV_REC_004, failure_kind::progress, "host that asks by cuEventQuery",
                   complete, AreComplete());
  }
}

}  // namespace
}  // namespace streamcts
