// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/cli/commands.h"
#include "harness/cli/embedded.h"
#include "harness/runner/matrix/catalogue.h"
#include "harness/runner/matrix/matrix_run.h"

namespace streamcts::cli {

namespace {

using json = nlohmann::ordered_json;

void print_text(const std::vector<runner::fault>& faults) {
  std::size_t benign = 0;
  for (const runner::fault& each : faults) {
    if (each.benign) ++benign;
    fmt::print("{}  [{}{}]  {}\n  {}\n", each.id, each.fault_class,
               each.benign ? ", legal" : "", fmt::join(each.clauses, " "), each.sentence);
  }
  fmt::print("{} faults, {} legal oddities\n", faults.size() - benign, benign);
}

void print_json(const std::vector<runner::fault>& faults) {
  json all = json::array();
  for (const runner::fault& each : faults) {
    json made{{"id", each.id},
              {"class", each.fault_class},
              {"clauses", each.clauses},
              {"sentence", each.sentence},
              {"carriers", each.carriers},
              {"needs", each.needs},
              {"benign", each.benign}};
    if (!each.analogue.empty()) made["analogue"] = each.analogue;
    all.push_back(std::move(made));
  }
  fmt::print("{}\n", all.dump(1));
}

}  // namespace

int faults_list_command(const arguments& given) {
  const auto faults = runner::select_faults(
      runner::parse_catalogue(faults_json, "catalogue.json"), given.matrix.faults);
  if (given.format == output_format::json) {
    print_json(faults);
  } else {
    print_text(faults);
  }
  return 0;
}

int faults_matrix_command(const arguments& given, const runner::program_parts& program) {
  runner::matrix_request request = given.matrix;
  request.command = given.run.command;
  return runner::run_matrix(request, program, faults_json);
}

}  // namespace streamcts::cli
