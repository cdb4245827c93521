// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "harness/case/arrangement.h"

namespace streamcts {

void arrangement::expect_complete(clause_id clause, operation victim,
                                  const streamcts::observer& by, std::source_location site) {
  for (const glance& each : by.glances()) {
    const operation from = each.at->written.value_or(victim);
    if (!expect(clause, from, by.op(), kind_of(each.seen, each.victim), each.seen, IsComplete(),
                site)) {
      return;
    }
  }
}

void arrangement::expect_complete(clause_id clause, operation victim, operation seen_at,
                                  const product& what, std::source_location site) {
  const gate::state state = victim_gate_ ? victim_gate_->now() : gate::state::opened;
  const sighting seen = what.data.look();
  expect(clause, victim, seen_at, kind_of(seen, state), seen, IsComplete(), site);
}

void arrangement::expect_covered(clause_id clause, operation victim,
                                 const streamcts::host_wait& by, std::source_location site) {
  if (!by.returned()) return;  // drain() has said so
  const bool waiting_for_ever = by.code() == CUDA_ERROR_NOT_READY;
  if (!expect(clause, victim, by.op(),
              waiting_for_ever ? failure_kind::progress : failure_kind::status, by.code(),
              Succeeds(), site) ||
      !expect(clause, victim, by.op(), failure_kind::early, by.victim(), IsNotHeld(), site)) {
    return;
  }
  for (const glance& each : by.glances()) {
    const operation from = each.at->written.value_or(victim);
    if (!expect(clause, from, by.op(), kind_of(each.seen, each.victim), each.seen, IsComplete(),
                site)) {
      return;
    }
  }
  if (by.awaits_call()) {
    expect(clause, victim, by.op(), failure_kind::early, by.call_had_ended(), HasEnded(), site);
  }
}

void arrangement::expect_blocked(clause_id clause, const streamcts::observer& held,
                                 operation later, std::source_location site) {
  for (const auto& each : held.markers_) {
    if (!expect(clause, held.op(), later, failure_kind::early, each.value, HasNotBegun(), site)) {
      return;
    }
  }
  for (const glance& each : held.guarded_) {
    const operation writer = each.at->written.value_or(later);
    if (!expect(clause, held.op(), writer, failure_kind::early, each.seen, IsUntouched(), site)) {
      return;
    }
  }
}

}  // namespace streamcts
