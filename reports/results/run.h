// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A run as a whole: what was tested, on what, with which options, and all that was recorded.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results/record.h"
#include "reports/results/verdict.h"

namespace streamcts::results {

/// Value of `schema` in plan.json and run.json. The number grows when old readers would misread.
inline constexpr std::string_view schema_name = "streamcts-run/1";

struct suite_info {
  std::string version;
  std::string git;  ///< Commit, with "-dirty" where the tree was changed; empty where unknown.

  bool operator==(const suite_info&) const = default;
};

/// A file mapped into the child that answers for CUDA.
struct mapped_file {
  std::string path;
  std::string build_id;

  bool operator==(const mapped_file&) const = default;
};

struct driver_info {
  std::string requested;  ///< As on the command line: "system", "reference" or a path.
  std::string path;
  std::string version;  ///< "13.0", as the driver answers.
  std::string build_id;
  std::string runtime_requested;  ///< As on the command line; "none" where it was refused.
  std::string runtime_path;  ///< Empty where no runtime is under test; then runtime_note says why.
  std::string runtime_version;
  std::string runtime_note;
  std::vector<mapped_file> mapped_files;

  bool operator==(const driver_info&) const = default;
};

struct device_info {
  std::string name;
  std::string uuid;
  std::string compute_capability;                 ///< "9.0"
  std::map<std::string, std::string> attributes;  ///< By the names of the documentation.

  bool operator==(const device_info&) const = default;
};

/// True for the reference driver's device, which proves nothing about hardware. It is known by its
/// name, never by a path.
bool is_reference(const device_info& device);

struct environment_info {
  std::string os;
  std::string kernel;
  std::string cpu;
  std::uint64_t cores = 0;
  std::map<std::string, std::string>
      variables;  ///< STREAMCTS_*, CUDA_*, LD_PRELOAD and their like.

  bool operator==(const environment_info&) const = default;
};

struct run_options {
  std::vector<std::string> command;  ///< The command line, an argument each.
  std::string tier;
  std::vector<std::string> filters;
  std::uint64_t seed = 0;
  std::uint64_t repeat = 1;
  std::uint64_t jobs = 1;
  double timeout_seconds = 0;  ///< Zero: calibrated.
  bool fail_fast = false;

  bool operator==(const run_options&) const = default;
};

/// All of a run that is known before its first case, and when it ended.
struct run_info {
  suite_info suite;
  driver_info driver;
  device_info device;
  environment_info environment;
  run_options options;
  /// What the probe child found: capability and value.
  std::map<std::string, std::string> capabilities;
  /// What was measured on this machine: quantity and value with its unit.
  std::map<std::string, std::string> calibration;
  /// Clauses of which no case was planned, and why.
  std::map<std::string, std::string> uncovered_clauses;
  std::string started;      ///< ISO 8601, UTC.
  std::string finished;     ///< Empty where the run did not come to its end.
  double seconds = 0;       ///< Of the whole run.
  std::string interrupted;  ///< Why it ended early ("SIGINT"); empty where it did not.

  bool operator==(const run_info&) const = default;
};

/// A case that the run set out to do.
struct planned_case {
  std::string id;
  std::vector<std::string> clauses;
  std::string tier;

  bool operator==(const planned_case&) const = default;
};

/// Something in a run folder that could not be read.
struct damage {
  std::string file;      ///< Name within the folder.
  std::size_t line = 0;  ///< From 1; zero for the file as a whole.
  std::string what;

  bool operator==(const damage&) const = default;
};

/// A run, as read from its folder.
struct run {
  run_info info;
  std::vector<planned_case> planned;  ///< In the order of the plan, each id once.
  std::vector<case_record> records;   ///< As written; an id may have several (see folded_cases()).
  std::vector<observation> observations;
  std::vector<damage> damages;

  bool operator==(const run&) const = default;
};

struct run_summary {
  verdict_counts counts;
  std::size_t planned = 0;
  std::size_t not_reached = 0;
  int exit_code = exit_no_verdict;

  bool operator==(const run_summary&) const = default;
};

/// One record for each case, in the order of the plan (cases that were not planned come last).
///
/// Of several records with one id and one `repeat` the last wins: a retest or a resumed run knows
/// more than the line before it. Different repeats are added up: the worst verdict stays, with the
/// evidence of the first repeat that had it; rounds, seconds and opportunities are sums; a case
/// that was red in any repeat says in how many of all runs.
std::vector<case_record> folded_cases(const run& value);

/// Planned cases without any record, in the order of the plan.
std::vector<planned_case> not_reached(const run& value);

/// Counts over folded_cases(), and the exit code.
run_summary summarise(const run& value);

}  // namespace streamcts::results
