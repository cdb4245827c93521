// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/judge.h"

#include <algorithm>

namespace streamcts::program {
namespace {

constexpr unsigned blocked_is_pointless = 3, tried_again = 8;
constexpr int confirmations = 3;

/// Waiting for more than was asked is legal (ST-SYNC-005): of what does not return while an item is
/// held, only a query that goes on saying no tells anything.
bool is_proof(const stream_program& program, const violation& v) {
  if (v.kind != violation_kind::hang || v.item == none) return true;
  return program.ops[at(v.from.number)].kind == op_kind::event_poll;
}

}  // namespace

bool judge::count(const ready_program& program, const run_outcome& outcome, index held) {
  ++counts_.runs;
  if (!outcome.unsupported.empty()) {
    ++counts_.not_supported[outcome.unsupported];
    return false;
  }
  if (held == none) return true;
  ++counts_.holds;
  if (listener_) listener_(program, held, outcome.hold);
  switch (outcome.hold) {
    case hold_result::canary:
      ++counts_.by_canary;
      break;
    case hold_result::calibrated:
      ++counts_.by_time;
      break;
    default:
      ++counts_.missed[std::string(name(outcome.hold))];
  }
  const bool blocked = outcome.hold == hold_result::enqueue_blocked;
  blocked_in_a_row_ = blocked ? blocked_in_a_row_ + 1 : 0;
  return true;
}

bool judge::worth_holding() {
  return blocked_in_a_row_ < blocked_is_pointless || counts_.programs % tried_again == 0;
}

std::optional<driver_failure> judge::examine(const ready_program& program, run_outcome outcome,
                                             index held) {
  if (!count(program, outcome, held)) return std::nullopt;
  const stream_program& source = program.source();
  const bool news = std::ranges::any_of(
      outcome.seen.outcomes, [](call_outcome o) { return o != call_outcome::as_promised; });
  std::optional<model> with_outcomes;
  if (news) {
    with_outcomes.emplace(source);
    with_outcomes->assume(outcome.seen.outcomes);
  }
  const model& m = news ? *with_outcomes : program.expectations();
  const std::vector<violation> all = check(m, outcome.seen);
  const auto first =
      std::ranges::find_if(all, [&](const violation& v) { return is_proof(source, v); });
  if (first == all.end()) return std::nullopt;
  driver_failure f;
  f.program = source;
  f.program.perturbations.clear();
  if (held != none) {
    const item& i = m.items().items()[at(held)];
    f.program.perturbations.push_back({perturbation::type::hold, i.op, i.node, 0});
  }
  f.found = *first;
  f.why = explain(m, outcome.seen, *first);
  f.signature = signature_of(m, outcome.seen, *first);
  f.stuck = !outcome.seen.finished;
  f.seen = std::move(outcome.seen);
  return f;
}

/// Progress is the one thing that time has a say in: it must fail to come several times.
bool judge::waits_again(const std::shared_ptr<const ready_program>& program, index held) {
  for (int i = 1; i < confirmations && executor_.usable(); ++i) {
    auto again = executor_.run(program, {&held, 1});
    const auto f = examine(*program, std::move(again.front()), held);
    if (!f || f->found.kind != violation_kind::hang) return false;
  }
  return true;
}

std::optional<driver_failure> judge::run(const stream_program& program) {
  if (!executor_.usable()) return std::nullopt;
  ++counts_.programs;
  if (const std::string lacking = executor_.lacks(program); !lacking.empty()) {
    ++counts_.not_supported[lacking];
    return std::nullopt;
  }
  const auto ready = ready_program::make(program);
  if (auto f = examine(*ready, executor_.run(ready), none)) return f;
  if (!worth_holding()) return std::nullopt;
  std::vector<index> held;
  ready->plan().holdable().for_each([&](std::size_t x) { held.push_back(static_cast<index>(x)); });
  for (run_outcome& o : executor_.run(ready, held)) {
    const index item = o.seen.held;
    auto f = examine(*ready, std::move(o), item);
    if (!f) continue;
    const bool progress = f->found.kind == violation_kind::hang && f->found.item != none;
    if (!progress || waits_again(ready, item)) return f;
  }
  return std::nullopt;
}

oracle driver_oracle(judge& by, unsigned times, std::function<bool()> over) {
  return [&by, times,
          over = std::move(over)](const stream_program& p) -> std::optional<failure_signature> {
    for (unsigned i = 0; i < times && !over(); ++i) {
      if (const auto f = by.run(p)) return f->signature;
    }
    return std::nullopt;
  };
}

}  // namespace streamcts::program
