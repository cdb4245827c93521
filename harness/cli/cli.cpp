// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/cli.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "harness/cli/commands.h"
#include "harness/cli/embedded.h"
#include "harness/runner/child_main.h"
#include "harness/runner/coverage.h"
#include "harness/runner/errors.h"
#include "reports/results/error.h"

namespace streamcts::cli {

namespace {

int dispatch(const arguments& given, const runner::suite& suite) {
  runner::program_parts program;
  program.suite = suite;
  program.where = runner::installation::of_this_process();
  program.clauses = results::parse_clauses(clauses_json, "clauses.json");
  program.reasons = runner::parse_reasons(reasons_json, "reasons.json");
  switch (given.what) {
    case arguments::command::help: fmt::print("{}", given.help); return 0;
    case arguments::command::run: return run_command(given, program);
    case arguments::command::probe: return probe_command(given, program);
    case arguments::command::list: return list_command(given, program);
    case arguments::command::clauses: return clauses_command(given, program);
    case arguments::command::devices: return devices_command(given, program);
    case arguments::command::report: return report_command(given, program);
    case arguments::command::doctor: return doctor_command(given, program);
    case arguments::command::faults_list: return faults_list_command(given);
    case arguments::command::faults_matrix: return faults_matrix_command(given, program);
    case arguments::command::program_run:
    case arguments::command::program_replay:
    case arguments::command::program_search:
    case arguments::command::program_explain:
    case arguments::command::program_emit: return program_command(given, program);
    case arguments::command::version: return version_command();
  }
  return 0;
}

int complain(std::string_view message, int exit_code) {
  std::fflush(stdout);
  fmt::print(stderr, "streamcts: {}\n", message);
  return exit_code;
}

}  // namespace

int cli_main(int count, char** words, const runner::suite& suite) {
  if (count == 2 && std::string_view(words[1]) == "child") runner::child_main(suite);
  try {
    const int exit_code = dispatch(parse_arguments(count, words), suite);
    // A full disk shows here at the latest: nothing is silently lost.
    if (std::fflush(stdout) != 0) return complain("stdout cannot be written", 2);
    return exit_code;
  } catch (const runner::runner_error& error) {
    return complain(error.what(), error.exit_code());
  } catch (const results::results_error& error) {
    return complain(error.what(), 2);
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}; please report it", error.what()), 2);
  }
}

}  // namespace streamcts::cli
