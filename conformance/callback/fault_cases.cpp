// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Callbacks around a kernel that faults.

#include <algorithm>
#include <array>

#include "conformance/axes.h"
#include "conformance/callback/fault_scene.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

device_fault fault_of(const case_context& context) { return context.get<device_fault>("fault"); }

/// A callback that has to have run once.
bool expect_once(case_context& context, clause_id promise, std::string_view name,
                 const host_call_slot& slot) {
  return context.expect(promise, slot.begun() ? failure_kind::duplicate : failure_kind::lost, name,
                        slot.times(), testing::Eq(1u));
}

// Promise:   CB-ONCE-003, CB-STATUS-002, CB-STATUS-005. Callbacks that were registered before a device
//            error run once after it, and are given an error, also in a stream that waits for the one
//            that failed.
// Defect:    what is queued behind a failing kernel is thrown away (a count of 0), or run again by each
//            call that reports the error (2 and more); or the status was taken when the callback was
//            enqueued, or only the first one gets the error: CUDA_SUCCESS as status.
// Any speed: the failing kernel waits behind a gate until all callbacks are enqueued.
STREAMCTS_CASE(after_fault, {.arrangement = "callback/after_fault",
                             .clauses = {clause::CB_ONCE_003, clause::CB_STATUS_002,
                                         clause::CB_STATUS_005},
                             .axes = {device_faults()},
                             .where = isolation::own_process,
                             .needs = {need::device_gate, need::faults}}) {
  fault_scene& scene = fault_scene::make(context);
  host_call_slot& first = scene.host_call();
  host_call_slot& second = scene.host_call();
  host_call_slot& third = scene.host_call();
  host_call_slot& joined = scene.host_call();
  const std::array all = {&first, &second, &third, &joined};
  scene.hold([&] {
    scene.enqueue_gate(scene.first());
    scene.enqueue_fault(scene.first(), fault_of(context));
    for (host_call_slot* each : {&first, &second, &third}) {
      scene.enqueue(scene.first(), *each, host_call::add_callback);
    }
    scene.join();
    scene.enqueue(scene.second(), joined, host_call::add_callback);
  });
  context.count_round();
  context.observe("code after the fault", driver::result_name(scene.await_error()));
  scene.wait([&] {
    return std::all_of(all.begin(), all.end(), [](auto* each) { return each->ended(); });
  });
  scene.linger();
  for (host_call_slot* each : all) {
    const bool other = each == &joined;
    const std::string_view name = other ? "callback of a joined stream" : "callback behind the fault";
    if (!expect_once(context, clause::CB_ONCE_003, name, *each)) continue;
    context.expect(other ? clause::CB_STATUS_005 : clause::CB_STATUS_002, failure_kind::status, name,
                   each->status(), IsAnError());
    context.observe("status of a callback behind the fault", driver::result_name(each->status()));
  }
}

// Promise:   CB-STATUS-006. A kernel behind a callback has no influence on the callback's status.
// Defect:    the kernel starts before the callback, and its error gets into the callback's status.
// Any speed: callback and kernel wait behind one gate until both are enqueued. The callback is judged
//            only where the stream has then reported the error.
STREAMCTS_CASE(before_fault, {.arrangement = "callback/before_fault",
                              .clauses = {clause::CB_STATUS_006},
                              .axes = {device_faults()},
                              .where = isolation::own_process,
                              .needs = {need::device_gate, need::faults}}) {
  fault_scene& scene = fault_scene::make(context);
  host_call_slot& call = scene.host_call();
  scene.hold([&] {
    scene.enqueue_gate(scene.first());
    scene.enqueue(scene.first(), call, host_call::add_callback);
    scene.enqueue_fault(scene.first(), fault_of(context));
  });
  context.count_round();
  scene.await_error();
  if (!scene.wait([&] { return call.ended(); })) {
    context.inconclusive("the callback in front of the fault has not run");
  }
  context.expect(clause::CB_STATUS_006, failure_kind::status, "callback in front of the fault",
                 std::string_view(driver::result_name(call.status())),
                 testing::Eq(std::string_view("CUDA_SUCCESS")));
}

/// What the callbacks of the other stream go by; in ordinary memory, which a fault does not touch.
struct elsewhere {
  std::atomic<bool> reported{false};  ///< the first stream has answered the error
  std::atomic<bool> released{false};  ///< the other stream's gate was opened, or is about to be
  std::chrono::steady_clock::time_point shut_until;  ///< the gate does not expire before

  /// Whether a callback that starts now comes after the fault for certain: the fault was reported, or
  /// what holds the callback back was given up without having been let go.
  bool is_after_fault() const {
    return reported || (!released && std::chrono::steady_clock::now() < shut_until);
  }
};

// Promise:   CB-STATUS-005. After a fault, callbacks that run in another stream get an error too.
// Defect:    the error is kept for each stream, and a callback elsewhere is told CUDA_SUCCESS.
// Any speed: the other stream has a gate of its own in front of its callbacks, which is opened some time
//            after the fault was reported. A callback that starts before was let go by the fault alone; one
//            that starts later comes after the report. Where neither is certain it is not judged.
STREAMCTS_CASE(fault_elsewhere, {.arrangement = "callback/fault_elsewhere",
                                 .clauses = {clause::CB_STATUS_005},
                                 .axes = {device_faults()},
                                 .where = isolation::own_process,
                                 .needs = {need::device_gate, need::faults}}) {
  constexpr int row = 4;
  fault_scene& scene = fault_scene::make(context);
  static elsewhere shared;
  static std::array<std::atomic<bool>, row> after_fault{};
  std::array<host_call_slot*, row> calls{};
  scene.hold([&] {
    scene.enqueue_gate(scene.first());
    scene.enqueue_fault(scene.first(), fault_of(context));
    if (scene.shut().now() != gate::state::shut) return;  // launches wait: there is no hold
    shared.shut_until = std::chrono::steady_clock::now() + scene.other_gate().timeout() / 2;
    scene.enqueue_other_gate(scene.second());
    for (int i = 0; i < row; ++i) {
      calls[i] = &scene.host_call();
      calls[i]->at_start = [i] { after_fault[i] = shared.is_after_fault(); };
      scene.enqueue(scene.second(), *calls[i], host_call::add_callback);
    }
  });
  context.count_round();
  scene.await_error();
  shared.reported = true;
  scene.linger();
  shared.released = true;
  scene.other_gate().open();
  scene.wait([&] { return calls[row - 1]->ended(); });
  int judged = 0;
  for (int i = 0; i < row; ++i) {
    if (!expect_once(context, clause::CB_STATUS_005, "callback of another stream", *calls[i])) return;
    if (!after_fault[i]) continue;
    ++judged;
    context.expect(clause::CB_STATUS_005, failure_kind::status, "callback of another stream",
                   calls[i]->status(), IsAnError());
  }
  if (judged == 0) context.inconclusive("no callback started that was certain to come after the fault");

  // A driver may still accept callbacks.
  host_call_slot& late = scene.host_call();
  try {
    scene.enqueue(scene.second(), late, host_call::add_callback);
  } catch (const driver::call_error& refused) {
    context.observe("callback added after the fault", driver::result_name(refused.code));
    return;
  }
  scene.wait([&] { return late.ended(); });
  if (!expect_once(context, clause::CB_STATUS_005, "callback added after the fault", late)) return;
  context.expect(clause::CB_STATUS_005, failure_kind::status, "callback added after the fault",
                 late.status(), IsAnError());
}

}  // namespace
}  // namespace streamcts
