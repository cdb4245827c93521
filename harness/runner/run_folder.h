// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <optional>

#include "harness/runner/record_sink.h"
#include "reports/results/clauses.h"
#include "reports/results/folder.h"

namespace streamcts::runner {

/// A run while it is made: all of it in memory, and on disk as it grows.
///
/// A record is on the disk before add() returns. What cannot be written ends the run with one line;
/// what was written before stays readable.
class run_folder : public record_sink {
 public:
  /// A run that leaves nothing on disk.
  explicit run_folder(results::run_info info);
  /// Makes @p path, which must not hold a run yet, and writes the plan into it.
  /// @throws usage_error where it holds a run, machine_error where it cannot be written
  run_folder(std::filesystem::path path, results::run_info info,
             std::vector<results::planned_case> planned);
  /// Goes on with a run that was read from @p path.
  run_folder(std::filesystem::path path, results::run so_far);

  void add(const results::case_record& record) override;
  void add(const results::observation& observation) override;

  const results::run& run() const { return run_; }
  results::run& run() { return run_; }
  /// Empty where nothing is on disk.
  const std::filesystem::path& path() const { return path_; }

  /// Writes run.json and all reports. @throws machine_error
  void finish(const results::clause_catalogue& catalogue);

 private:
  void open_files();

  std::filesystem::path path_;
  results::run run_;
  std::optional<results::line_file> cases_;
  std::optional<results::line_file> observations_;
};

/// Makes every report of @p run anew in @p folder. @throws results::results_error
void write_reports(const results::run& run, const results::clause_catalogue& catalogue,
                   const std::filesystem::path& folder);

}  // namespace streamcts::runner
