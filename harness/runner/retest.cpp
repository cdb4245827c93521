// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/retest.h"

#include <fmt/format.h>

#include <algorithm>

namespace streamcts::runner {

namespace {

using results::failure_kind;
using results::verdict;

constexpr std::uint64_t times_alone = 10;
constexpr std::uint64_t times_hang = 2;

bool of_kind(const results::case_record& record, failure_kind kind) {
  return record.failure && record.failure->kind == kind;
}

/// The clause that a red case counts for.
std::string clause_of(const results::case_record& record) {
  if (record.failure && !record.failure->clause.empty()) return record.failure->clause;
  return record.clauses.empty() ? std::string() : record.clauses.front();
}

}  // namespace

retest_case::retest_case(red_case found)
    : found_(std::move(found)),
      alone_wanted_(found_.record.verdict == verdict::hang ? times_hang : times_alone) {}

bool retest_case::wanted_alone() const { return alone_runs_ < alone_wanted_; }

std::vector<job_case> retest_case::from_position(std::size_t first) const {
  std::vector<job_case> cases(found_.before.begin() + static_cast<std::ptrdiff_t>(first),
                              found_.before.end());
  cases.push_back(found_.run);
  return cases;
}

std::optional<std::vector<job_case>> retest_case::next() const {
  switch (stage_) {
    case stage::alone: return std::vector<job_case>{found_.run};
    case stage::batch: return from_position(0);
    case stage::search: return from_position((low_ + high_) / 2);
    case stage::over: break;
  }
  return std::nullopt;
}

void retest_case::ended(std::optional<verdict> how) {
  const bool red = how && results::is_red(*how);
  switch (stage_) {
    case stage::alone:
      ++alone_runs_;
      if (red) ++alone_red_;
      break;
    case stage::batch:
      batch_red_ = red;
      low_ = 0;
      high_ = found_.before.size();
      break;
    case stage::search: (red ? low_ : high_) = (low_ + high_) / 2; break;
    case stage::over: return;
  }
  move_on();
}

void retest_case::move_on() {
  if (stage_ == stage::alone) {
    if (wanted_alone()) return;
    stage_ = alone_red_ == 0 && !found_.before.empty() ? stage::batch : stage::over;
  } else if (!batch_red_ || high_ - low_ <= 1) {
    stage_ = stage::over;
  } else {
    stage_ = stage::search;
  }
}

results::case_record retest_case::conclusion() const {
  results::case_record record = found_.record;
  if (alone_runs_ == 0) return record;  // it says "not retested" already
  record.incidence = results::incidence{1 + alone_red_, 1 + alone_runs_, {}};
  std::string& note = record.incidence->note;
  if (batch_red_) {
    note = high_ - low_ <= 1 ? fmt::format("only after {}", found_.before[low_].instance->id)
                             : "only after the cases before it in its process";
  } else if (alone_red_ == 0 && stage_ == stage::over && !found_.before.empty()) {
    note = "nor again with its batch before it";
  }
  if (batch_red_) return record;
  const bool waited = of_kind(record, failure_kind::progress);
  if (waited && alone_red_ < times_hang) {
    record.verdict = verdict::inconclusive;
    record.reason = fmt::format("waited in {} of {} processes, all must agree: {}", 1 + alone_red_,
                                1 + alone_runs_, record.reason);
  } else if (of_kind(record, failure_kind::refused) && alone_red_ == 0) {
    record.verdict = verdict::inconclusive;
    record.reason =
        fmt::format("refused once and in none of {} fresh processes: {}", alone_runs_, record.reason);
  }
  return record;
}

retest_pass::retest_pass(std::vector<red_case> red, const retest_options& options,
                         record_sink& sink)
    : sink_(sink), end_(std::chrono::steady_clock::now() + options.budget) {
  // What ends soon first: a hang takes as long as its limit.
  std::stable_partition(red.begin(), red.end(), [](const red_case& each) {
    return each.record.verdict != verdict::hang;
  });
  std::map<std::string, std::size_t> taken;
  for (red_case& each : red) {
    if (taken[clause_of(each.record)]++ < options.cases_a_clause) {
      waiting_.emplace_back(std::move(each));
    }
  }
}

std::optional<job> retest_pass::next() {
  if (waiting_.empty() || out_of_time()) return std::nullopt;
  retest_case work = std::move(waiting_.front());
  waiting_.pop_front();
  job made;
  made.cases = *work.next();
  made.tag = next_tag_++;
  running_.emplace(made.tag, in_progress{std::move(work), std::nullopt});
  return made;
}

void retest_pass::case_ended(const job& from, std::size_t index, case_end end) {
  if (index + 1 == from.cases.size()) running_.at(from.tag).how = end.verdict;
}

void retest_pass::job_ended(job from, std::size_t, const start_problem&) {
  const auto place = running_.find(from.tag);
  in_progress done = std::move(place->second);
  running_.erase(place);
  done.work.ended(done.how);
  if (done.work.next() && !out_of_time()) {
    waiting_.push_front(std::move(done.work));
    return;
  }
  sink_.add(done.work.conclusion());
}

}  // namespace streamcts::runner
