// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/case/axes.h"
#include "harness/runner/matrix/matrix_run.h"
#include "harness/runner/run.h"

namespace streamcts::cli {

/// What `streamcts program` is to do.
struct program_arguments {
  std::vector<std::string> files;  ///< files or ids
  std::uint64_t seconds = 60;      ///< search
  std::uint64_t seed = 1;          ///< search
  std::uint64_t slots = 0;         ///< 0: as the executor has it
};

enum class output_format { text, json, ctest };

/// The command line, read.
struct arguments {
  enum class command {
    help, run, probe, list, clauses, devices, report, doctor, faults_list, faults_matrix,
    program_run, program_replay, program_search, program_explain, program_emit, version
  };
  command what = command::help;
  std::string help;  ///< text to print, for `help`

  runner::run_request run;        ///< run
  runner::target_request target;  ///< probe, devices, doctor
  std::string before_child;       ///< probe
  std::string out;                ///< probe
  std::optional<tier> up_to;      ///< list
  std::vector<std::string> filters;  ///< list
  output_format format = output_format::text;  ///< list, clauses, devices
  std::string work_folder;        ///< list --format ctest
  bool uncovered = false;         ///< clauses
  std::string folder;             ///< report
  program_arguments programs;     ///< program
  runner::matrix_request matrix;  ///< faults; of its list the faults alone
};

/// @throws runner::usage_error in one line for whatever cannot be understood
arguments parse_arguments(int count, const char* const* words);

}  // namespace streamcts::cli
