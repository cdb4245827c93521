// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The runtime's last-error variable.

#include <array>
#include <string_view>

#include "conformance/callback/fault_scene.h"
#include "conformance/clauses/clauses.h"
#include "harness/case/arrangement.h"

namespace streamcts {
namespace {

std::string_view code_name(cudaError_t code) {
  return driver::result_name(static_cast<CUresult>(code));
}

constexpr cudaError_t none = cudaSuccess;

// Promise:   ER-PROP-004. The last-error variable belongs to the host thread: get returns and resets it,
//            peek leaves it, and not-ready is never put into it.
// Defect:    threads share it (the other one sees the error), peek resets it, get does not, or a query's
//            NOT_READY gets into it.
// Any speed: each thread looks at its own variable; the stream is held while it is queried.
STREAMCTS_CASE(last_error, {.arrangement = "error/last_error",
                            .clauses = {clause::ER_PROP_004},
                            .needs = {need::device_gate, need::runtime, need::mapped_memory}}) {
  const driver::runtime_table& runtime = context.runtime();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event();
  host_thread& other = scene.thread();
  product& out = scene.buffer(memory_kind::mapped);
  const auto check = [&](std::string_view who, cudaError_t seen, cudaError_t promised) {
    context.expect(clause::ER_PROP_004, failure_kind::status, who, code_name(seen),
                   testing::Eq(code_name(promised)));
  };
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    (void)runtime.cudaGetLastError();
    other.run([&] { (void)runtime.cudaGetLastError(); });
    const cudaError_t wrong = runtime.cudaStreamWaitEvent(stream.get(), event.get(), 0xF0);
    if (wrong == none) context.inconclusive("a wait with wrong flags was not rejected");
    std::array<cudaError_t, 2> elsewhere{};
    other.run([&] { elsewhere = {runtime.cudaPeekAtLastError(), runtime.cudaGetLastError()}; });
    for (const cudaError_t each : elsewhere) check("another thread", each, none);
    check("cudaPeekAtLastError", runtime.cudaPeekAtLastError(), wrong);
    check("the second cudaPeekAtLastError", runtime.cudaPeekAtLastError(), wrong);
    check("cudaGetLastError", runtime.cudaGetLastError(), wrong);
    check("the second cudaGetLastError", runtime.cudaGetLastError(), none);
    cudaError_t answer = none, after = none;
    scene.hold_work([&] {
      scene.victim(stream, out);
      answer = runtime.cudaStreamQuery(stream.get());
      after = runtime.cudaPeekAtLastError();
    });
    scene.drain();
    if (answer == cudaErrorNotReady) check("cudaPeekAtLastError after a query", after, none);
  }
}

// Promise:   ER-STICKY-006. Reading the last-error variable does not cure a persistent error of the device.
// Defect:    the error's state goes with the variable: what comes after answers cudaSuccess.
// Any speed: the codes are looked at after a synchronization has returned.
STREAMCTS_CASE(no_cure, {.arrangement = "error/last_error_is_no_cure",
                         .clauses = {clause::ER_STICKY_006},
                         .axes = {device_faults()},
                         .where = isolation::own_process,
                         .needs = {need::device_gate, need::runtime, need::faults}}) {
  const driver::runtime_table& runtime = context.runtime();
  fault_scene& scene = fault_scene::make(context);
  scene.hold([&] {
    scene.enqueue_gate(scene.first());
    scene.enqueue_fault(scene.first(), context.get<device_fault>("fault"));
  });
  context.count_round();
  const cudaError_t first = runtime.cudaStreamSynchronize(scene.first());
  context.observe("code after the fault", std::string(code_name(first)));
  if (first == none) context.inconclusive("the fault did not show: cudaStreamSynchronize succeeded");
  for (int i = 0; i < 2; ++i) (void)runtime.cudaGetLastError();
  (void)runtime.cudaMemsetAsync(reinterpret_cast<void*>(scene.word()), 0, 8, scene.second());
  const auto check = [&](std::string_view who, cudaError_t seen) {
    context.expect(clause::ER_STICKY_006, failure_kind::status, who, code_name(seen),
                   testing::Eq(code_name(first)));
  };
  for (int i = 0; i < 2; ++i) {
    check("cudaStreamSynchronize after cudaGetLastError",
          runtime.cudaStreamSynchronize(scene.second()));
    (void)runtime.cudaGetLastError();
    check("cudaDeviceSynchronize after cudaGetLastError", runtime.cudaDeviceSynchronize());
  }
}

}  // namespace
}  // namespace streamcts
