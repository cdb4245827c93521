// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What must fail while a stream captures, and what is left after a failure.

#include <fmt/format.h>

#include "conformance/capture/capturing.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

/// A use of the legacy default stream.
enum class legacy_use { launch, query, synchronize, record, copy, memset, host_function };
std::string_view name(legacy_use what) {
  switch (what) {
    case legacy_use::launch: return "launch";
    case legacy_use::query: return "query";
    case legacy_use::synchronize: return "synchronize";
    case legacy_use::record: return "record";
    case legacy_use::copy: return "copy";
    case legacy_use::memset: return "memset";
    case legacy_use::host_function: return "host_function";
  }
  return "unknown";
}
axis legacy_uses() {
  return make_axis<legacy_use>("use", {legacy_use::launch, legacy_use::query,
                                       legacy_use::synchronize, legacy_use::record,
                                       legacy_use::copy, legacy_use::memset,
                                       legacy_use::host_function});
}

CUresult use_legacy(case_context& context, legacy_use how, const payload& data, CUevent event) {
  const driver::function_table& cuda = context.cuda();
  switch (how) {
    case legacy_use::launch:
      try {
        context.kernels().write_pattern(CU_STREAM_LEGACY, data.target(), 64, kernels::ramp(1));
        return CUDA_SUCCESS;
      } catch (const driver::call_error& error) {
        return error.code;
      }
    case legacy_use::query: return cuda.cuStreamQuery(CU_STREAM_LEGACY);
    case legacy_use::synchronize: return cuda.cuStreamSynchronize(nullptr);
    case legacy_use::record: return cuda.cuEventRecord(event, nullptr);
    case legacy_use::copy: {
      std::uint64_t word = 0;
      return cuda.cuMemcpyDtoH(&word, data.target(), sizeof word);
    }
    case legacy_use::memset: return cuda.cuMemsetD32Async(data.target(), 1, 16, nullptr);
    case legacy_use::host_function:
      return cuda.cuLaunchHostFunc(CU_STREAM_LEGACY, [](void*) {}, nullptr);
  }
  return CUDA_SUCCESS;
}

