// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>
#include <set>

#include "harness/runner/environment.h"
#include "harness/runner/errors.h"
#include "harness/runner/host_facts.h"
#include "harness/runner/plan.h"
#include "harness/runner/retest.h"
#include "harness/runner/run_info.h"
#include "harness/runner/run_loop.h"
#include "harness/runner/selection.h"
#include "reports/digest/digest.h"

namespace streamcts::runner {

namespace {

child_command child_of(const program_parts& program, const run_request& request) {
  return {program.where.program,
          {"child"},
          child_environment(current_environment(), request.environment)};
}

std::uint64_t fresh_seed() {
  std::random_device source;
  return (std::uint64_t{source()} << 32 | source()) >> 1;  // positive in every reader's integers
}

std::string signal_name(int number) {
  const char* name = ::sigabbrev_np(number);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

}  // namespace

run_session::run_session(const run_request& request, const program_parts& program)
    : request_(request),
      program_(program),
      shown_(stdout, request.shown),
      launcher_(child_of(program, request), request.before_child) {}

int run_session::go() {
  options_.command = request_.command;
  options_.filters = request_.filters;
  options_.repeat = request_.repeat;
  options_.seed = request_.seed ? *request_.seed : fresh_seed();
  options_.fail_fast = request_.fail_fast;
  if (!request_.resume.empty()) read_resumed();
  // Before anything is started: a filter that matches nothing is wrong on any machine.
  select_cases(program_.suite.cases(), tier::stress, options_.filters);
  find_driver();
  select();
  open_folder();
  say_what();
  try {
    run_cases();
  } catch (const machine_error& error) {
    why_ended_ = error.what();
    leave_what_there_is();
    throw;
  }
  return conclude();
}

void run_session::leave_what_there_is() {
  shown_.clear();
  folder_->run().info.interrupted = why_ended_;
  try {
    folder_->finish(program_.clauses);
  } catch (const machine_error&) {
    // The disk is full, as somebody is about to say; the records are there.
  }
}

std::vector<job> run_session::planned_jobs() const {
  std::set<std::pair<std::string_view, std::uint64_t>> recorded;
  for (const results::case_record& each : folder_->run().records) {
    recorded.emplace(each.id, each.repeat);
  }
  plan_options options;
  options.seed = options_.seed;
  options.repeat = options_.repeat;
  options.jobs = options_.jobs;
  options.done = [&](const case_instance& each, std::uint64_t repeat) {
    return recorded.contains({each.id, repeat});
  };
  return make_jobs(cases_, options);
}

std::size_t run_session::open_runs(const std::vector<job>& jobs) const {
  std::size_t count = 0;
  for (const job& each : jobs) count += each.cases.size();
  return count;
}

std::string run_session::replay(const job_case& of) const {
  std::string text;
  std::map<std::string, std::string> variables = telling_variables(current_environment());
  for (const auto& [name, value] : request_.environment) variables[name] = value;
  for (const auto& [name, value] : variables) {
    if (!value.empty()) text += fmt::format("{}={} ", name, shell_quoted(value));
  }
  text += fmt::format("{} run --driver {}",
                      shell_quoted(options_.command.empty() ? "streamcts" : options_.command[0]),
                      shell_quoted(target_.facts.driver));
  if (!target_.facts.runtime.empty()) {
    text += fmt::format(" --runtime {}", shell_quoted(target_.facts.runtime));
  }
  return text + fmt::format(" --tier {} --filter {} --seed {}",
                            name(std::max(tier_, of.instance->from)),
                            shell_quoted(of.instance->id), of.seed);
}

time_limits run_session::limits() const {
  time_limits made;
  made.limits = target_.facts.limits;
  made.run_tier = tier_;
  if (options_.timeout_seconds > 0) {
    made.timeout = std::chrono::milliseconds(
        static_cast<std::int64_t>(1e3 * options_.timeout_seconds + 0.5));
  }
  made.start = std::chrono::milliseconds(
      static_cast<std::int64_t>(1e3 * target_.facts.start_seconds) + 1);
  return made;
}

void run_session::run_cases() {
  std::vector<job> jobs = planned_jobs();
  shown_.begin(open_runs(jobs));
  shown_folder sink(*folder_, shown_);
  first_pass::options pass;
  pass.have = target_.facts.capabilities;
  pass.fail_fast = options_.fail_fast;
  first_pass first(std::move(jobs), std::move(pass),
                   [this](const job_case& of) { return replay(of); }, sink);
  const time_limits longest = limits();
  loop_options loop;
  loop.jobs = options_.jobs;
  loop.tick = [this] { shown_.tick(); };
  run_jobs(first, launcher_, target_.host, longest, loop, signals_);
  if (signals_.request()) {
    why_ended_ = signal_name(*signals_.request());
    return;
  }
  why_ended_ = first.why_stopped();
  std::vector<red_case> red = first.take_red();
  if (red.empty() || !why_ended_.empty() || !request_.retest || options_.fail_fast) return;
  shown_.phase(fmt::format("running {} again", reports::counted(red.size(), "red case")));
  retest_options again;
  if (!request_.only.empty()) again.budget = std::chrono::seconds(30);
  retest_pass second(std::move(red), again, sink);
  run_jobs(second, launcher_, target_.host, longest, loop, signals_);
  if (signals_.request()) why_ended_ = signal_name(*signals_.request());
}

int run_session::conclude() {
  shown_.clear();
  results::run_info& info = folder_->run().info;
  info.finished = why_ended_.empty() ? utc_now() : std::string();
  info.interrupted = why_ended_;
  info.seconds += std::chrono::duration<double>(clock::now() - start_).count();
  folder_->finish(program_.clauses);
  if (!request_.only.empty()) return conclude_alone();
  const reports::digest all = reports::make_digest(folder_->run(), program_.clauses);
  if (!why_ended_.empty()) {
    fmt::print("ended before its time: {}; go on with '--resume {}'\n", why_ended_,
               folder_->path().string());
  }
  fmt::print("{}\n", all.sentence);
  if (!all.detail.empty()) fmt::print("{}\n", all.detail);
  if (target_.facts.capabilities.is_reference()) fmt::print("{}\n", reports::reference_notice);
  fmt::print("report: {}\n", (folder_->path() / results::html_file).string());
  return all.summary.exit_code;
}

int run_session::conclude_alone() const {
  constexpr int exit_skipped = 77;
  const auto cases = results::folded_cases(folder_->run());
  if (cases.empty()) {
    fmt::print("no verdict: {}\n", why_ended_);
    return results::exit_no_verdict;
  }
  const results::case_record& record = cases.front();
  fmt::print("{} {}{}\n", results::to_string(record.verdict), record.id,
             record.reason.empty() ? "" : ": " + record.reason);
  for (const std::string& line : record.stacks) fmt::print("  {}\n", line);
  if (results::is_red(record.verdict)) {
    if (!record.stdout_tail.empty()) fmt::print("stdout:\n{}\n", record.stdout_tail);
    if (!record.stderr_tail.empty()) fmt::print("stderr:\n{}\n", record.stderr_tail);
    fmt::print("replay: {}\n", record.replay);
    return results::exit_broken;
  }
  switch (record.verdict) {
    case results::verdict::pass: return results::exit_held;
    case results::verdict::error: return results::exit_no_verdict;
    default: return exit_skipped;
  }
}

}  // namespace streamcts::runner
