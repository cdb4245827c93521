// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/cli/commands.h"
#include "harness/runner/coverage.h"

namespace streamcts::cli {

namespace {

using json = nlohmann::ordered_json;

/// A clause and what the program has of it.
struct row {
  const results::clause* clause = nullptr;
  std::vector<const case_instance*> cases;
  std::string why_none;  ///< of a guarantee without a case
};

std::vector<row> rows_of(const arguments& given, const runner::program_parts& program) {
  const auto& all = program.suite.cases();
  const auto by = runner::cases_by_clause(all);
  std::vector<const case_instance*> planned;
  for (const case_instance& each : all) planned.push_back(&each);
  const auto why = runner::uncovered_clauses(program.clauses, all, planned, program.reasons);
  std::vector<row> rows;
  for (const results::clause& each : program.clauses.clauses()) {
    row made{&each, {}, {}};
    if (const auto found = by.find(each.id); found != by.end()) made.cases = found->second;
    if (const auto found = why.find(each.id); found != why.end()) made.why_none = found->second;
    if (!given.uncovered || !made.why_none.empty()) rows.push_back(std::move(made));
  }
  return rows;
}

void print_text(const std::vector<row>& rows) {
  std::size_t guarantees = 0;
  std::size_t covered = 0;
  for (const row& each : rows) {
    const bool guarantee = each.clause->strength == results::clause_strength::guarantee;
    if (guarantee) ++guarantees;
    if (guarantee && !each.cases.empty()) ++covered;
    fmt::print("{} ({}): {}\n", each.clause->id, results::to_string(each.clause->strength),
               each.clause->statement);
    if (!each.why_none.empty()) {
      fmt::print("  no case: {}\n", each.why_none);
    } else if (each.cases.empty()) {
      fmt::print("  not judged\n");
    }
    for (const case_instance* instance : each.cases) {
      fmt::print("  {} [{}]\n", instance->id, name(instance->from));
    }
  }
  fmt::print("{} of {} guarantees have cases\n", covered, guarantees);
}

void print_json(const std::vector<row>& rows) {
  json all = json::array();
  for (const row& each : rows) {
    json cases = json::array();
    for (const case_instance* instance : each.cases) cases.push_back(instance->id);
    json made{{"id", each.clause->id},
              {"family", each.clause->family},
              {"strength", results::to_string(each.clause->strength)},
              {"statement", each.clause->statement},
              {"cases", cases}};
    if (!each.why_none.empty()) made["uncovered"] = each.why_none;
    all.push_back(std::move(made));
  }
  fmt::print("{}\n", all.dump(1));
}

}  // namespace

int clauses_command(const arguments& given, const runner::program_parts& program) {
  const std::vector<row> rows = rows_of(given, program);
  if (given.format == output_format::json) {
    print_json(rows);
  } else {
    print_text(rows);
  }
  return 0;
}

}  // namespace streamcts::cli
