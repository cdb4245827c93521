// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/runner/ctest.h"
#include "harness/runner/environment.h"
#include "harness/runner/errors.h"
#include "harness/runner/run_info.h"
#include "reports/results/file.h"

namespace streamcts::cli {

namespace {

void print_facts(const runner::probe_facts& facts) {
  const driver::capabilities& have = facts.capabilities;
  fmt::print("driver {} ({}), device {}\n", have.driver_path,
             runner::version_text(have.driver_version), have.device_name);
  for (const driver::feature each : driver::all_features()) {
    const driver::ability& ability = have.of(each);
    fmt::print("  {:<26} {}\n", driver::to_string(each),
               ability.works ? "works" : "no: " + ability.reason);
  }
  for (const auto& [name, value] : runner::calibration_texts(facts)) {
    fmt::print("  {:<26} {}\n", name, value);
  }
}

}  // namespace

int probe_command(const arguments& given, const runner::program_parts& program) {
  const auto environment = runner::current_environment();
  const runner::launcher children(
      {program.where.program,
       {"child"},
       runner::child_environment(environment, runner::allotted_devices(environment))},
      given.before_child);
  runner::signal_watch signals;
  const runner::target found =
      runner::find_target(given.target, program.where, children, signals);
  const std::string text = runner::facts_text(found.facts);
  if (given.out == "-") {
    fmt::print("{}", text);
    return 0;
  }
  try {
    results::write_file_atomically(given.out, text);
  } catch (const results::results_error& error) {
    throw runner::machine_error(fmt::format("--out {}", error.what()));
  }
  if (found.facts.capabilities.is_reference()) fmt::print("{}", runner::reference_banner);
  print_facts(found.facts);
  return 0;
}

}  // namespace streamcts::cli
