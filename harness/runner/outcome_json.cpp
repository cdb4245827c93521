// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/outcome_json.h"

#include <stdexcept>

#include "reports/results/printable.h"

namespace streamcts::runner {

namespace {

/// Matchers print whole arrays; nobody reads more of them.
constexpr std::size_t longest_text = 16 * 1024;

std::string text(const std::string& value) {
  if (value.size() <= longest_text) return results::to_printable(value);
  return results::to_printable(value.substr(0, longest_text)) + " ... (cut)";
}

json texts(const std::vector<std::string>& values) {
  json made = json::array();
  for (const std::string& each : values) made.push_back(text(each));
  return made;
}

/// Both ends are the same program, so enumerations travel as numbers.
template <typename Enum>
Enum read_enum(const json& value, Enum last) {
  const int number = value.get<int>();
  if (number < 0 || number > static_cast<int>(last)) {
    throw std::invalid_argument("a number that is none of an enumeration's");
  }
  return static_cast<Enum>(number);
}

json failure_json(const failure& value) {
  json edges = json::array();
  for (const failure_edge& each : value.edges) {
    edges.push_back({text(each.from), text(each.to), each.clause, each.broken});
  }
  json events = json::array();
  for (const failure_event& each : value.events) {
    events.push_back({each.sequence, text(each.lane), text(each.operation),
                      static_cast<int>(each.phase), each.time_ns});
  }
  return {{"clause", value.clause},
          {"kind", static_cast<int>(value.kind)},
          {"observer", text(value.observer)},
          {"expected", text(value.expected)},
          {"seen", text(value.seen)},
          {"site", text(value.site)},
          {"edges", edges},
          {"events", events}};
}

failure read_failure(const json& value) {
  failure made;
  made.clause = value.at("clause");
  made.kind = read_enum(value.at("kind"), failure_kind::other);
  made.observer = value.at("observer");
  made.expected = value.at("expected");
  made.seen = value.at("seen");
  made.site = value.at("site");
  for (const json& each : value.at("edges")) {
    made.edges.push_back({each.at(0), each.at(1), each.at(2), each.at(3)});
  }
  for (const json& each : value.at("events")) {
    made.events.push_back({each.at(0), each.at(1), each.at(2),
                           read_enum(each.at(3), log_phase::mark), each.at(4)});
  }
  return made;
}

}  // namespace

json to_json_value(const case_outcome& value) {
  json made{{"result", static_cast<int>(value.result)},
            {"reason", text(value.reason)},
            {"rounds", value.rounds},
            {"holds", value.holds},
            {"missed_holds", value.missed_holds}};
  json& counts = made["opportunities"] = json::object();
  for (const auto& [clause, count] : value.opportunities) {
    counts[clause] = {count.canary, count.calibrated};
  }
  json& observations = made["observations"] = json::array();
  for (const auto& each : value.observations) {
    json rows = json::array();
    for (const auto& row : each.rows) rows.push_back(texts(row));
    observations.push_back({text(each.name), text(each.value), text(each.note),
                            texts(each.columns), std::move(rows),
                            each.differs_from_documentation});
  }
  if (value.first_failure) made["failure"] = failure_json(*value.first_failure);
  return made;
}

case_outcome read_outcome(const json& value) {
  case_outcome made;
  made.result = read_enum(value.at("result"), case_result::error);
  made.reason = value.at("reason");
  made.rounds = value.at("rounds");
  made.holds = value.at("holds");
  value.at("missed_holds").get_to(made.missed_holds);
  for (const auto& [clause, count] : value.at("opportunities").items()) {
    made.opportunities[clause] = {count.at(0), count.at(1)};
  }
  for (const json& each : value.at("observations")) {
    made.observations.push_back(
        {each.at(0), each.at(1), each.at(2), each.at(3), each.at(4), each.at(5)});
  }
  if (value.contains("failure")) made.first_failure = read_failure(value.at("failure"));
  return made;
}

}  // namespace streamcts::runner
