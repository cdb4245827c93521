// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The run folder: what a run leaves on disk, and the truth from which every report is made.
//
//   plan.json           at the start: what is tested, on what, and the cases in order
//   cases.jsonl         a record a line, appended as each case ends
//   observations.jsonl  an observation a line
//   run.json            at the end: all of the above in one file, with the summary
//   report.html junit.xml summary.md
//
// A run that was killed leaves the first three, and they are enough.

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/results/error.h"
#include "reports/results/file.h"
#include "reports/results/run.h"

namespace streamcts::results {

inline constexpr std::string_view plan_file = "plan.json";
inline constexpr std::string_view cases_file = "cases.jsonl";
inline constexpr std::string_view observations_file = "observations.jsonl";
inline constexpr std::string_view run_file = "run.json";
inline constexpr std::string_view html_file = "report.html";
inline constexpr std::string_view junit_file = "junit.xml";
inline constexpr std::string_view markdown_file = "summary.md";

/// Text of plan.json: run_info and the planned cases. Records are not in it.
std::string plan_text(const run& value);
/// Text of run.json: the folded cases, the observations and the summary.
std::string run_text(const run& value);
/// A line of cases.jsonl, with its line feed and no other.
std::string record_line(const case_record& value);
/// A line of observations.jsonl, with its line feed and no other.
std::string observation_line(const observation& value);

/// The inverses. @p name stands in messages. @throws results_error
case_record parse_record(std::string_view text, std::string_view name);
observation parse_observation(std::string_view text, std::string_view name);
/// Reads the text of plan.json or run.json.
run parse_run(std::string_view text, std::string_view name);

/// Reads a run folder, or a run.json alone. Records come from cases.jsonl, and from run.json only
/// where there is no cases.jsonl. Whatever can be read is read: a torn or damaged line, a missing
/// plan or a broken run.json become entries of run::damages.
/// @throws results_error where @p path is no run at all.
run load_run(const std::filesystem::path& path);

}  // namespace streamcts::results
