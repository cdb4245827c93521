// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/shrink.h"

#include <array>
#include <memory>

#include "harness/program/compact.h"
#include "harness/program/explain.h"
#include "harness/program/search.h"
#include "harness/program/shrink_passes.h"
#include "harness/program/validity.h"

namespace streamcts::program {
namespace {

std::string_view family_of(std::string_view clause) {
  return clause.substr(0, clause.rfind('-'));
}

/// Families that say one promise about different operations.
int promise_of(std::string_view family) {
  constexpr std::array<std::string_view, 14> order{
      "CB-ORDER", "CB-BLOCK", "HF-ORDER", "HF-BLOCK",  "ST-ORDER", "JN-EVENT", "EV-WAIT",
      "EV-REC",   "ST-DEF",   "ST-PTDS",  "GR-LAUNCH", "GR-HOST",  "JN-CAP",   "MO-WRITE"};
  for (const std::string_view f : order) {
    if (f == family) return 1;
  }
  if (family.starts_with("VS-")) return 3;
  constexpr std::array<std::string_view, 3> sync{"ST-SYNC", "ST-QUERY", "CP-SYNC"};
  for (const std::string_view f : sync) {
    if (f == family) return 2;
  }
  return 0;
}

constexpr int at_a_host_wait = 2;

int place_group(observer::place p) {
  switch (p) {
    case observer::place::item_start:
    case observer::place::item_end:
      return 0;
    case observer::place::gate_look:
      return 1;
    default:
      return at_a_host_wait;
  }
}

}  // namespace

failure_signature signature_of(const model& m, const history& seen, const violation& v) {
  return {family_of(broken_clause(m, seen, v)), v.from.at};
}

bool same_failure(const failure_signature& a, const failure_signature& b) {
  const int group = place_group(a.place);
  if (group != place_group(b.place)) return false;
  int one = promise_of(a.family), other = promise_of(b.family);
  if (group == at_a_host_wait) {
    // To the host that waits, a lost order is a wait that ends too early, whatever it waits for.
    if (one == 1) one = 2;
    if (other == 1) other = 2;
  }
  return a.family == b.family || (one != 0 && one == other);
}

oracle simulator_oracle(defect broken) {
  const auto s = std::make_shared<searcher>();
  return [s, broken](const stream_program& p) -> std::optional<failure_signature> {
    s->load(p);
    const auto f = s->search(broken, strategy::hold_each, 1);
    if (!f) return std::nullopt;
    return signature_of(s->expectations(), f->seen, f->found);
  };
}

shrink_result shrink(const stream_program& program, const oracle& fails,
                     const shrink_limits& most) {
  shrink_result r{program};
  ++r.evaluations;
  const std::optional<failure_signature> first = fails(program);
  if (!first) return r;
  r.failed = true;
  bool progress = true;
  const attempt take = [&](const stream_program& candidate) {
    if (r.evaluations >= most.evaluations || candidate == r.program) return false;
    if (candidate.ops.empty() || program_error_of(candidate)) return false;
    ++r.evaluations;
    const auto now = fails(candidate);
    if (!now || !same_failure(*first, *now)) return false;
    r.program = candidate;
    progress = true;
    return true;
  };
  constexpr std::array passes{drop_chunks,      merge_streams,    inline_events,
                              wait_for_streams, simplify_graphs,  simplify_kinds,
                              simplify_memory,  simplify_streams, simplify_rest};
  while (progress && r.evaluations < most.evaluations) {
    progress = false;
    for (const auto pass : passes) pass(r.program, take);
  }
  stream_program tidy = r.program;
  drop_unused(tidy);
  if (!(tidy == r.program)) take(tidy);
  return r;
}

}  // namespace streamcts::program