// Promise:   CAP-004. The legacy default stream cannot be captured.
// Defect:    the capture begins. The call returns success.
// Any speed: the code of the call.
STREAMCTS_CASE(legacy_not_captured, {.arrangement = "capture/legacy_not_captured",
                                     .clauses = {clause::CAP_004},
                                     .axes = {capture_modes()},
                                     .without_hold = "the code of the call"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  for (const CUstream each : {CUstream{nullptr}, CUstream{CU_STREAM_LEGACY}}) {
    const CUresult code =
        cuda.cuStreamBeginCapture(each, mode_of(context.get<capture_mode>("mode")));
    context.expect(clause::CAP_004, failure_kind::status, "cuStreamBeginCapture of the legacy stream",
                   code, ::testing::Not(Succeeds()));
    CUgraph made = nullptr;
    if (code == CUDA_SUCCESS) (void)cuda.cuStreamEndCapture(each, &made);
    if (made != nullptr) (void)cuda.cuGraphDestroy(made);
  }
}

// Promise:   CAP-004. While a blocking stream captures, any use of the legacy stream is refused, by this
//            thread and by others; a query of its capture answers with the implicit-capture error and
//            leaves the capture valid.
// Defect:    the use is executed without the dependency that it would have on the capture. The call
//            returns success, or NOT_READY.
// Any speed: the codes of calls.
STREAMCTS_CASE(legacy_during_capture, {.arrangement = "capture/legacy_during_capture",
                                       .clauses = {clause::CAP_004},
                                       .axes = {legacy_uses(), capture_modes()},
                                       .without_hold = "the codes of calls"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const auto how = context.get<legacy_use>("use");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  product& out = scene.buffer(memory_kind::copied);
  mark& event = scene.event();
  host_thread& other = scene.thread();
  for (int round = 0; scene.next_round(2); ++round) {
    capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    context.expect(clause::CAP_004, failure_kind::status, "cuStreamIsCapturing of the NULL stream",
                   cuda.cuStreamIsCapturing(nullptr, &status),
                   ::testing::Eq(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT));
    context.expect(clause::CAP_004, failure_kind::status, "status of the capture after that query",
                   static_cast<int>(status_of(cuda, stream.get())),
                   ::testing::Eq(static_cast<int>(CU_STREAM_CAPTURE_STATUS_ACTIVE)));
    CUresult code = CUDA_SUCCESS;
    if (round == 0) {
      code = use_legacy(context, how, out.data, event.get());
    } else {
      other.run([&] { code = use_legacy(context, how, out.data, event.get()); });
    }
    const std::string who = fmt::format("{} of the legacy stream{}", name(how),
                                        round == 0 ? "" : " by another thread");
    context.expect(clause::CAP_004, failure_kind::status, who, code, ::testing::Not(Succeeds()));
    context.expect(clause::CAP_004, failure_kind::status, who, code,
                   ::testing::Ne(CUDA_ERROR_NOT_READY));
  }
}

/// A call that asks for, or waits for, what is not scheduled.
enum class wait_for { stream_synchronize, stream_query, context_synchronize };
std::string_view name(wait_for what) {
  switch (what) {
    case wait_for::stream_synchronize: return "stream_synchronize";
    case wait_for::stream_query: return "stream_query";
    case wait_for::context_synchronize: return "context_synchronize";
  }
  return "unknown";
}

CUresult make_wait(const driver::function_table& cuda, wait_for what, CUstream stream) {
  switch (what) {
    case wait_for::stream_synchronize: return cuda.cuStreamSynchronize(stream);
    case wait_for::stream_query: return cuda.cuStreamQuery(stream);
    case wait_for::context_synchronize: return cuda.cuCtxSynchronize();
  }
  return CUDA_SUCCESS;
}

// Promise:   CAP-005. To synchronize or query a capturing stream, or one that joined the capture, or the
//            context, is an error.
// Defect:    it succeeds, as nothing is scheduled; or answers NOT_READY.
// Any speed: the code of the call.
STREAMCTS_CASE(wait_during_capture,
               {.arrangement = "capture/wait_during",
                .clauses = {clause::CAP_005},
                .axes = {make_axis<wait_for>("wait", {wait_for::stream_synchronize,
                                                      wait_for::stream_query,
                                                      wait_for::context_synchronize}),
                         capture_modes(),
                         make_axis<driver::stream_kind>("stream",
                                                        {driver::stream_kind::non_blocking,
                                                         driver::stream_kind::blocking})},
                .without_hold = "the code of the call"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const auto how = context.get<wait_for>("wait");
  arrangement scene(context);
  lane& origin = scene.stream(stream_of(context));
  lane& joined = scene.stream(driver::stream_kind::non_blocking);
  mark& fork = scene.event();
  for (int round = 0; scene.next_round(2); ++round) {
    capture recording(cuda, origin.get(), mode_of(context.get<capture_mode>("mode")));
    fork.event.record(origin.get());
    joined.stream.wait(fork.event);
    const CUresult code = make_wait(cuda, how, (round == 0 ? origin : joined).get());
    const std::string who = fmt::format("{} {}", name(how), round == 0 ? "of the capturing stream"
                                                                       : "of a stream that joined");
    context.expect(clause::CAP_005, failure_kind::status, who, code, ::testing::Not(Succeeds()));
    context.expect(clause::CAP_005, failure_kind::status, who, code,
                   ::testing::Ne(CUDA_ERROR_NOT_READY));
  }
}

// Promise:   CAP-006. To query or synchronize an event whose last record was captured is an error; once
//            recorded outside it works again.
// Defect:    the event is reported complete, or the error stays after the new record.
// Any speed: the codes of calls; the last wait is for work that ends by itself.
STREAMCTS_CASE(captured_event, {.arrangement = "capture/captured_event",
                                .clauses = {clause::CAP_006},
                                .axes = {capture_modes(), event_kinds()},
                                .without_hold = "the codes of calls"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event(flags_of(event_of(context)));
  for (int round = 0; scene.next_round(context.by_tier(2, 4, 20)); ++round) {
    {
      capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
      event.event.record(stream.get());
      const CUresult code =
          round % 2 == 0 ? cuda.cuEventQuery(event.get()) : cuda.cuEventSynchronize(event.get());
      const std::string who = round % 2 == 0 ? "cuEventQuery of a captured event"
                                             : "cuEventSynchronize of a captured event";
      context.expect(clause::CAP_006, failure_kind::status, who, code, ::testing::Not(Succeeds()));
      context.expect(clause::CAP_006, failure_kind::status, who, code,
                     ::testing::Ne(CUDA_ERROR_NOT_READY));
    }
    if (context.failed()) return;
    event.event.record(stream.get());
    context.expect(clause::CAP_006, failure_kind::status, "cuEventSynchronize after a new record",
                   cuda.cuEventSynchronize(event.get()), Succeeds());
  }
}

/// What must not tie a capture to what is outside.
enum class crossing { outside_event, other_capture };
std::string_view name(crossing what) {
  return what == crossing::outside_event ? "outside_event" : "other_capture";
}

// Promise:   CAP-007. A capturing stream cannot wait, without the external flag, for an event recorded
//            outside the capture; two captures cannot be merged by an event.
// Defect:    the dependency is dropped and the call succeeds.
// Any speed: the code of the call.
STREAMCTS_CASE(crossing_wait, {.arrangement = "capture/crossing_wait",
                               .clauses = {clause::CAP_007},
                               .axes = {make_axis<crossing>("event", {crossing::outside_event,
                                                                      crossing::other_capture}),
                                        capture_modes()},
                               .needs = {need::mapped_memory},
                               .without_hold = "the code of the call"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const auto mode = mode_of(context.get<capture_mode>("mode"));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped);
  mark& event = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 20))) {
    std::optional<capture> second;
    if (context.get<crossing>("event") == crossing::other_capture) {
      second.emplace(cuda, other.get(), mode);
      context.kernels().write_pattern(other.get(), out.data.target(), 64, kernels::ramp(1));
    } else {
      scene.write(other, out);
    }
    event.event.record(other.get());
    capture recording(cuda, stream.get(), mode);
    context.expect(clause::CAP_007, failure_kind::status,
                   "cuStreamWaitEvent across the border of the capture",
                   cuda.cuStreamWaitEvent(stream.get(), event.get(), CU_EVENT_WAIT_DEFAULT),
                   ::testing::Not(Succeeds()));
  }
}

/// What makes a capture invalid.
enum class offence { callback, synchronize, outside_event };
std::string_view name(offence what) {
  switch (what) {
    case offence::callback: return "callback";
    case offence::synchronize: return "synchronize";
    case offence::outside_event: return "outside_event";
  }
  return "unknown";
}

// Promise:   CAP-009. After an invalid operation the capture is invalidated: its streams refuse further
//            work until it is ended, which fails and yields no graph; they can then be used again.
// Defect:    the capture goes on, and a partial graph comes of it.
// Any speed: the codes of calls and the status; then a normal round through the same stream.
STREAMCTS_CASE(invalidated, {.arrangement = "capture/invalidated",
                             .clauses = {clause::CAP_009},
                             .axes = {make_axis<offence>("offence", {offence::callback,
                                                                     offence::synchronize,
                                                                     offence::outside_event}),
                                      capture_modes()},
                             .needs = {need::mapped_memory},
                             .without_hold = "the codes of calls, and a normal round"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const auto how = context.get<offence>("offence");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped);
  mark& event = scene.event();
  const auto launch = [&] {
    try {
      context.kernels().write_pattern(stream.get(), out.data.target(), 64, kernels::ramp(1));
      return CUDA_SUCCESS;
    } catch (const driver::call_error& error) {
      return error.code;
    }
  };
  while (scene.next_round(context.by_tier(2, 4, 20))) {
    CUgraph made = reinterpret_cast<CUgraph>(std::uintptr_t{0x10});  // must be overwritten
    event.event.record(other.get());
    capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
    driver::check(launch(), "cuLaunchKernel");
    switch (how) {
      case offence::callback:
        (void)cuda.cuStreamAddCallback(stream.get(), [](CUstream, CUresult, void*) {}, nullptr, 0);
        break;
      case offence::synchronize: (void)cuda.cuStreamSynchronize(stream.get()); break;
      case offence::outside_event:
        (void)cuda.cuStreamWaitEvent(stream.get(), event.get(), CU_EVENT_WAIT_DEFAULT);
        break;
    }
    const std::string who = fmt::format(" after the offence '{}'", name(how));
    context.expect(clause::CAP_009, failure_kind::status, "capture status" + who,
                   static_cast<int>(status_of(cuda, stream.get())),
                   ::testing::Eq(static_cast<int>(CU_STREAM_CAPTURE_STATUS_INVALIDATED)));
    context.expect(clause::CAP_009, failure_kind::status, "cuLaunchKernel" + who, launch(),
                   ::testing::Not(Succeeds()));
    context.expect(clause::CAP_009, failure_kind::status, "cuStreamEndCapture" + who,
                   recording.end(made), ::testing::Not(Succeeds()));
    context.expect(clause::CAP_009, failure_kind::value, "the graph of cuStreamEndCapture" + who,
                   static_cast<const void*>(made), ::testing::IsNull());
    context.expect(clause::CAP_009, failure_kind::status, "capture status after the end",
                   static_cast<int>(status_of(cuda, stream.get())),
                   ::testing::Eq(static_cast<int>(CU_STREAM_CAPTURE_STATUS_NONE)));
    if (context.failed()) return;
    expect_usable(scene, clause::CAP_009, stream, out, host_call::launch_host_func);
  }
}

}  // namespace
}  // namespace streamcts
