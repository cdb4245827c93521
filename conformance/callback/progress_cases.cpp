// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host call does not wait for.

#include <chrono>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "kernels/parameters.h"

namespace streamcts {
namespace {

/// Waits until @p call has ended, at most as long as patience says. The query keeps the device
/// going: a program that only looks at memory need not see its work finish.
void await_end(const case_context& context, const observer& call, const lane& stream) {
  const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
  for (unsigned step = 0; !call.slot().ended(); ++step) {
    if (std::chrono::steady_clock::now() > limit) return;
    (void)context.cuda().cuStreamQuery(stream.get());
    relax_thread(step);
  }
}

MATCHER(WasOpenedByTheCall, "the later kernel to end because the callback opened its gate") {
  return arg == gate::state::opened;
}

// Promise:   CB-ORDER-006. A callback does not wait for work enqueued in its stream after it.
// Defect:    callbacks run once the whole stream has drained. The kernel behind it waits for what
//            only the callback does, until its own time limit: the gate says expired.
// Any speed: nothing else is on the device and every enqueuing call has returned before the stream is
//            let go; the kernel can start only after the callback has opened its gate.
STREAMCTS_CASE(not_for_later_work, {.arrangement = "callback/not_for_later_work",
                                    .clauses = {clause::CB_ORDER_006},
                                    .axes = {streams()},
                                    .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  while (scene.next_round(context.by_tier(2, 3, 20))) {
    const control_word word = scene.marker();
    gate later(word, scene.marker(), 4 * context.calibration().enqueue_cap());
    observer& call = scene.host_call(host_call::add_callback);
    call.finally([word] { word.replace(kernels::gate_shut, kernels::gate_opened); });
    operation behind{};
    const hold_result held = scene.hold_work([&] {
      scene.note(stream, "kernel in front");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      scene.enqueue(stream, call);
      behind = scene.note(stream, "kernel waiting for the callback");
      later.enqueue(context.cuda(), context.kernels(), stream.get(), gate_kind::mapped_flag);
    });
    await_end(context, call, stream);
    const gate::state state = later.now();
    later.open();
    scene.drain();
    // Where an enqueuing call waited for the gate, the kernel behind may not have been there.
    if (held != hold_result::canary && held != hold_result::calibrated) continue;
    scene.expect(clause::CB_ORDER_006, behind, call.op(), failure_kind::progress, state,
                 WasOpenedByTheCall());
  }
}

}  // namespace
}  // namespace streamcts
