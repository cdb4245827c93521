// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/json.h"
#include "reports/results/json_text.h"

namespace streamcts::results {
namespace {

json to_json_value(const driver_info& value) {
  json mapped = json::array();
  for (const mapped_file& file : value.mapped_files) {
    mapped.push_back({{"path", text(file.path)}, {"build_id", text(file.build_id)}});
  }
  return {{"requested", text(value.requested)},
          {"path", text(value.path)},
          {"version", text(value.version)},
          {"build_id", text(value.build_id)},
          {"runtime",
           {{"requested", text(value.runtime_requested)},
            {"path", text(value.runtime_path)},
            {"version", text(value.runtime_version)},
            {"note", text(value.runtime_note)}}},
          {"mapped_files", std::move(mapped)}};
}

driver_info read_driver(const json_reader& in) {
  driver_info result;
  in.read("requested", result.requested);
  in.read("path", result.path);
  in.read("version", result.version);
  in.read("build_id", result.build_id);
  const json_reader runtime = in.object("runtime");
  runtime.read("requested", result.runtime_requested);
  runtime.read("path", result.runtime_path);
  runtime.read("version", result.runtime_version);
  runtime.read("note", result.runtime_note);
  in.each("mapped_files", [&](const json_reader& element) {
    mapped_file& file = result.mapped_files.emplace_back();
    element.read("path", file.path);
    element.read("build_id", file.build_id);
  });
  return result;
}

json to_json_value(const device_info& value) {
  return {{"name", text(value.name)},
          {"uuid", text(value.uuid)},
          {"compute_capability", text(value.compute_capability)},
          {"reference", is_reference(value)},
          {"attributes", texts(value.attributes)}};
}

device_info read_device(const json_reader& in) {
  device_info result;
  in.read("name", result.name);
  in.read("uuid", result.uuid);
  in.read("compute_capability", result.compute_capability);
  in.read("attributes", result.attributes);
  return result;
}

json to_json_value(const environment_info& value) {
  return {{"os", text(value.os)},
          {"kernel", text(value.kernel)},
          {"cpu", text(value.cpu)},
          {"cores", value.cores},
          {"variables", texts(value.variables)}};
}

environment_info read_environment(const json_reader& in) {
  environment_info result;
  in.read("os", result.os);
  in.read("kernel", result.kernel);
  in.read("cpu", result.cpu);
  in.read("cores", result.cores);
  in.read("variables", result.variables);
  return result;
}

json to_json_value(const run_options& value) {
  return {{"command", texts(value.command)},
          {"tier", text(value.tier)},
          {"filters", texts(value.filters)},
          {"seed", hex(value.seed)},
          {"repeat", value.repeat},
          {"jobs", value.jobs},
          {"timeout_seconds", seconds(value.timeout_seconds)},
          {"fail_fast", value.fail_fast}};
}

run_options read_options(const json_reader& in) {
  run_options result;
  in.read("command", result.command);
  in.read("tier", result.tier);
  in.read("filters", result.filters);
  in.read_hex("seed", result.seed);
  in.read("repeat", result.repeat);
  in.read("jobs", result.jobs);
  in.read("timeout_seconds", result.timeout_seconds);
  in.read("fail_fast", result.fail_fast);
  return result;
}

}  // namespace

json to_json_value(const run_info& value) {
  return {{"schema", schema_name},
          {"suite", {{"version", text(value.suite.version)}, {"git", text(value.suite.git)}}},
          {"driver", to_json_value(value.driver)},
          {"device", to_json_value(value.device)},
          {"environment", to_json_value(value.environment)},
          {"options", to_json_value(value.options)},
          {"capabilities", texts(value.capabilities)},
          {"calibration", texts(value.calibration)},
          {"uncovered_clauses", texts(value.uncovered_clauses)},
          {"started", text(value.started)},
          {"finished", text(value.finished)},
          {"seconds", seconds(value.seconds)},
          {"interrupted", text(value.interrupted)}};
}

run_info read_run_info(const json_reader& in) {
  run_info result;
  const json_reader suite = in.object("suite");
  suite.read("version", result.suite.version);
  suite.read("git", result.suite.git);
  result.driver = read_driver(in.object("driver"));
  result.device = read_device(in.object("device"));
  result.environment = read_environment(in.object("environment"));
  result.options = read_options(in.object("options"));
  in.read("capabilities", result.capabilities);
  in.read("calibration", result.calibration);
  in.read("uncovered_clauses", result.uncovered_clauses);
  in.read("started", result.started);
  in.read("finished", result.finished);
  in.read("seconds", result.seconds);
  in.read("interrupted", result.interrupted);
  return result;
}

json to_json_value(const planned_case& value) {
  return {{"id", text(value.id)}, {"clauses", texts(value.clauses)}, {"tier", text(value.tier)}};
}

planned_case read_planned_case(const json_reader& in) {
  in.require("id");
  planned_case result;
  in.read("id", result.id);
  in.read("clauses", result.clauses);
  in.read("tier", result.tier);
  return result;
}

json to_json_value(const damage& value) {
  return {{"file", text(value.file)}, {"line", value.line}, {"what", text(value.what)}};
}

json to_json_value(const run_summary& value) {
  json out = json::object();
  for (const verdict each : all_verdicts) out[std::string(to_string(each))] = value.counts[each];
  out["planned"] = value.planned;
  out["not_reached"] = value.not_reached;
  out["exit_code"] = value.exit_code;
  return out;
}

}  // namespace streamcts::results
