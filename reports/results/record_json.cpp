// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "reports/results/json.h"
#include "reports/results/json_text.h"

namespace streamcts::results {
namespace {

json to_json_value(const opportunities& value) {
  return {{"canary", value.canary}, {"calibrated", value.calibrated}};
}

opportunities read_opportunities(const json_reader& in) {
  opportunities result;
  in.read("canary", result.canary);
  in.read("calibrated", result.calibrated);
  return result;
}

json to_json_value(const failure& value) {
  json out{{"clause", text(value.clause)},     {"kind", to_string(value.kind)},
           {"observer", text(value.observer)}, {"expected", text(value.expected)},
           {"seen", text(value.seen)},         {"site", text(value.site)},
           {"edges", json::array()},           {"events", json::array()}};
  for (const edge& one : value.edges) {
    json& added = out["edges"].emplace_back(
        json{{"from", text(one.from)}, {"to", text(one.to)}, {"clause", text(one.clause)}});
    if (one.broken) added["broken"] = true;
  }
  for (const event& one : value.events) {
    json& added = out["events"].emplace_back(json{{"seq", one.seq},
                                                  {"lane", text(one.lane)},
                                                  {"operation", text(one.operation)},
                                                  {"phase", to_string(one.phase)}});
    if (one.time_ns) added["time_ns"] = *one.time_ns;
  }
  return out;
}

failure read_failure(const json_reader& in) {
  failure result;
  in.read("clause", result.clause);
  in.read_enum("kind", result.kind, &failure_kind_from_string);
  in.read("observer", result.observer);
  in.read("expected", result.expected);
  in.read("seen", result.seen);
  in.read("site", result.site);
  in.each("edges", [&](const json_reader& element) {
    edge& one = result.edges.emplace_back();
    element.read("from", one.from);
    element.read("to", one.to);
    element.read("clause", one.clause);
    element.read("broken", one.broken);
  });
  in.each("events", [&](const json_reader& element) {
    event& one = result.events.emplace_back();
    element.read("seq", one.seq);
    element.read("lane", one.lane);
    element.read("operation", one.operation);
    element.read_enum("phase", one.phase, &event_phase_from_string);
    if (element.has("time_ns")) element.read("time_ns", one.time_ns.emplace());
  });
  return result;
}

// What a passing case has no use for: left out where it is empty, so that lines stay short.
void add_evidence(json& out, const case_record& value) {
  if (!value.opportunities_by_clause.empty()) {
    json& by_clause = out["opportunities_by_clause"] = json::object();
    for (const auto& [clause, count] : value.opportunities_by_clause) {
      by_clause[text(clause)] = to_json_value(count);
    }
  }
  if (value.holds > 0) out["holds"] = value.holds;
  if (!value.missed_holds.empty()) {
    json& missed = out["missed_holds"] = json::object();
    for (const auto& [reason, count] : value.missed_holds) missed[text(reason)] = count;
  }
  if (value.incidence) {
    out["incidence"] = {{"failed", value.incidence->failed},
                        {"runs", value.incidence->runs},
                        {"note", text(value.incidence->note)}};
  }
  if (!value.replay.empty()) out["replay"] = text(value.replay);
  if (!value.stacks.empty()) out["stacks"] = texts(value.stacks);
  if (!value.stdout_tail.empty()) out["stdout_tail"] = text(value.stdout_tail);
  if (!value.stderr_tail.empty()) out["stderr_tail"] = text(value.stderr_tail);
  if (value.failure) out["failure"] = to_json_value(*value.failure);
}

}  // namespace

json to_json_value(const case_record& value) {
  json out{{"id", text(value.id)},         {"clauses", texts(value.clauses)},
           {"tier", text(value.tier)},     {"verdict", to_string(value.verdict)},
           {"reason", text(value.reason)}, {"seconds", seconds(value.seconds)},
           {"seed", hex(value.seed)},      {"repeat", value.repeat},
           {"rounds", value.rounds},       {"opportunities", to_json_value(value.opportunities)}};
  add_evidence(out, value);
  return out;
}

case_record read_record(const json_reader& in) {
  in.require("id");
  in.require("verdict");
  case_record result;
  in.read("id", result.id);
  in.read("clauses", result.clauses);
  in.read("tier", result.tier);
  in.read_enum("verdict", result.verdict, &verdict_from_string);
  in.read("reason", result.reason);
  in.read("seconds", result.seconds);
  in.read_hex("seed", result.seed);
  in.read("repeat", result.repeat);
  in.read("rounds", result.rounds);
  result.opportunities = read_opportunities(in.object("opportunities"));
  in.each_member("opportunities_by_clause", [&](const std::string& clause, const json_reader& one) {
    result.opportunities_by_clause[clause] = read_opportunities(one);
  });
  in.read("holds", result.holds);
  in.read("missed_holds", result.missed_holds);
  if (in.has("incidence")) {
    incidence& own = result.incidence.emplace();
    const json_reader from = in.object("incidence");
    from.read("failed", own.failed);
    from.read("runs", own.runs);
    from.read("note", own.note);
  }
  in.read("replay", result.replay);
  in.read("stacks", result.stacks);
  in.read("stdout_tail", result.stdout_tail);
  in.read("stderr_tail", result.stderr_tail);
  if (in.has("failure")) result.failure = read_failure(in.object("failure"));
  return result;
}

json to_json_value(const observation& value) {
  json out{{"name", text(value.name)}};
  if (!value.case_id.empty()) out["case"] = text(value.case_id);
  if (!value.clauses.empty()) out["clauses"] = texts(value.clauses);
  if (!value.value.empty()) out["value"] = text(value.value);
  if (!value.table.columns.empty() || !value.table.rows.empty()) {
    json rows = json::array();
    for (const std::vector<std::string>& row : value.table.rows) rows.push_back(texts(row));
    out["table"] = {{"columns", texts(value.table.columns)}, {"rows", std::move(rows)}};
  }
  if (!value.note.empty()) out["note"] = text(value.note);
  out["differs_from_documentation"] = value.differs_from_documentation;
  return out;
}

observation read_observation(const json_reader& in) {
  in.require("name");
  observation result;
  in.read("name", result.name);
  in.read("case", result.case_id);
  in.read("clauses", result.clauses);
  in.read("value", result.value);
  const json_reader table = in.object("table");
  table.read("columns", result.table.columns);
  table.read("rows", result.table.rows);
  in.read("note", result.note);
  in.read("differs_from_documentation", result.differs_from_documentation);
  return result;
}

}  // namespace streamcts::results
