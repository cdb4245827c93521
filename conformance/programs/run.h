// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream programs as cases: docs/programs.md.

#pragma once

#include <map>
#include <memory>

#include "harness/case/context.h"
#include "harness/program/executor/driver_search.h"

namespace streamcts {

/// The programs of one case: runs them on the driver under test, counts their holds for the clauses
/// behind the held item, and makes a case's failure of what fails.
class program_runs {
 public:
  explicit program_runs(case_context& context);
  ~program_runs();

  /// Runs a program; a failing one is made small. @return whether to go on
  bool run(const program::stream_program& program);
  /// Looks for a failing program for as long as @p limit.
  void search(std::uint64_t seed, std::chrono::nanoseconds limit);
  /// Ends the case as Inconclusive or NotSupported where nothing was shown; records what was done.
  void finish();

  /// The environment of programs in a session.
  static program::environment environment_of(case_context& context);

 private:
  void count(const program::ready_program& of, program::index held, hold_result result);
  void fail(const program::found_program& found);

  case_context& context_;
  std::unique_ptr<program::executor> executor_;
  std::unique_ptr<program::judge> judge_;
  /// Of the program that runs now: the case's clauses behind each held item.
  std::map<program::index, std::vector<clause_id>> behind_;
  const program::ready_program* counted_ = nullptr;
};

/// Cases that are not in the catalogue but named by the environment variable STREAMCTS_PROGRAMS, as
/// `streamcts program` sets it: sources separated by ';', each `file:PATH`, `range:ORIGIN+COUNT` or
/// `search:SECONDS+SEED`. Made once. @throws std::invalid_argument for anything else
const std::vector<case_instance>& given_programs();

}  // namespace streamcts
