// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/runner/errors.h"
#include "harness/runner/run_folder.h"
#include "reports/digest/digest.h"

namespace streamcts::cli {

namespace {

results::run load(const std::string& folder) {
  try {
    return results::load_run(folder);
  } catch (const results::results_error& error) {
    throw runner::usage_error(error.what());
  }
}

}  // namespace

int report_command(const arguments& given, const runner::program_parts& program) {
  const results::run run = load(given.folder);
  std::filesystem::path folder(given.folder);
  if (!std::filesystem::is_directory(folder)) folder = folder.parent_path();
  try {
    runner::write_reports(run, program.clauses, folder);
  } catch (const results::results_error& error) {
    throw runner::machine_error(error.what());
  }
  const reports::digest all = reports::make_digest(run, program.clauses);
  for (const std::string& each : all.warnings) fmt::print("{}\n", each);
  fmt::print("{}\n{}\nreport: {}\n", all.sentence, all.detail,
             (folder / results::html_file).string());
  return 0;
}

}  // namespace streamcts::cli
