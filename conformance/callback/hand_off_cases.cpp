// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A host call tells another host thread that results are there, in place of a synchronize.

#include <atomic>
#include <chrono>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

/// For managed memory and host functions the documentation says it outright: CB-THREAD-002 is derived.
std::vector<clause_id> hand_off_clauses(const parameters& values) {
  const bool managed = values.get<memory_kind>("memory") == memory_kind::managed;
  const bool function = values.get<host_call>("host_call") == host_call::launch_host_func;
  return {managed && function ? clause::HF_UM_002 : clause::CB_THREAD_002};
}

/// Waits for @p posted without a CUDA call. A driver may start work only once a program asks for it:
/// then queries follow, which find nothing finished until the host call has run.
void await_post(const case_context& context, const std::atomic<bool>& posted, const lane& stream) {
  const auto start = std::chrono::steady_clock::now();
  for (unsigned step = 0; !posted.load(std::memory_order_acquire); ++step) {
    const auto waited = std::chrono::steady_clock::now() - start;
    if (waited > context.calibration().patience()) return;
    if (waited > 4 * context.calibration().hold()) (void)context.cuda().cuStreamQuery(stream.get());
    relax_thread(step);
  }
}

// Promise:   CB-THREAD-002, HF-UM-002. A thread that a final host call signals sees the complete results
//            without any CUDA call of its own.
// Defect:    the host call runs before the device's writes have arrived, or data is brought to the host
//            by the next synchronize only. The thread finds the sentinel, all over or in the last words.
// Any speed: the producer is held until the host call had its chance; the thread looks once it has been
//            signalled, and nothing of the suite orders the two but the signal.
STREAMCTS_CASE(hands_off, {.arrangement = "callback/hands_off",
                           .clauses = {clause::CB_THREAD_002, clause::HF_UM_002},
                           .clauses_of = hand_off_clauses,
                           .axes = {host_calls(), created_streams(), producers(), memories()},
                           .needs = {need::device_gate},
                           .needs_of = needs_of_memory}) {
  const clause_id promise = context.instance().clauses.front();
  std::atomic<bool> posted{false};
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_of(context), producer_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    posted.store(false);
    observer& call = scene.host_call(host_call_of(context));
    call.finally([&posted] { posted.store(true, std::memory_order_release); });
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.enqueue(stream, call);
    });
    await_post(context, posted, stream);
    const bool signalled = posted.load(std::memory_order_acquire);
    const sighting seen = out.data.look();
    scene.drain();
    if (!signalled) continue;  // lost: drain() has said so
    scene.expect(promise, victim, call.op(), kind_of(seen, gate::state::opened), seen, IsComplete());
  }
}

}  // namespace
}  // namespace streamcts
