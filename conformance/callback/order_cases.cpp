// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// When a host call starts: after everything in front of it, and not after what is behind it.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

std::vector<clause_id> order_clauses(const parameters& values) {
  const bool kernel = values.get<producer>("producer") == producer::kernel;
  return {by_host_call(values, kernel ? clause::CB_ORDER_001 : clause::CB_ORDER_002,
                       clause::HF_ORDER_001)};
}

// Promise:   CB-ORDER-001, CB-ORDER-002, HF-ORDER-001. A host call starts only after the kernels,
//            copies and memsets in front of it in its stream have finished.
// Defect:    it runs when the work in front was submitted, or watches only one engine. It finds the
//            sentinel, or in device memory the pattern of the round before.
// Any speed: the producer is held shut until the host call had its chance; what the host call then
//            finds unwritten was not finished, however fast either side is.
STREAMCTS_CASE(after_producer, {.arrangement = "callback/after_producer",
                                .clauses = {clause::CB_ORDER_001, clause::CB_ORDER_002,
                                            clause::HF_ORDER_001},
                                .clauses_of = order_clauses,
                                .axes = {host_calls(), streams(), producers(), memories()},
                                .needs = {need::device_gate},
                                .needs_of = needs_of_memory}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_of(context), producer_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
