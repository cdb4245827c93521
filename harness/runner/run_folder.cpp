// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/run_folder.h"

#include <fmt/format.h>

#include "harness/runner/errors.h"
#include "reports/digest/digest.h"
#include "reports/html/html_report.h"
#include "reports/junit/junit_report.h"
#include "reports/markdown/markdown_report.h"

namespace streamcts::runner {

namespace fs = std::filesystem;

namespace {

/// What the disk refuses is this machine's fault: one line, exit code 2.
template <typename Action>
void on_disk(Action&& action) {
  try {
    action();
  } catch (const results::results_error& error) {
    throw machine_error(error.what());
  }
}

bool holds_run(const fs::path& path) {
  std::error_code ignored;
  for (const auto name : {results::plan_file, results::cases_file, results::run_file}) {
    if (fs::exists(path / name, ignored)) return true;
  }
  return false;
}

}  // namespace

run_folder::run_folder(results::run_info info) { run_.info = std::move(info); }

run_folder::run_folder(fs::path path, results::run_info info,
                       std::vector<results::planned_case> planned)
    : path_(std::move(path)) {
  run_.info = std::move(info);
  run_.planned = std::move(planned);
  if (holds_run(path_)) {
    throw usage_error(fmt::format(
        "--out {}: holds a run already; take another folder, or go on with '--resume {}'",
        path_.string(), path_.string()));
  }
  std::error_code failed;
  fs::create_directories(path_, failed);
  if (failed) {
    throw machine_error(fmt::format(
        "--out {}: cannot be made ({}); take a folder that can be written", path_.string(),
        failed.message()));
  }
  on_disk([&] {
    results::write_file_atomically(path_ / results::plan_file, results::plan_text(run_));
  });
  open_files();
}

run_folder::run_folder(fs::path path, results::run so_far)
    : path_(std::move(path)), run_(std::move(so_far)) {
  open_files();
}

void run_folder::open_files() {
  on_disk([&] {
    cases_.emplace(path_ / results::cases_file);
    observations_.emplace(path_ / results::observations_file);
  });
}

void run_folder::add(const results::case_record& record) {
  if (cases_) on_disk([&] { cases_->append(results::record_line(record)); });
  run_.records.push_back(record);
}

void run_folder::add(const results::observation& observation) {
  if (observations_) {
    on_disk([&] { observations_->append(results::observation_line(observation)); });
  }
  run_.observations.push_back(observation);
}

void run_folder::finish(const results::clause_catalogue& catalogue) {
  if (path_.empty()) return;
  on_disk([&] { write_reports(run_, catalogue, path_); });
}

void write_reports(const results::run& run, const results::clause_catalogue& catalogue,
                   const fs::path& folder) {
  results::write_file_atomically(folder / results::run_file, results::run_text(run));
  const reports::digest all = reports::make_digest(run, catalogue);
  results::write_file_atomically(folder / results::html_file, reports::html_report(all));
  results::write_file_atomically(folder / results::junit_file, reports::junit_report(all));
  results::write_file_atomically(folder / results::markdown_file, reports::markdown_report(all));
}

}  // namespace streamcts::runner
