// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/first_pass.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/runner/record.h"

namespace streamcts::runner {

first_pass::first_pass(std::vector<job> jobs, options given, replay_maker replay,
                       record_sink& sink)
    : jobs_(std::make_move_iterator(jobs.begin()), std::make_move_iterator(jobs.end())),
      options_(std::move(given)),
      replay_(std::move(replay)),
      sink_(sink) {}

job first_pass::runnable(job from) {
  job left;
  left.tag = from.tag;
  for (const job_case& each : from.cases) {
    std::optional<std::string> lacking;
    for (const need wanted : each.instance->needs) {
      lacking = missing(wanted, options_.have);
      if (lacking) break;
    }
    if (!lacking) {
      left.cases.push_back(each);
      continue;
    }
    case_end end;
    end.verdict = results::verdict::not_supported;
    end.reason = *lacking;
    sink_.add(make_record(each, end, replay_(each)));
  }
  return left;
}

std::optional<job> first_pass::next() {
  while (!jobs_.empty()) {
    job made = runnable(std::move(jobs_.front()));
    jobs_.pop_front();
    if (!made.cases.empty()) return made;
  }
  return std::nullopt;
}

void first_pass::case_ended(const job& from, std::size_t index, case_end end) {
  const job_case& run = from.cases[index];
  start_failures_ = 0;
  results::case_record record = make_record(run, end, replay_(run));
  const bool red = results::is_red(record.verdict);
  if (red) record.incidence = results::incidence{0, 0, "not retested"};
  sink_.add(record);
  for (const results::observation& each : make_observations(run, end)) sink_.add(each);
  if (!red) return;
  const auto place = from.cases.begin() + static_cast<std::ptrdiff_t>(index);
  // It may have been red before its child died.
  if (!red_.empty() && red_.back().run.instance == run.instance &&
      red_.back().run.repeat == run.repeat) {
    red_.pop_back();
  }
  red_.push_back({run, std::move(record), {from.cases.begin(), place}});
  if (options_.fail_fast) {
    why_stopped_ = fmt::format("--fail-fast: {} is red", run.instance->id);
  }
}

void first_pass::job_ended(job from, std::size_t ended, const start_problem& problem) {
  if (!problem.text.empty()) {
    // Another driver than the probe's stays one, whatever is tried.
    start_failures_ += problem.cause == start_failure::mismatch ? most_start_failures + 1 : 1;
    if (broken()) {
      why_stopped_ = problem.text;
      return;
    }
  }
  if (ended >= from.cases.size()) return;
  job rest;
  rest.tag = from.tag;
  rest.cases.assign(from.cases.begin() + static_cast<std::ptrdiff_t>(ended), from.cases.end());
  jobs_.push_front(std::move(rest));
}

}  // namespace streamcts::runner
