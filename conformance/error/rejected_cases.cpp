// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls that are rejected, in the middle of work that is not.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// A call with a wrong argument.
enum class rejection { launch, copy, wait, host_function };
std::string_view name(rejection what) {
  switch (what) {
    case rejection::launch: return "launch";
    case rejection::copy: return "copy";
    case rejection::wait: return "wait";
    case rejection::host_function: return "host_function";
  }
  return "unknown";
}

CUresult make_wrong(case_context& context, rejection what, const lane& on, const product& data,
                    const mark& event) {
  const driver::function_table& cuda = context.cuda();
  switch (what) {
    case rejection::launch: {  // a grid without blocks
      std::uint64_t nanoseconds = 1;
      void* parameters[] = {&nanoseconds};
      return cuda.cuLaunchKernel(context.kernels().get().delay.launchable(), 0, 0, 0, 1, 1, 1, 0,
                                 on.get(), parameters, nullptr);
    }
    case rejection::copy:  // from nowhere
      return cuda.cuMemcpyDtoHAsync(const_cast<std::uint64_t*>(data.data.host_words().data()), 0,
                                    data.data.bytes(), on.get());
    case rejection::wait:  // flags that do not exist
      return cuda.cuStreamWaitEvent(on.get(), event.get(), 0xF0);
    case rejection::host_function:  // no function
      return cuda.cuLaunchHostFunc(on.get(), nullptr, nullptr);
  }
  return CUDA_SUCCESS;
}

// Promise:   ER-PROP-005. A call that is rejected for its arguments changes nothing: work in front of it
//            and behind it runs in order, and callbacks are told of success.
// Defect:    the stream's pending work is dropped, or a callback is (a count of 0, or the sentinel); or the
//            last return code becomes the status of the next callback.
// Any speed: the first kernel is held until everything is enqueued and all calls were rejected.
STREAMCTS_CASE(rejected_calls, {.arrangement = "error/rejected_calls",
                                .clauses = {clause::ER_PROP_005},
                                .axes = {host_calls(),
                                         make_axis<rejection>("rejected", {rejection::launch,
                                                                           rejection::copy,
                                                                           rejection::wait,
                                                                           rejection::host_function})},
                                .needs = {need::device_gate, need::mapped_memory}}) {
  const rejection what = context.get<rejection>("rejected");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event();
  product& first = scene.buffer(memory_kind::mapped);
  product& second = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    observer& one = scene.host_call(host_call_of(context));
    observer& two = scene.host_call(host_call_of(context));
    one.looks_at(first);
    two.looks_at(second);
    operation victim{}, later{};
    CUresult codes[3] = {CUDA_SUCCESS, CUDA_SUCCESS, CUDA_SUCCESS};
    scene.hold_work([&] {
      codes[0] = make_wrong(context, what, stream, first, event);
      victim = scene.victim(stream, first);
      codes[1] = make_wrong(context, what, stream, first, event);
      scene.enqueue(stream, one);
      later = scene.write(stream, second);
      codes[2] = make_wrong(context, what, stream, first, event);
      scene.enqueue(stream, two);
    });
    scene.drain();
    for (const CUresult code : codes) {
      if (code == CUDA_SUCCESS) context.inconclusive("the call was not rejected");
    }
    scene.expect_complete(clause::ER_PROP_005, victim, one);
    scene.expect_complete(clause::ER_PROP_005, later, two);
    for (const observer* each : {&one, &two}) {
      scene.expect(clause::ER_PROP_005, victim, each->op(), failure_kind::lost, each->slot().times(),
                   testing::Eq(1u));
      scene.expect(clause::ER_PROP_005, victim, each->op(), failure_kind::status,
                   each->slot().status(), Succeeds());
    }
  }
}

}  // namespace
}  // namespace streamcts
