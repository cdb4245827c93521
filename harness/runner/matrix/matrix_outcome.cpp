// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a matrix says and writes of what became of each fault, and of all.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/runner/errors.h"
#include "harness/runner/host_facts.h"
#include "harness/runner/matrix/matrix_session.h"
#include "reports/matrix/matrix_html.h"
#include "reports/matrix/matrix_json.h"

namespace streamcts::runner {

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

}  // namespace

void matrix_session::add(const reports::fault_record& record) {
  on_disk([&] { lines_->append(reports::fault_line(record)); });
  matrix_.faults.push_back(record);
  using reports::fault_outcome;
  switch (record.outcome) {
    case fault_outcome::killed: add_killed(record); break;
    case fault_outcome::green: break;
    case fault_outcome::masked:
      shown_.line(fmt::format("masked by {}  {}: {}", fmt::join(record.masked_by, ", "), record.id,
                              record.sentence));
      break;
    case fault_outcome::survived:
    case fault_outcome::not_reached:
      shown_.line(fmt::format("{:<11}  {}: {}", to_string(record.outcome), record.id,
                              record.sentence));
      break;
    case fault_outcome::false_alarm:
      shown_.line(fmt::format("false alarm  {}: {} {}", record.id, record.killed_by()->case_id,
                              record.killed_by()->expected));
      break;
  }
}

void matrix_session::add_killed(const reports::fault_record& record) {
  if (!record.right_clause()) {
    shown_.line(fmt::format("killed by another promise  {}: {} in {}", record.id,
                            record.killed_by()->clause, record.killed_by()->case_id));
  }
  if (record.repeats && record.repeats->killed < record.repeats->runs) {
    shown_.line(fmt::format("killed {} of {}  {}: {}", record.repeats->killed, record.repeats->runs,
                            record.id, record.killed_by()->case_id));
  }
}

void matrix_session::show() {
  const std::size_t done = matrix_.faults.size();
  std::string text = fmt::format("faults {}/{}", done, matrix_.planned.size());
  const auto& counts = reports::summarize(matrix_).all;
  if (counts.survived > 0) text += fmt::format(", {} survived", counts.survived);
  if (counts.false_alarms > 0) text += fmt::format(", {} false alarms", counts.false_alarms);
  shown_.phase(text);
  shown_.tick();
}

void matrix_session::write() const {
  on_disk([&] {
    results::write_file_atomically(folder_ / reports::matrix_file, reports::matrix_text(matrix_));
  });
}

int matrix_session::conclude() {
  shown_.clear();
  // In the order of the plan, whichever came first.
  std::map<std::string_view, std::size_t> places;
  for (const std::string& each : matrix_.planned) places.emplace(each, places.size());
  std::sort(matrix_.faults.begin(), matrix_.faults.end(), [&](const auto& a, const auto& b) {
    return places[a.id] < places[b.id];
  });
  results::run_info& info = matrix_.info;
  info.interrupted = why_ended_;
  info.finished = why_ended_.empty() ? utc_now() : std::string();
  info.seconds += std::chrono::duration<double>(clock::now() - start_).count();
  write();
  on_disk([&] {
    results::write_file_atomically(folder_ / reports::matrix_html_file,
                                   reports::matrix_html(matrix_, program_.clauses));
  });
  const reports::matrix_summary summary = reports::summarize(matrix_);
  if (!why_ended_.empty()) {
    fmt::print("ended before its time: {}; go on with '--resume {}'\n", why_ended_,
               folder_.string());
  }
  fmt::print("{}\n", summary.sentence);
  if (summary.all.killed > 0) {
    fmt::print("{} of {} by a check of their own promise; seconds to kill: median {:.2f}, most "
               "{:.2f}\n",
               summary.all.right_clause, summary.all.killed, summary.median_seconds_to_kill,
               summary.max_seconds_to_kill);
  }
  if (summary.repeated > 0) {
    fmt::print("{} of {} were killed in each of {} repeats\n", summary.always_repeated,
               summary.repeated, options_.repeat);
  }
  fmt::print("report: {}\n", (folder_ / reports::matrix_html_file).string());
  return summary.exit_code;
}

}  // namespace streamcts::runner
