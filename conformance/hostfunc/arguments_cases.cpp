// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host function is given.

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// The arguments of a run of host functions, in the order in which they ran. A host function knows
/// nothing but its argument, and that may be anything; so where to write comes from here.
struct recorder {
  static constexpr std::size_t capacity = 64;
  std::atomic<std::size_t> used{0};
  std::atomic<std::size_t> written{0};
  std::array<std::uintptr_t, capacity> seen{};
};
std::atomic<recorder*> current_recorder{nullptr};

/// A recorder for one round, kept until the process ends: late executions may still find it.
recorder& next_recorder() {
  static auto* const kept = new std::deque<recorder>;
  recorder& made = kept->emplace_back();
  current_recorder.store(&made, std::memory_order_release);
  return made;
}

void CUDA_CB record_argument(void* data) {
  recorder* into = current_recorder.load(std::memory_order_acquire);
  const std::size_t at = into->used.fetch_add(1, std::memory_order_acq_rel);
  if (at < recorder::capacity) into->seen[at] = reinterpret_cast<std::uintptr_t>(data);
  into->written.fetch_add(1, std::memory_order_acq_rel);
}

void await_count(const case_context& context, const recorder& into, std::size_t count) {
  const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
  for (unsigned step = 0; into.written.load(std::memory_order_acquire) < count; ++step) {
    if (std::chrono::steady_clock::now() > limit) return;
    relax_thread(step);
  }
}

/// Values that a driver may take for something else: none, odd, above and below 32 bits; each once, so
/// that every execution tells whose it is.
constexpr std::array<std::uintptr_t, 12> telling_values = {
    0, 1, 3, 0x7FFFFFFF, 0x80000001, 0xFFFFFFFF, 0x100000001, 0x0123456789ABCDEF,
    0x7FFFFFFFFFFFFFFF, 0x8000000000000001, 0xFEDCBA9876543211, ~std::uintptr_t{0}};

// Promise:   HF-ONCE-001. Each host function is called with exactly the pointer that it was launched
//            with.
// Defect:    the pointer is cut to 32 bits, or is that of the most recent launch, or of another pending
//            one; or NULL is taken for absent and the call left out.
// Any speed: all of them are pending at once behind a held kernel, so that there are others to be mixed
//            up with. Host functions of one stream run in order, so the n-th call has the n-th pointer.
STREAMCTS_CASE(gets_its_argument, {.arrangement = "hostfunc/gets_its_argument",
                                   .clauses = {clause::HF_ONCE_001},
                                   .axes = {streams()},
                                   .needs = {need::device_gate}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    recorder& into = next_recorder();
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      for (const std::uintptr_t each : telling_values) {
        STREAMCTS_CHECK(context.cuda().cuLaunchHostFunc(stream.get(), &record_argument,
                                                        reinterpret_cast<void*>(each)));
      }
    });
    scene.drain();
    await_count(context, into, telling_values.size());
    if (!context.expect(clause::HF_ONCE_001, failure_kind::lost, "host",
                        into.written.load(std::memory_order_acquire),
                        testing::Ge(telling_values.size()))) {
      return;
    }
    for (std::size_t i = 0; i < telling_values.size(); ++i) {
      if (!context.expect(clause::HF_ONCE_001, failure_kind::argument,
                          fmt::format("host function {}", i + 1), into.seen[i],
                          testing::Eq(telling_values[i]))) {
        return;
      }
    }
  }
}

}  // namespace
}  // namespace streamcts
