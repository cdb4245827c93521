// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/coverage.h"

#include <fmt/format.h>

#include <set>

#include "harness/runner/errors.h"
#include "harness/runner/facts_json.h"

namespace streamcts::runner {

std::map<std::string, std::string> parse_reasons(std::string_view text, std::string_view name) {
  try {
    return json::parse(text).get<std::map<std::string, std::string>>();
  } catch (const json::exception& error) {
    throw usage_error(fmt::format("{}: is not an object of clause and reason: {}", name,
                                  error.what()));
  }
}

std::map<std::string, std::vector<const case_instance*>> cases_by_clause(
    const std::vector<case_instance>& all) {
  std::map<std::string, std::vector<const case_instance*>> by;
  for (const case_instance& each : all) {
    for (const clause_id clause : each.clauses) by[std::string(clause.text)].push_back(&each);
  }
  return by;
}

std::map<std::string, std::string> uncovered_clauses(
    const results::clause_catalogue& clauses, const std::vector<case_instance>& all,
    const std::vector<const case_instance*>& planned,
    const std::map<std::string, std::string>& reasons) {
  std::set<std::string_view> covered;
  for (const case_instance* each : planned) {
    for (const clause_id clause : each->clauses) covered.insert(clause.text);
  }
  const auto by = cases_by_clause(all);
  std::map<std::string, std::string> why;
  for (const results::clause& each : clauses.clauses()) {
    if (each.strength != results::clause_strength::guarantee || covered.contains(each.id)) continue;
    if (const auto cases = by.find(each.id); cases != by.end()) {
      why[each.id] = fmt::format("not selected: it has {} cases in other tiers or filters",
                                 cases->second.size());
    } else if (const auto reason = reasons.find(each.id); reason != reasons.end()) {
      why[each.id] = reason->second;
    } else {
      why[each.id] = fmt::format("no case yet: family {} is not built", each.family);
    }
  }
  return why;
}

}  // namespace streamcts::runner
