// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a matrix is of: an earlier one, the driver behind the faults, the faults, cases, the folder.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/runner/errors.h"
#include "harness/runner/host_facts.h"
#include "harness/runner/matrix/matrix_session.h"
#include "harness/runner/run_info.h"
#include "harness/runner/selection.h"
#include "reports/digest/digest.h"
#include "reports/matrix/matrix_json.h"

namespace streamcts::runner {

namespace fs = std::filesystem;

void matrix_session::read_resumed() {
  try {
    matrix_ = reports::load_matrix(request_.resume);
  } catch (const results::results_error& error) {
    throw usage_error(fmt::format("--resume {}: {}", request_.resume, error.what()));
  }
  const results::run_info& info = matrix_.info;
  if (info.suite != suite_version()) {
    throw usage_error(fmt::format("--resume {}: was begun by streamcts {} {}, and this is {} {}; "
                                  "start anew",
                                  request_.resume, info.suite.version, info.suite.git,
                                  suite_version().version, suite_version().git));
  }
  holds_ = hold_kind_from(matrix_.holds).value_or(hold_kind::gates);
  options_.seed = info.options.seed;
  options_.repeat = std::max<std::uint64_t>(1, info.options.repeat);
  case_filters_ = info.options.filters;
  for (const std::string& id : matrix_.planned) {
    const auto found = std::find_if(catalogue_.begin(), catalogue_.end(),
                                    [&](const fault& each) { return each.id == id; });
    if (found == catalogue_.end()) {
      throw usage_error(fmt::format("--resume {}: its fault '{}' is not in this program's "
                                    "catalogue; start anew",
                                    request_.resume, id));
    }
    faults_.push_back(*found);
  }
}

void matrix_session::choose_driver() {
  const std::string wanted = request_.resume.empty() ? request_.driver.value_or("system")
                                                     : matrix_.info.driver.requested;
  const std::string faulty = resolve_driver("faulty", program_.where);
  std::string real = resolve_driver(wanted, program_.where);
  if (real == faulty) {
    throw usage_error(fmt::format("--driver {}: is the faulty driver; name the one behind it: "
                                  "'system', 'reference' or the path of a library",
                                  wanted));
  }
  if (real == "system") real.clear();
  setup_.program = program_.where.program;
  setup_.real_driver = std::move(real);
}

void matrix_session::find_driver() {
  target_request wanted;
  wanted.driver = resolve_driver("faulty", program_.where);
  target_ = find_target(wanted, program_.where, fault_launcher(setup_, "", ""), signals_,
                        [&](std::string_view step) {
                          shown_.phase(fmt::format("looking at the driver: {}", step));
                          shown_.tick();
                        });
  shown_.phase({});
  shown_.clear();
  if (!request_.resume.empty()) check_resumed(matrix_.info);
}

void matrix_session::check_resumed(const results::run_info& then) const {
  const results::driver_info driver = driver_info_of(target_.facts);
  const results::device_info device = device_info_of(target_.facts);
  if (driver.build_id != then.driver.build_id || device.name != then.device.name) {
    throw usage_error(fmt::format("--resume {}: is of {} on {}, and here is {} on {}; start anew",
                                  request_.resume, then.driver.build_id, then.device.name,
                                  driver.build_id, device.name));
  }
}

void matrix_session::choose_faults() {
  if (!request_.resume.empty()) return;
  const std::string carrier =
      target_.facts.capabilities.is_reference() ? "reference" : "system";
  std::erase_if(faults_, [&](const fault& each) {
    return std::find(each.carriers.begin(), each.carriers.end(), carrier) == each.carriers.end();
  });
  if (faults_.empty()) {
    throw machine_error(fmt::format("none of these faults runs on the carrier '{}'", carrier));
  }
  for (const fault& each : faults_) matrix_.planned.push_back(each.id);
}

void matrix_session::choose_cases() {
  const bool reference = target_.facts.capabilities.is_reference();
  tier_ = request_.resume.empty() ? request_.run_tier.value_or(tier::quick)
                                  : parse_tier(matrix_.info.options.tier);
  jobs_ = request_.jobs.value_or(reference ? std::max<std::uint64_t>(1, read_environment().cores)
                                           : 1);
  cases_ = select_cases(program_.suite.cases(), tier_, case_filters_);
  if (cases_.empty()) {
    throw machine_error(fmt::format("tier {} has no such case; say '--tier {}'", name(tier_),
                                    name(lowest_tier(program_.suite.cases(), case_filters_))));
  }
  calm_.host = target_.host;
  calm_.host.run_tier = tier_;
  calm_.host.limits.holds = holds_;
  calm_.limits.limits = calm_.host.limits;
  calm_.limits.run_tier = tier_;
  calm_.limits.start = time_limits::duration(
      static_cast<std::int64_t>(1e3 * target_.facts.start_seconds) + 1);
}

void matrix_session::open_folder() {
  if (!request_.resume.empty()) {
    folder_ = fs::absolute(request_.resume);
    matrix_.info.interrupted.clear();
  } else {
    folder_ = fs::absolute(request_.out.empty() ? fmt::format("streamcts-matrix-{}", utc_stamp())
                                                : request_.out);
    std::error_code failed;
    if (fs::exists(folder_ / reports::matrix_file, failed)) {
      throw usage_error(fmt::format("--out {}: holds a matrix already; take another folder, or go "
                                    "on with '--resume {}'",
                                    request_.out, request_.out));
    }
    fs::create_directories(folder_, failed);
    if (failed) {
      throw machine_error(fmt::format("--out {}: cannot be made ({}); take a folder that can be "
                                      "written",
                                      folder_.string(), failed.message()));
    }
    results::run_info& info = matrix_.info;
    info.suite = suite_version();
    info.driver = driver_info_of(target_.facts);
    info.driver.requested = request_.driver.value_or("system");
    info.device = device_info_of(target_.facts);
    info.environment = read_environment();
    info.options.command = request_.command;
    info.options.tier = name(tier_);
    info.options.filters = case_filters_;
    info.options.seed = options_.seed;
    info.options.repeat = options_.repeat;
    info.options.jobs = jobs_;
    info.capabilities = capability_texts(target_.facts);
    info.calibration = calibration_texts(target_.facts);
    info.started = utc_now();
    matrix_.holds = name(holds_);
    write();
  }
  setup_.folder = folder_;
  try {
    lines_.emplace(folder_ / reports::matrix_lines_file);
  } catch (const results::results_error& error) {
    throw machine_error(error.what());
  }
}

void matrix_session::say_what() const {
  const driver::capabilities& have = target_.facts.capabilities;
  fmt::print("{} over {}, device {}\n", reports::counted(faults_.size(), "fault"),
             matrix_.info.driver.requested, have.device_name);
  fmt::print("{} of tier {}, seed {}, held by {}, into {}\n",
             reports::counted(cases_.size(), "case"), name(tier_), options_.seed, matrix_.holds,
             folder_.string());
  std::fflush(stdout);
}

}  // namespace streamcts::runner
