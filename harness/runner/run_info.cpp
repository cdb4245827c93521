// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/run_info.h"

#include <fmt/format.h>

namespace streamcts::runner {

namespace {

std::string microseconds(std::chrono::nanoseconds value) {
  return fmt::format("{:.1f} us", static_cast<double>(value.count()) / 1e3);
}

}  // namespace

std::string version_text(int version) {
  if (version == 0) return {};
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

results::driver_info driver_info_of(const probe_facts& facts) {
  const driver::capabilities& have = facts.capabilities;
  results::driver_info info;
  info.requested = facts.driver;
  info.path = have.driver_path;
  info.version = version_text(have.driver_version);
  info.build_id = have.driver_build_id;
  info.runtime_requested = facts.runtime;
  info.runtime_path = have.runtime_path;
  info.runtime_version = version_text(have.runtime_version);
  if (!have.works(driver::feature::runtime)) {
    info.runtime_note = have.of(driver::feature::runtime).reason;
  }
  for (const std::string& each : have.mapped_files) {
    std::string build_id;
    if (each == have.driver_path) build_id = have.driver_build_id;
    if (each == have.runtime_path) build_id = have.runtime_build_id;
    info.mapped_files.push_back({each, build_id});
  }
  return info;
}

results::device_info device_info_of(const probe_facts& facts) {
  const driver::capabilities& have = facts.capabilities;
  results::device_info info;
  info.name = have.device_name;
  info.uuid = have.device_uuid;
  info.compute_capability = fmt::format("{}.{}", have.compute_major, have.compute_minor);
  for (const auto& [name, value] : have.attributes) info.attributes[name] = std::to_string(value);
  return info;
}

std::map<std::string, std::string> capability_texts(const probe_facts& facts) {
  std::map<std::string, std::string> texts;
  for (const driver::feature each : driver::all_features()) {
    const driver::ability& ability = facts.capabilities.of(each);
    texts[std::string(driver::to_string(each))] =
        ability.works ? "works" : fmt::format("no: {}", ability.reason);
  }
  return texts;
}

std::map<std::string, std::string> calibration_texts(const probe_facts& facts) {
  const streamcts::calibration& limits = facts.limits;
  std::map<std::string, std::string> texts{
      {"host call latency, median", microseconds(limits.host_call_latency_median)},
      {"host call latency, 99.9 %", microseconds(limits.host_call_latency_p999)},
      {"enqueue, median", microseconds(limits.enqueue_median)},
      {"copy from device", fmt::format("{:.2f} GB/s", limits.copy_bytes_per_second / 1e9)},
      {"start of a process", fmt::format("{:.0f} ms", 1e3 * facts.start_seconds)},
      {"hold without canary", microseconds(limits.hold())}};
  if (!facts.limits_note.empty()) texts["note"] = facts.limits_note;
  return texts;
}

}  // namespace streamcts::runner
