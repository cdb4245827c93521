// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/folder.h"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "reports/results/json.h"
#include "reports/results/printable.h"

namespace streamcts::results {
namespace {

namespace fs = std::filesystem;

std::string dumped(const json& value, int indent = -1) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace) + "\n";
}

template <typename Values>
json array_of(const Values& values) {
  json out = json::array();
  for (const auto& value : values) out.push_back(to_json_value(value));
  return out;
}

void check_schema(const json_reader& in) {
  in.require("schema");
  std::string schema;
  in.read("schema", schema);
  static constexpr std::string_view family = "streamcts-run/";
  unsigned version = 0;
  const char* const last = schema.data() + schema.size();
  const bool ours = schema.starts_with(family) &&
                    std::from_chars(schema.data() + family.size(), last, version).ptr == last;
  if (!ours) in.fail("schema", fmt::format("is \"{}\", expected \"{}\"", schema, schema_name));
  if (version != 1) {
    in.fail("schema", fmt::format("is \"{}\" and this program reads \"{}\": use the streamcts "
                                  "that made it",
                                  schema, schema_name));
  }
}

// Reads what it can of a file of lines.
void read_lines(const fs::path& path, run& into,
                const std::function<void(std::string_view, const std::string&)>& read_line) {
  const std::string name = path.filename().string();
  std::string content;
  try {
    content = read_file(path);
  } catch (const results_error& error) {
    into.damages.push_back({name, 0, error.what()});
    return;
  }
  std::string_view rest = content;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    const bool torn = end == std::string_view::npos;
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(torn ? rest.size() : end + 1);
    if (line.empty()) continue;
    try {
      read_line(line, fmt::format("{}:{}", name, number));
    } catch (const results_error& error) {
      into.damages.push_back(
          {name, number,
           torn ? "the last line is torn: the run was killed while it was written" : error.what()});
    }
  }
}

// The run in a JSON file of the folder; nothing, and a damage, where it can't be read.
std::optional<run> read_part(const fs::path& path, run& into) {
  const std::string name = path.filename().string();
  try {
    return parse_run(read_file(path), name);
  } catch (const results_error& error) {
    into.damages.push_back({name, 0, error.what()});
    return std::nullopt;
  }
}

void drop_planned_twice(std::vector<planned_case>& planned) {
  std::set<std::string> seen;
  std::erase_if(planned, [&](const planned_case& one) { return !seen.insert(one.id).second; });
}

run load_folder(const fs::path& folder) {
  run result;
  const bool has_run = fs::exists(folder / run_file);
  const bool has_cases = fs::exists(folder / cases_file);
  if (fs::exists(folder / plan_file)) {
    if (std::optional<run> plan = read_part(folder / plan_file, result)) {
      result.info = std::move(plan->info);
      result.planned = std::move(plan->planned);
    }
  } else {
    result.damages.push_back({std::string(plan_file), 0, "missing: cases not reached are unknown"});
  }
  if (has_run) {
    if (std::optional<run> whole = read_part(folder / run_file, result)) {
      result.info = std::move(whole->info);  // Knows how the run ended, too.
      if (result.planned.empty()) result.planned = std::move(whole->planned);
      if (!has_cases) {
        result.records = std::move(whole->records);
        result.observations = std::move(whole->observations);
      }
    }
  }
  if (has_cases) {
    read_lines(folder / cases_file, result, [&](std::string_view line, const std::string& name) {
      result.records.push_back(parse_record(line, name));
    });
    if (fs::exists(folder / observations_file)) {
      read_lines(folder / observations_file, result,
                 [&](std::string_view line, const std::string& name) {
                   result.observations.push_back(parse_observation(line, name));
                 });
    }
  }
  return result;
}

}  // namespace

std::string plan_text(const run& value) {
  json out = to_json_value(value.info);
  out["planned"] = array_of(value.planned);
  return dumped(out, 1);
}

std::string run_text(const run& value) {
  json out = to_json_value(value.info);
  out["summary"] = to_json_value(summarise(value));
  out["cases"] = array_of(folded_cases(value));
  out["not_reached"] = array_of(not_reached(value));
  out["observations"] = array_of(value.observations);
  out["damages"] = array_of(value.damages);
  return dumped(out, 1);
}

std::string record_line(const case_record& value) {
  return dumped(to_json_value(value));
}

std::string observation_line(const observation& value) {
  return dumped(to_json_value(value));
}

case_record parse_record(std::string_view text, std::string_view name) {
  const json value = parse_json(text, name);
  return read_record(json_reader(value, std::string(name)));
}

observation parse_observation(std::string_view text, std::string_view name) {
  const json value = parse_json(text, name);
  return read_observation(json_reader(value, std::string(name)));
}

run parse_run(std::string_view text, std::string_view name) {
  const json value = parse_json(text, name);
  const json_reader in(value, std::string(name));
  check_schema(in);
  run result;
  result.info = read_run_info(in);
  in.each("planned",
          [&](const json_reader& one) { result.planned.push_back(read_planned_case(one)); });
  in.each("cases", [&](const json_reader& one) {
    const case_record& record = result.records.emplace_back(read_record(one));
    result.planned.push_back({record.id, record.clauses, record.tier});
  });
  in.each("not_reached",
          [&](const json_reader& one) { result.planned.push_back(read_planned_case(one)); });
  in.each("observations",
          [&](const json_reader& one) { result.observations.push_back(read_observation(one)); });
  in.each("damages", [&](const json_reader& one) {
    damage& added = result.damages.emplace_back();
    std::uint64_t line = 0;
    one.read("file", added.file);
    one.read("line", line);
    one.read("what", added.what);
    added.line = line;
  });
  drop_planned_twice(result.planned);
  return result;
}

run load_run(const std::filesystem::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return parse_run(read_file(path), path.string());
  for (const std::string_view file : {plan_file, cases_file, run_file}) {
    if (fs::exists(path / file, ignored)) return load_folder(path);
  }
  throw results_error(
      fmt::format("{}: no run is in this folder ({}, {} and {} are missing); give the folder that "
                  "`streamcts run` wrote",
                  path.string(), plan_file, cases_file, run_file));
}

}  // namespace streamcts::results
