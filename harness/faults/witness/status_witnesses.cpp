// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What host calls and host waits are told, with and without an error. The latter leave the process
// without a usable context.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

void callback_is_told_success(scene& s) {
  for (int round = 0; round < 2; ++round) {
    CUstream stream = s.stream();
    host_call_probe& first = s.probe();
    s.call(stream, form::add_callback, first);
    MUST(cu().StreamSynchronize(stream));
    s.expect(first.status == CUDA_SUCCESS, "the first callback of a stream was told an error");
    held& gate = s.hold(stream);
    (void)cu().StreamQuery(stream);
    host_call_probe& second = s.probe();
    s.call(stream, form::add_callback, second);
    gate.open();
    MUST(cu().StreamSynchronize(stream));
    s.expect(second.status == CUDA_SUCCESS, "a callback was told of another call's result");
  }
}

void rejected_call_leaves_callbacks_alone(scene& s) {
  CUstream stream = s.stream();
  // A grid of no blocks: rejected.
  const CUresult rejected =
      cu().LaunchKernel(s.any_kernel(), 0, 0, 0, 1, 1, 1, 0, stream, nullptr, nullptr);
  if (rejected == CUDA_SUCCESS) return s.cannot_tell("an empty grid was accepted");
  host_call_probe& probe = s.probe();
  s.call(stream, form::add_callback, probe);
  s.finish();
  s.expect(probe.ended == 1, "a rejected call took a callback with it");
  s.expect(probe.status == CUDA_SUCCESS, "a rejected call's result became a callback's status");
}

/// A kernel that traps behind a gate; what follows it sees the error.
struct trapped {
  scene& s;
  CUstream stream;
  held& gate;

  explicit trapped(scene& stage) : s(stage), stream(stage.stream()), gate(stage.hold(stream)) {
    s.trap(stream);
  }
};

void callback_is_told_error(scene& s) {
  trapped t(s);
  host_call_probe &first = s.probe(), &second = s.probe(), &other = s.probe();
  CUstream joined = s.stream();
  CUevent event = s.event();
  s.call(t.stream, form::add_callback, first);
  s.call(t.stream, form::add_callback, second);
  MUST(cu().EventRecord(event, t.stream));
  MUST(cu().StreamWaitEvent(joined, event, 0));
  s.call(joined, form::add_callback, other);
  t.gate.open();
  (void)cu().StreamSynchronize(t.stream);
  const bool all = wait_until(
      [&] { return first.ended > 0 && second.ended > 0 && other.ended > 0; });
  s.expect(all, "a callback behind an error did not run");
  for (const host_call_probe* probe : {&first, &second, &other}) {
    s.expect(probe->ended <= 1, "a callback behind an error ran twice");
    s.expect(probe->status != CUDA_SUCCESS, "a callback behind an error was told of success");
  }
}

void host_function_is_not_called_after_error(scene& s) {
  trapped t(s);
  host_call_probe &function = s.probe(), &callback = s.probe();
  s.call(t.stream, form::launch_host_func, function);
  s.call(t.stream, form::add_callback, callback);
  t.gate.open();
  (void)cu().StreamSynchronize(t.stream);
  wait_until([&] { return callback.ended > 0; });
  s.expect(function.begun == 0, "a host function was called after an error");
}

void error_is_reported_for_good(scene& s) {
  trapped t(s);
  t.gate.open();
  const CUresult first = cu().StreamSynchronize(t.stream);
  s.expect(first != CUDA_SUCCESS, "synchronize did not report an error");
  for (int i = 0; i < 3; ++i) {
    s.expect(cu().StreamSynchronize(t.stream) == first, "a later synchronize said otherwise");
    s.expect(cu().StreamQuery(t.stream) == first, "a later query said otherwise");
  }
}

void event_is_not_complete_after_error(scene& s) {
  trapped t(s);
  CUevent event = s.event();
  MUST(cu().EventRecord(event, t.stream));
  t.gate.open();
  (void)cu().StreamSynchronize(t.stream);
  s.expect(cu().EventQuery(event) != CUDA_SUCCESS, "an event behind an error is complete");
  s.expect(cu().EventSynchronize(event) != CUDA_SUCCESS, "an event behind an error is complete");
}

void assertion_is_reported(scene& s) {
  CUstream stream = s.stream();
  s.fail_assertion(stream);
  s.expect(cu().StreamSynchronize(stream) != CUDA_SUCCESS, "an assertion was not reported");
  s.expect(cu().CtxSynchronize() != CUDA_SUCCESS, "an assertion was reported once");
}

void callback_is_not_told_of_later_error(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  host_call_probe& before = s.probe();
  s.call(stream, form::add_callback, before);
  s.trap(stream);
  gate.open();
  (void)cu().StreamSynchronize(stream);
  s.expect(wait_until([&] { return before.ended > 0; }), "a callback in front of an error was lost");
  s.expect(before.status == CUDA_SUCCESS, "a callback was told of an error behind it");
}

const witness list[] = {
    {"callback_is_told_success", callback_is_told_success},
    {"rejected_call_leaves_callbacks_alone", rejected_call_leaves_callbacks_alone},
    {"callback_is_told_error", callback_is_told_error, true},
    {"host_function_is_not_called_after_error", host_function_is_not_called_after_error, true},
    {"error_is_reported_for_good", error_is_reported_for_good, true},
    {"assertion_is_reported", assertion_is_reported, true},
    {"callback_is_not_told_of_later_error", callback_is_not_told_of_later_error, true},
    {"event_is_not_complete_after_error", event_is_not_complete_after_error, true},
};

}  // namespace

std::span<const witness> status_witnesses() { return list; }

}  // namespace streamcts::faults::witness
