// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/target.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "harness/runner/environment.h"
#include "harness/runner/errors.h"

namespace streamcts::runner {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view doctor_hint =
    "'streamcts doctor' says what this machine lacks; '--driver reference' runs without a device";

host_order order_of(const std::string& driver, const target_request& request,
                    const installation& where) {
  host_order host;
  host.driver = resolve_driver(driver, where);
  host.runtime = request.runtime.empty() ? "system" : request.runtime;
  if (host.runtime != "system" && host.runtime != "none") {
    std::error_code failed;
    const fs::path real = fs::canonical(host.runtime, failed);
    if (failed) {
      throw usage_error(fmt::format(
          "--runtime {}: no such file; give the path of a libcudart, or 'none'", host.runtime));
    }
    host.runtime = real;
  }
  const fs::path ours = fs::path(where.driver_path("reference")).replace_filename("libcudart.so.13");
  std::error_code ignored;
  if (fs::exists(ours, ignored)) host.reference_runtime = ours;
  return host;
}

[[noreturn]] void give_up(const std::string& driver, const probe_outcome& failed) {
  const bool named = driver != "system" && driver != "reference";
  switch (failed.cause) {
    case start_failure::not_found:
    case start_failure::does_not_load:
    case start_failure::not_a_driver:
      if (named) throw usage_error(failed.problem);
      break;
    case start_failure::no_device:
    case start_failure::mismatch:
    case start_failure::other: break;
  }
  throw machine_error(fmt::format("{}; {}", failed.problem, doctor_hint));
}

/// What an earlier probe found, if it is of this machine as it is now.
target read_target(const target_request& request, const installation& where) {
  target made;
  made.facts = read_facts(request.capabilities_file);
  if (made.facts.boot_id != read_boot_id()) {
    throw usage_error(fmt::format(
        "{}: was made on another machine or before it was booted; make it anew with 'streamcts "
        "probe --out {}'",
        request.capabilities_file, request.capabilities_file));
  }
  const std::string driver = request.driver.value_or(made.facts.driver);
  target_request settled = request;
  if (settled.runtime.empty()) settled.runtime = made.facts.runtime;
  made.host = order_of(driver, settled, where);
  if (made.host.driver != "system") {
    std::error_code failed;
    if (fs::canonical(made.host.driver, failed) != made.facts.capabilities.driver_path) {
      throw usage_error(fmt::format(
          "{}: is of the driver {}, not of {}; make it anew with 'streamcts probe --driver {} "
          "--out {}'",
          request.capabilities_file, made.facts.capabilities.driver_path, made.host.driver, driver,
          request.capabilities_file));
    }
  }
  return made;
}

target probe_target(const target_request& request, const installation& where, const launcher& from,
                    signal_watch& signals, const std::function<void(std::string_view)>& told) {
  target made;
  std::string driver = request.driver.value_or("system");
  made.host = order_of(driver, request, where);
  probe_outcome found = run_probe(from, made.host, {}, signals, told);
  if (!found.facts && !request.driver && found.cause == start_failure::not_found) {
    if (request.require_device) {
      throw machine_error(fmt::format("--require-device: {}; {}", found.problem,
                                      "'streamcts doctor' says what this machine lacks"));
    }
    driver = "reference";
    made.fell_back = true;
    made.host = order_of(driver, request, where);
    found = run_probe(from, made.host, {}, signals, told);
  }
  if (!found.facts) give_up(driver, found);
  made.facts = std::move(*found.facts);
  made.facts.driver = driver;
  made.facts.runtime = request.runtime;
  made.facts.boot_id = read_boot_id();
  made.facts.variables = telling_variables(current_environment());
  return made;
}

}  // namespace

installation installation::of_this_process() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) throw machine_error("/proc/self/exe: cannot be read; is /proc mounted?");
  return {program};
}

std::string installation::driver_path(std::string_view name) const {
  return fs::path(program).parent_path().parent_path() / "lib" / "streamcts" / name /
         "libcuda.so.1";
}

std::string resolve_driver(const std::string& name, const installation& where) {
  if (name == "system") return name;
  std::error_code failed;
  if (name == "reference" || name == "faulty") {
    const std::string path = where.driver_path(name);
    if (!fs::exists(path, failed)) {
      throw machine_error(fmt::format("--driver {}: {} is missing; build the target streamcts_{}",
                                      name, path, name));
    }
    return fs::canonical(path);
  }
  const fs::path real = fs::canonical(name, failed);
  if (failed || !fs::is_regular_file(real, failed)) {
    throw usage_error(fmt::format(
        "--driver {}: no such file; give the path of a library with libcuda's interface, 'system' "
        "or 'reference'",
        name));
  }
  return real;
}

target find_target(const target_request& request, const installation& where, const launcher& from,
                   signal_watch& signals, const std::function<void(std::string_view)>& told) {
  target made = request.capabilities_file.empty()
                    ? probe_target(request, where, from, signals, told)
                    : read_target(request, where);
  if (request.require_device && made.facts.capabilities.is_reference()) {
    throw machine_error(
        "--require-device: this is the reference driver, on no device; leave out '--driver "
        "reference'");
  }
  made.host.device_ordinal = made.facts.capabilities.device_ordinal;
  made.host.capabilities = made.facts.capabilities;
  made.host.limits = made.facts.limits;
  return made;
}

}  // namespace streamcts::runner
