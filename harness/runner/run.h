// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/case/axes.h"
#include "harness/runner/case_host.h"
#include "harness/runner/progress.h"
#include "harness/runner/target.h"
#include "reports/results/clauses.h"

namespace streamcts::runner {

/// `streamcts run`, as it was asked for.
struct run_request {
  target_request target;
  std::optional<streamcts::tier> run_tier;  ///< default: standard, quick on the reference
  std::vector<std::string> filters;
  std::uint64_t repeat = 1;
  std::optional<std::uint64_t> seed;  ///< default: another one each time
  std::optional<std::uint64_t> jobs;  ///< default: 1, the cores on the reference
  std::optional<std::chrono::milliseconds> timeout;
  bool fail_fast = false;
  bool retest = true;
  std::string out;            ///< default: streamcts-run-<time>
  std::string resume;         ///< a run folder to go on with
  std::string only;           ///< this case alone, and no run folder unless `out`: under ctest
  std::string before_child;   ///< a shell command
  progress_mode shown = progress_mode::automatic;
  std::vector<std::string> command;  ///< the command line
  /// Changes of the children's environment: the device that ctest chose.
  std::map<std::string, std::string> environment;
};

/// What the program knows of itself.
struct program_parts {
  runner::suite suite;
  installation where;
  results::clause_catalogue clauses;
  /// Why clauses have no case.
  std::map<std::string, std::string> reasons;
};

/// Runs what is asked for and reports it. @return the exit code
/// @throws usage_error, machine_error
int run(const run_request& request, const program_parts& program);

}  // namespace streamcts::runner
