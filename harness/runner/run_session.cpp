// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/run_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <random>
#include <set>

#include "harness/runner/coverage.h"
#include "harness/runner/environment.h"
#include "harness/runner/errors.h"
#include "harness/runner/host_facts.h"
#include "harness/runner/plan.h"
#include "harness/runner/record.h"
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
  run_cases();
  return conclude();
}

void run_session::read_resumed() {
  try {
    resumed_ = results::load_run(request_.resume);
  } catch (const results::results_error& error) {
    throw usage_error(fmt::format("--resume {}: {}", request_.resume, error.what()));
  }
  if (resumed_->planned.empty()) {
    throw usage_error(fmt::format(
        "--resume {}: its plan.json is missing or damaged; 'streamcts report {}' shows what it has",
        request_.resume, request_.resume));
  }
  if (resumed_->info.suite != suite_version()) {
    throw usage_error(fmt::format("--resume {}: was begun by streamcts {} {}, and this is {} {}; "
                                  "go on with that one or start anew",
                                  request_.resume, resumed_->info.suite.version,
                                  resumed_->info.suite.git, suite_version().version,
                                  suite_version().git));
  }
  const std::vector<std::string> command = options_.command;
  options_ = resumed_->info.options;
  options_.command = command;
}

void run_session::find_driver() {
  target_request wanted = request_.target;
  if (resumed_) {
    wanted.driver = resumed_->info.driver.requested;
    wanted.runtime = resumed_->info.driver.runtime_requested;
  }
  target_ = find_target(wanted, program_.where, launcher_, signals_, [&](std::string_view step) {
    shown_.phase(fmt::format("looking at the driver: {}", step));
    shown_.tick();
  });
  shown_.phase({});
  shown_.clear();
  if (resumed_) check_resumed();
}

void run_session::check_resumed() const {
  const results::driver_info driver = driver_info_of(target_.facts);
  const results::device_info device = device_info_of(target_.facts);
  const results::run_info& then = resumed_->info;
  if (driver.path != then.driver.path || driver.build_id != then.driver.build_id ||
      device.name != then.device.name) {
    throw usage_error(
        fmt::format("--resume {}: is of the driver {} (build {}) on {}, and here is {} (build {}) "
                    "on {}; start anew",
                    request_.resume, then.driver.path, then.driver.build_id, then.device.name,
                    driver.path, driver.build_id, device.name));
  }
}

void run_session::select() {
  const bool reference = target_.facts.capabilities.is_reference();
  if (resumed_) {
    tier_ = parse_tier(options_.tier);
  } else {
    tier_ = request_.run_tier.value_or(reference ? tier::quick : tier::standard);
    options_.tier = name(tier_);
    options_.jobs = request_.jobs.value_or(reference ? read_environment().cores : 1);
  }
  if (request_.timeout) options_.timeout_seconds = 1e-3 * request_.timeout->count();
  target_.host.run_tier = tier_;

  const auto& all = program_.suite.cases();
  if (!request_.only.empty()) {
    for (const case_instance& each : all) {
      if (each.id == request_.only) cases_.push_back(&each);
    }
    if (cases_.empty()) {
      throw usage_error(
          fmt::format("--ctest {}: is no case; 'streamcts list' shows the ids", request_.only));
    }
    return;
  }
  cases_ = select_cases(all, tier_, options_.filters);
  if (!cases_.empty()) return;
  if (all.empty()) throw machine_error("this program was built without any case");
  const tier lowest = lowest_tier(all, options_.filters);
  throw machine_error(fmt::format("tier {} has no such case; say '--tier {}'", name(tier_),
                                  name(lowest)));
}

results::run_info run_session::describe() const {
  results::run_info info;
  info.suite = suite_version();
  info.driver = driver_info_of(target_.facts);
  info.device = device_info_of(target_.facts);
  info.environment = read_environment();
  info.options = options_;
  info.capabilities = capability_texts(target_.facts);
  info.calibration = calibration_texts(target_.facts);
  info.uncovered_clauses = uncovered_clauses(program_.clauses, program_.suite.cases(), cases_,
                                             program_.reasons);
  info.started = utc_now();
  return info;
}

void run_session::open_folder() {
  if (resumed_) {
    std::set<std::string_view> known;
    for (const case_instance* each : cases_) known.insert(each->id);
    for (const results::planned_case& each : resumed_->planned) {
      if (!known.contains(each.id)) {
        throw usage_error(fmt::format("--resume {}: its case '{}' is not in this program",
                                      request_.resume, each.id));
      }
    }
    resumed_->info.interrupted.clear();
    folder_ = std::make_unique<run_folder>(request_.resume, *resumed_);
    return;
  }
  std::vector<results::planned_case> planned;
  for (const case_instance* each : cases_) {
    std::vector<std::string> clauses;
    for (const clause_id clause : each->clauses) clauses.emplace_back(clause.text);
    planned.push_back({each->id, std::move(clauses), std::string(name(each->from))});
  }
  if (!request_.only.empty() && request_.out.empty()) {
    folder_ = std::make_unique<run_folder>(describe());
    folder_->run().planned = std::move(planned);
    return;
  }
  const std::string path =
      request_.out.empty() ? fmt::format("streamcts-run-{}", utc_stamp()) : request_.out;
  folder_ = std::make_unique<run_folder>(path, describe(), std::move(planned));
}

void run_session::say_what() const {
  const driver::capabilities& have = target_.facts.capabilities;
  if (have.is_reference()) {
    fmt::print("{}", reference_banner);
    if (target_.fell_back) {
      fmt::print("No libcuda.so.1 was found on this machine; 'streamcts doctor' says more.\n");
    }
  }
  fmt::print("driver {} ({}), device {}\n", have.driver_path, version_text(have.driver_version),
             have.device_name);
  fmt::print("{} of tier {}{}, seed {}{}\n", reports::counted(cases_.size(), "case"),
             options_.tier,
             options_.repeat == 1 ? "" : fmt::format(", {} times", options_.repeat), options_.seed,
             folder_->path().empty() ? "" : fmt::format(", into {}", folder_->path().string()));
  if (!target_.facts.limits_note.empty()) {
    fmt::print("calibration: {}\n", target_.facts.limits_note);
  }
  std::fflush(stdout);
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
