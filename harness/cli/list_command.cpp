// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "harness/cli/commands.h"
#include "harness/runner/ctest.h"
#include "harness/runner/errors.h"
#include "harness/runner/selection.h"

namespace streamcts::cli {

namespace {

using json = nlohmann::ordered_json;
using case_list = std::vector<const case_instance*>;

std::string joined_clauses(const case_instance& instance) {
  std::string text;
  for (const clause_id each : instance.clauses) {
    if (!text.empty()) text += ' ';
    text += each.text;
  }
  return text;
}

void print_text(const case_list& cases) {
  for (const case_instance* each : cases) {
    fmt::print("{}  [{}{}]  {}\n", each->id, name(each->from),
               each->where == isolation::own_process ? ", own process" : "",
               joined_clauses(*each));
  }
  fmt::print("{} cases\n", cases.size());
}

void print_json(const case_list& cases) {
  json all = json::array();
  for (const case_instance* each : cases) {
    json clauses = json::array();
    for (const clause_id clause : each->clauses) clauses.push_back(clause.text);
    json needs = json::array();
    for (const need wanted : each->needs) needs.push_back(name(wanted));
    json parameters = json::object();
    for (const auto& value : each->values.entries()) {
      parameters[std::string(value.axis)] = value.name;
    }
    all.push_back({{"id", each->id},
                   {"tier", name(each->from)},
                   {"family", each->family()},
                   {"clauses", clauses},
                   {"own_process", each->where == isolation::own_process},
                   {"needs", needs},
                   {"parameters", parameters},
                   {"time_limit_seconds", each->definition->time_limit.count()},
                   {"site", fmt::format("{}:{}", each->file, each->line)}});
  }
  fmt::print("{}\n", all.dump(1));
}

}  // namespace

int list_command(const arguments& given, const runner::program_parts& program) {
  const case_list cases = runner::select_cases(program.suite.cases(),
                                               given.up_to.value_or(tier::stress), given.filters);
  switch (given.format) {
    case output_format::text: print_text(cases); break;
    case output_format::json: print_json(cases); break;
    case output_format::ctest: {
      const std::string folder = given.work_folder.empty() ? "." : given.work_folder;
      runner::ctest_options options;
      options.program = program.where.program;
      options.capabilities =
          std::filesystem::absolute(std::filesystem::path(folder) / "capabilities.json");
      options.driver = given.target.driver.value_or("");
      fmt::print("{}", runner::ctest_script(cases, options));
      break;
    }
  }
  return 0;
}

}  // namespace streamcts::cli
