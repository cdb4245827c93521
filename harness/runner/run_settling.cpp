// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a run is of: an earlier run, the driver, the cases, the folder.

#include <fmt/format.h>

#include <set>

#include "harness/runner/coverage.h"
#include "harness/runner/errors.h"
#include "harness/runner/host_facts.h"
#include "harness/runner/run_info.h"
#include "harness/runner/run_session.h"
#include "harness/runner/selection.h"
#include "reports/digest/digest.h"

namespace streamcts::runner {

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

}  // namespace streamcts::runner
