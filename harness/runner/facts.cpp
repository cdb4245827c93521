// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/facts.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "harness/runner/errors.h"
#include "harness/runner/facts_json.h"

namespace streamcts::runner {

namespace {

using std::chrono::nanoseconds;

template <typename Value>
void read(const json& from, const char* key, Value& into) {
  if (const auto found = from.find(key); found != from.end()) found->get_to(into);
}

void read(const json& from, const char* key, nanoseconds& into) {
  if (const auto found = from.find(key); found != from.end()) {
    into = nanoseconds(found->get<std::int64_t>());
  }
}

}  // namespace

std::string dump_line(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

json to_json_value(const driver::ability& value) {
  json made = json::object({{"works", value.works}});
  if (!value.works) made["reason"] = value.reason;
  return made;
}

driver::ability read_ability(const json& value) {
  driver::ability made{.works = false, .reason = {}};
  read(value, "works", made.works);
  read(value, "reason", made.reason);
  return made;
}

json to_json_value(const driver::capabilities& value) {
  json features = json::object();
  for (const driver::feature each : driver::all_features()) {
    features[std::string(driver::to_string(each))] = to_json_value(value.of(each));
  }
  return {{"driver_path", value.driver_path},
          {"driver_build_id", value.driver_build_id},
          {"driver_lookup", value.driver_lookup},
          {"driver_version", value.driver_version},
          {"mapped_files", value.mapped_files},
          {"missing_functions", value.missing_functions},
          {"runtime_path", value.runtime_path},
          {"runtime_build_id", value.runtime_build_id},
          {"runtime_version", value.runtime_version},
          {"device_count", value.device_count},
          {"device_ordinal", value.device_ordinal},
          {"device_name", value.device_name},
          {"device_uuid", value.device_uuid},
          {"pci_bus_id", value.pci_bus_id},
          {"device_memory", value.device_memory},
          {"compute_major", value.compute_major},
          {"compute_minor", value.compute_minor},
          {"priority_least", value.priority_least},
          {"priority_greatest", value.priority_greatest},
          {"attributes", value.attributes},
          {"features", features}};
}

driver::capabilities read_capabilities(const json& value) {
  driver::capabilities made;
  read(value, "driver_path", made.driver_path);
  read(value, "driver_build_id", made.driver_build_id);
  read(value, "driver_lookup", made.driver_lookup);
  read(value, "driver_version", made.driver_version);
  read(value, "mapped_files", made.mapped_files);
  read(value, "missing_functions", made.missing_functions);
  read(value, "runtime_path", made.runtime_path);
  read(value, "runtime_build_id", made.runtime_build_id);
  read(value, "runtime_version", made.runtime_version);
  read(value, "device_count", made.device_count);
  read(value, "device_ordinal", made.device_ordinal);
  read(value, "device_name", made.device_name);
  read(value, "device_uuid", made.device_uuid);
  read(value, "pci_bus_id", made.pci_bus_id);
  read(value, "device_memory", made.device_memory);
  read(value, "compute_major", made.compute_major);
  read(value, "compute_minor", made.compute_minor);
  read(value, "priority_least", made.priority_least);
  read(value, "priority_greatest", made.priority_greatest);
  read(value, "attributes", made.attributes);
  if (const auto features = value.find("features"); features != value.end()) {
    for (const auto& [name, ability] : features->items()) {
      if (const auto which = driver::feature_from(name)) made.of(*which) = read_ability(ability);
    }
  }
  return made;
}

json to_json_value(const streamcts::calibration& value) {
  return {{"host_call_latency_median_ns", value.host_call_latency_median.count()},
          {"host_call_latency_p999_ns", value.host_call_latency_p999.count()},
          {"enqueue_median_ns", value.enqueue_median.count()},
          {"copy_bytes_per_second", value.copy_bytes_per_second},
          {"holds", static_cast<int>(value.holds)},
          {"haste", value.haste}};
}

streamcts::calibration read_calibration(const json& value) {
  streamcts::calibration made;
  read(value, "host_call_latency_median_ns", made.host_call_latency_median);
  read(value, "host_call_latency_p999_ns", made.host_call_latency_p999);
  read(value, "enqueue_median_ns", made.enqueue_median);
  read(value, "copy_bytes_per_second", made.copy_bytes_per_second);
  // Files of a probe of before they were there have neither.
  const int holds = value.value("holds", 0);
  if (holds < 0 || holds > static_cast<int>(hold_kind::random)) {
    throw usage_error("calibration: 'holds' is none of the kinds known");
  }
  made.holds = static_cast<hold_kind>(holds);
  made.haste = value.value("haste", 1.0);
  if (!(made.haste >= 1)) throw usage_error("calibration: 'haste' must be 1 or more");
  return made;
}

std::string facts_text(const probe_facts& facts) {
  const json made{{"schema", facts_schema},
                  {"driver", facts.driver},
                  {"runtime", facts.runtime},
                  {"boot_id", facts.boot_id},
                  {"variables", facts.variables},
                  {"start_seconds", facts.start_seconds},
                  {"calibration", to_json_value(facts.limits)},
                  {"calibration_note", facts.limits_note},
                  {"capabilities", to_json_value(facts.capabilities)}};
  return made.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

probe_facts parse_facts(std::string_view text, std::string_view name) {
  try {
    const json value = json::parse(text);
    probe_facts made;
    std::string schema;
    read(value, "schema", schema);
    if (schema != facts_schema) {
      throw usage_error(fmt::format(
          "{}: is no file of capabilities ('schema' is '{}', not '{}'); make one with 'streamcts "
          "probe --out {}'",
          name, schema, facts_schema, name));
    }
    for (const char* part : {"calibration", "capabilities"}) {
      if (!value.at(part).is_object()) {
        throw usage_error(fmt::format("{}: '{}' is no object; make it anew with 'streamcts probe "
                                      "--out {}'",
                                      name, part, name));
      }
    }
    read(value, "driver", made.driver);
    read(value, "runtime", made.runtime);
    read(value, "boot_id", made.boot_id);
    read(value, "variables", made.variables);
    read(value, "start_seconds", made.start_seconds);
    read(value, "calibration_note", made.limits_note);
    made.limits = read_calibration(value.at("calibration"));
    made.capabilities = read_capabilities(value.at("capabilities"));
    return made;
  } catch (const json::exception& error) {
    throw usage_error(fmt::format("{}: {}; make it anew with 'streamcts probe --out {}'", name,
                                  error.what(), name));
  }
}

probe_facts read_facts(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    throw usage_error(
        fmt::format("{}: cannot be read; make it with 'streamcts probe --out {}'", path, path));
  }
  std::ostringstream text;
  text << file.rdbuf();
  return parse_facts(text.str(), path);
}

std::string read_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

}  // namespace streamcts::runner
