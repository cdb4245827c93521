// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/matrix/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "harness/case/outcome.h"

namespace streamcts::runner {

namespace {

constexpr int most_start_failures = 2;

double seconds_between(trial::clock::time_point from, trial::clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

bool contains(const std::vector<std::string>& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

const failure* failure_of(const case_end& end) {
  return end.outcome && end.outcome->first_failure ? &*end.outcome->first_failure : nullptr;
}

}  // namespace

trial::trial(const fault& of, case_queue order, const trial_options& options)
    : fault_(of), options_(options), masked_(std::move(order.masked)), end_(clock::now()) {
  own_.insert(order.cases.begin(), order.cases.begin() + static_cast<std::ptrdiff_t>(order.own));
  for (const case_instance* each : order.cases) left_.push_back({each, options.seed, 0});
  planned_ = left_.size();
  record_.id = of.id;
  record_.fault_class = of.fault_class;
  record_.clauses = of.clauses;
  record_.sentence = of.sentence;
  record_.benign = of.benign;
}

std::optional<job> trial::next() {
  if (!start_) start_ = clock::now();
  interrupted_ = false;
  std::optional<job> made;
  if (phase_ != phase::over) made = next_batch();
  if (!made && phase_ == phase::looking) {
    settle();
    made = next_batch();
  }
  if (!made) {
    phase_ = phase::over;
    end_ = clock::now();
  }
  return made;
}

std::optional<job> trial::next_batch() {
  if (second_look_until_ && phase_ == phase::looking && clock::now() >= *second_look_until_) {
    return std::nullopt;
  }
  job made;
  while (!left_.empty() && made.cases.size() < options_.batch) {
    const job_case& front = left_.front();
    const bool alone = front.instance->where == isolation::own_process;
    if (alone && !made.cases.empty()) break;
    made.cases.push_back(front);
    left_.pop_front();
    if (alone) break;
  }
  if (made.cases.empty()) return std::nullopt;
  return made;
}

/// The search is over: prepares the repeats, where there is anything to repeat.
void trial::settle() {
  left_.clear();
  phase_ = phase::over;
  if (killer_ == nullptr || options_.repeat < 2) return;
  phase_ = phase::repeating;
  record_.repeats = reports::fault_repeats{1, 1};
  for (std::uint64_t i = 1; i < options_.repeat; ++i) {
    left_.push_back({killer_, repeat_seed(options_.seed, i), i});
  }
}

bool trial::right(const job_case& run, const case_end& end) const {
  if (const failure* found = failure_of(end)) return contains(fault_.clauses, found->clause);
  return carries_clause_of(*run.instance, fault_);
}

void trial::case_ended(const job& from, std::size_t index, case_end end) {
  start_failures_ = 0;
  if (interrupted_) return;
  if (phase_ == phase::repeating) {
    again(end);
  } else if (phase_ == phase::looking) {
    judge(from.cases[index], end);
  }
}

void trial::again(const case_end& end) {
  ++record_.repeats->runs;
  if (results::is_red(end.verdict)) ++record_.repeats->killed;
}

void trial::judge(const job_case& run, const case_end& end) {
  ++record_.cases;
  if (end.verdict == results::verdict::inconclusive) ++record_.inconclusive;
  if (end.verdict == results::verdict::error) {
    ++record_.errors;
    if (record_.note.empty()) record_.note = fmt::format("{}: {}", run.instance->id, end.reason);
  }
  // Under an oddity an Error is an alarm too; under a fault the suite's own mistakes kill nothing.
  const bool red = results::is_red(end.verdict) ||
                   (record_.benign && end.verdict == results::verdict::error);
  if (red) add_kill(run, end);
  const bool decided = record_.benign ? !record_.kills.empty() : record_.right_clause();
  const bool late = second_look_until_ && clock::now() >= *second_look_until_;
  const bool spent = options_.budget.count() > 0 && clock::now() - *start_ >= options_.budget;
  if (spent && !decided && record_.cases < planned_) {
    record_.note = fmt::format("{} of {} cases, for want of time", record_.cases, planned_);
  } else if (options_.all_kills || (!decided && !late)) {
    return;
  }
  interrupted_ = true;
  settle();
}

void trial::add_kill(const job_case& run, const case_end& end) {
  reports::fault_kill kill;
  kill.case_id = run.instance->id;
  kill.verdict = end.verdict;
  kill.expected = end.reason;
  if (const failure* found = failure_of(end)) {
    kill.clause = found->clause;
    kill.kind = name(found->kind);
    kill.expected = found->expected;
    kill.seen = found->seen;
  }
  kill.right_clause = right(run, end);
  kill.seconds = seconds_between(*start_, clock::now());
  const bool decides = kill.right_clause && !record_.right_clause();
  if (killer_ == nullptr || decides) killer_ = run.instance;
  record_.kills.push_back(std::move(kill));
  if (options_.all_kills || decides || second_look_until_) return;
  second_look_until_ = clock::now() + options_.second_look;
  std::erase_if(left_, [&](const job_case& each) { return !own_.contains(each.instance); });
}

void trial::job_ended(job from, std::size_t ended, const start_problem& problem) {
  if (!problem.text.empty() && ++start_failures_ > most_start_failures) {
    record_.note = problem.text;
    left_.clear();
    return;
  }
  if (interrupted_) return;
  // What is left of the batch goes on in a new child.
  const auto place = from.cases.begin() + static_cast<std::ptrdiff_t>(ended);
  std::vector<job_case> rest(place, from.cases.end());
  if (second_look_until_ && phase_ == phase::looking) {
    std::erase_if(rest, [&](const job_case& each) { return !own_.contains(each.instance); });
  }
  left_.insert(left_.begin(), rest.begin(), rest.end());
}

reports::fault_record trial::result(std::uint64_t reached) const {
  using reports::fault_outcome;
  reports::fault_record made = record_;
  made.reached = reached;
  made.seconds = start_ ? seconds_between(*start_, end_) : 0;
  if (made.benign) {
    made.outcome = made.kills.empty() ? fault_outcome::green : fault_outcome::false_alarm;
  } else if (made.kills.empty() && !masked_.empty()) {
    made.outcome = fault_outcome::masked;
    made.masked_by = masked_;
  } else if (reached == 0) {
    made.outcome = fault_outcome::not_reached;
    if (!made.kills.empty()) {
      made.note = fmt::format("{} was red although the fault never took effect",
                              made.kills.front().case_id);
    }
  } else {
    made.outcome = made.kills.empty() ? fault_outcome::survived : fault_outcome::killed;
  }
  return made;
}

}  // namespace streamcts::runner
