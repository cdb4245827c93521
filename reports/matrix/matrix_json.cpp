// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/matrix/matrix_json.h"

#include <cmath>

#include "reports/results/file.h"
#include "reports/results/json.h"
#include "reports/results/json_text.h"

namespace streamcts::reports {

namespace {

using results::json;
using results::json_reader;
using results::texts;

/// Milliseconds are enough, and make the same text everywhere.
double rounded(double value) { return std::round(results::seconds(value) * 1e3) / 1e3; }

json to_json_value(const fault_kill& value) {
  return {{"case", results::text(value.case_id)},
          {"verdict", results::to_string(value.verdict)},
          {"clause", results::text(value.clause)},
          {"kind", results::text(value.kind)},
          {"expected", results::text(value.expected)},
          {"seen", results::text(value.seen)},
          {"right_clause", value.right_clause},
          {"seconds", rounded(value.seconds)}};
}

json to_json_value(const fault_record& value) {
  json out{{"id", results::text(value.id)},
           {"class", results::text(value.fault_class)},
           {"clauses", texts(value.clauses)},
           {"sentence", results::text(value.sentence)},
           {"benign", value.benign},
           {"outcome", to_string(value.outcome)}};
  // What most readers want stands in front, the evidence behind it.
  const fault_kill* by = value.killed_by();
  out["killed_by"] = by == nullptr ? json(nullptr) : json(results::text(by->case_id));
  out["seconds_to_kill"] = by == nullptr ? json(nullptr) : json(rounded(by->seconds));
  out["right_clause"] = value.right_clause();
  out["reached"] = value.reached;
  out["cases"] = value.cases;
  out["inconclusive"] = value.inconclusive;
  out["errors"] = value.errors;
  out["seconds"] = rounded(value.seconds);
  if (value.repeats) {
    out["repeats"] = {{"killed", value.repeats->killed}, {"runs", value.repeats->runs}};
  }
  if (!value.masked_by.empty()) out["masked_by"] = texts(value.masked_by);
  out["note"] = results::text(value.note);
  json kills = json::array();
  for (const fault_kill& each : value.kills) kills.push_back(to_json_value(each));
  out["kills"] = std::move(kills);
  return out;
}

fault_record read_fault(const json_reader& in) {
  in.require("id");
  in.require("outcome");
  fault_record made;
  in.read("id", made.id);
  in.read("class", made.fault_class);
  in.read("clauses", made.clauses);
  in.read("sentence", made.sentence);
  in.read("benign", made.benign);
  in.read_enum("outcome", made.outcome, &fault_outcome_from_string);
  in.read("reached", made.reached);
  in.read("cases", made.cases);
  in.read("inconclusive", made.inconclusive);
  in.read("errors", made.errors);
  in.read("seconds", made.seconds);
  in.read("note", made.note);
  if (in.has("masked_by")) in.read("masked_by", made.masked_by);
  if (in.has("repeats")) {
    const json_reader repeats = in.object("repeats");
    made.repeats.emplace();
    repeats.read("killed", made.repeats->killed);
    repeats.read("runs", made.repeats->runs);
  }
  in.each("kills", [&](const json_reader& element) {
    fault_kill& kill = made.kills.emplace_back();
    element.read("case", kill.case_id);
    element.read_enum("verdict", kill.verdict, &results::verdict_from_string);
    element.read("clause", kill.clause);
    element.read("kind", kill.kind);
    element.read("expected", kill.expected);
    element.read("seen", kill.seen);
    element.read("right_clause", kill.right_clause);
    element.read("seconds", kill.seconds);
  });
  return made;
}

json to_json_value(const baseline_case& value) {
  json out{{"id", results::text(value.id)},
           {"clauses", texts(value.clauses)},
           {"verdict", results::to_string(value.verdict)},
           {"seconds", rounded(value.seconds)},
           {"reason", results::text(value.reason)}};
  if (!value.clause.empty()) out["clause"] = results::text(value.clause);
  return out;
}

json to_json_value(const fault_counts& value) {
  return {{"killed", value.killed},           {"right_clause", value.right_clause},
          {"survived", value.survived},       {"not_reached", value.not_reached},
          {"masked", value.masked},           {"green", value.green},
          {"false_alarms", value.false_alarms}};
}

json to_json_value(const matrix_summary& value) {
  json classes = json::object();
  for (const auto& [name, counts] : value.by_class) classes[name] = to_json_value(counts);
  json out = to_json_value(value.all);
  out["left"] = value.left;
  out["baseline_red"] = value.baseline_red;
  out["masked_by"] = texts(value.masking);
  out["by_class"] = std::move(classes);
  out["seconds_to_kill"] = {{"median", rounded(value.median_seconds_to_kill)},
                            {"p90", rounded(value.p90_seconds_to_kill)},
                            {"max", rounded(value.max_seconds_to_kill)}};
  out["lower_bound"] = std::floor(value.lower_bound * 1e4) / 1e4;
  out["repeated"] = {{"faults", value.repeated}, {"always", value.always_repeated}};
  out["exit_code"] = value.exit_code;
  out["sentence"] = value.sentence;
  return out;
}

/// Records of matrix.jsonl; the last of an id counts.
void read_lines(const std::filesystem::path& path, matrix& into) {
  std::map<std::string, std::size_t> places;
  std::string_view left;
  const std::string text = results::read_file(path);
  left = text;
  for (std::size_t number = 1; !left.empty(); ++number) {
    const std::size_t end = left.find('\n');
    const std::string_view line = left.substr(0, end);
    left.remove_prefix(end == std::string_view::npos ? left.size() : end + 1);
    if (line.empty()) continue;
    try {
      fault_record record = parse_fault(line, matrix_lines_file);
      const auto [place, fresh] = places.emplace(record.id, into.faults.size());
      if (fresh) {
        into.faults.push_back(std::move(record));
      } else {
        into.faults[place->second] = std::move(record);
      }
    } catch (const results::results_error& error) {
      into.damages.push_back({std::string(matrix_lines_file), number, error.what()});
    }
  }
}

}  // namespace

std::string fault_line(const fault_record& record) {
  return to_json_value(record).dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string matrix_text(const matrix& all) {
  json out = results::to_json_value(all.info);
  out["schema"] = matrix_schema;
  out["holds"] = results::text(all.holds);
  json faults = json::array();
  for (const fault_record& each : all.faults) faults.push_back(to_json_value(each));
  json baseline = json::array();
  for (const baseline_case& each : all.baseline) baseline.push_back(to_json_value(each));
  out["summary"] = to_json_value(summarize(all));
  out["planned"] = texts(all.planned);
  out["faults"] = std::move(faults);
  out["baseline"] = std::move(baseline);
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

fault_record parse_fault(std::string_view text, std::string_view name) {
  const json value = results::parse_json(text, name);
  return read_fault(json_reader(value, std::string(name)));
}

matrix parse_matrix(std::string_view text, std::string_view name) {
  const json value = results::parse_json(text, name);
  const json_reader in(value, std::string(name));
  in.require("schema");
  std::string schema;
  in.read("schema", schema);
  if (schema != matrix_schema) {
    in.fail("schema", "is \"" + schema + "\", and this program reads \"" +
                          std::string(matrix_schema) + "\"");
  }
  matrix made;
  made.info = results::read_run_info(in);
  in.read("holds", made.holds);
  in.read("planned", made.planned);
  in.each("baseline", [&](const json_reader& element) {
    baseline_case& each = made.baseline.emplace_back();
    element.read("id", each.id);
    element.read("clauses", each.clauses);
    element.read_enum("verdict", each.verdict, &results::verdict_from_string);
    element.read("seconds", each.seconds);
    element.read("reason", each.reason);
    if (element.has("clause")) element.read("clause", each.clause);
  });
  in.each("faults", [&](const json_reader& element) {
    made.faults.push_back(read_fault(element));
  });
  return made;
}

matrix load_matrix(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / matrix_file;
  matrix made = parse_matrix(results::read_file(path), path.string());
  std::error_code ignored;
  if (std::filesystem::exists(folder / matrix_lines_file, ignored)) {
    made.faults.clear();
    read_lines(folder / matrix_lines_file, made);
  }
  return made;
}

}  // namespace streamcts::reports
