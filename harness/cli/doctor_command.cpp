// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cstdlib>

#include "harness/cli/commands.h"
#include "harness/cli/doctor.h"
#include "harness/runner/environment.h"
#include "harness/runner/run_info.h"

namespace streamcts::cli {

namespace {

using grade = finding::grade;

/// The remedy for a driver that cannot be used.
std::string remedy_for(runner::start_failure cause) {
  switch (cause) {
    case runner::start_failure::not_found:
      return "install the driver of the GPU; in a container, start it with the driver (--gpus all)";
    case runner::start_failure::does_not_load:
    case runner::start_failure::not_a_driver:
      return "install the driver of the GPU anew, or say --driver PATH";
    case runner::start_failure::no_device:
      return "look at nvidia-smi and dmesg; check CUDA_VISIBLE_DEVICES, and that driver and kernel "
             "module have one version";
    case runner::start_failure::mismatch:
    case runner::start_failure::other: break;
  }
  return "look at what the driver prints and at dmesg";
}

void add_features(const driver::capabilities& have, std::vector<finding>& found) {
  for (const driver::feature each : driver::all_features()) {
    if (have.works(each)) continue;
    found.push_back({grade::note, fmt::format("feature {}", driver::to_string(each)),
                     have.of(each).reason, {}});
  }
}

/// Loads and probes the driver in children. @return whether it can be tested
bool check_driver(const arguments& given, const runner::program_parts& program,
                  std::vector<finding>& found) {
  const std::string name = given.target.driver.value_or("system");
  const runner::launcher children(
      {program.where.program,
       {"child"},
       runner::child_environment(runner::current_environment())});
  runner::signal_watch signals;
  runner::host_order host;
  host.driver = runner::resolve_driver(name, program.where);
  host.runtime = given.target.runtime.empty() ? "system" : given.target.runtime;
  const runner::probe_outcome outcome = runner::run_probe(children, host, {}, signals);
  if (!outcome.facts) {
    found.push_back({grade::lacking, fmt::format("driver '{}'", name), outcome.problem,
                     remedy_for(outcome.cause)});
    return false;
  }
  const driver::capabilities& have = outcome.facts->capabilities;
  found.push_back({grade::good, fmt::format("driver '{}'", name),
                   fmt::format("{}, version {}, build {}", have.driver_path,
                               runner::version_text(have.driver_version), have.driver_build_id),
                   {}});
  found.push_back({grade::good, "device",
                   fmt::format("{}, compute capability {}.{}", have.device_name,
                               have.compute_major, have.compute_minor),
                   {}});
  add_features(have, found);
  for (const auto& [what, value] : runner::calibration_texts(*outcome.facts)) {
    found.push_back({grade::good, what, value, {}});
  }
  return true;
}

finding check_reference(const runner::program_parts& program) {
  const std::string path = program.where.driver_path("reference");
  std::error_code failed;
  if (std::filesystem::exists(path, failed)) return {grade::good, "reference driver", path, {}};
  return {grade::note, "reference driver", fmt::format("{} is missing", path),
          "build the target streamcts_reference"};
}

}  // namespace

int doctor_command(const arguments& given, const runner::program_parts& program) {
  std::vector<finding> found;
  const bool usable = check_driver(given, program, found);
  if (!given.target.driver) {
    found.push_back(check_device_nodes("/dev"));
    found.push_back(check_kernel_module("/proc/driver/nvidia/version"));
  }
  found.push_back(check_reference(program));
  const char* path = std::getenv("PATH");
  found.push_back(check_nvcc(path == nullptr ? "" : path, "/usr/local/cuda/bin/nvcc"));
  found.push_back(check_ptrace("/proc/sys/kernel/yama/ptrace_scope"));
  found.push_back(check_cores());
  found.push_back(check_folder("."));
  for (finding& each : check_variables(runner::current_environment())) {
    found.push_back(std::move(each));
  }
  for (const finding& each : found) fmt::print("{}\n", text_of(each));
  fmt::print("{}\n", usable ? "This driver can be tested: streamcts run"
                            : "No device can be tested here; streamcts run --driver reference "
                              "runs on the CPU and proves nothing about hardware.");
  return usable ? 0 : 2;
}

}  // namespace streamcts::cli
