// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// One run of the kill matrix. Private to matrix_run.

#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/runner/matrix/matrix_run.h"
#include "harness/runner/matrix/trial_loop.h"
#include "harness/runner/progress.h"
#include "harness/runner/signal_watch.h"
#include "reports/matrix/matrix.h"
#include "reports/results/file.h"

namespace streamcts::runner {

class matrix_session {
 public:
  matrix_session(const matrix_request& request, const program_parts& program,
                 std::string_view catalogue_json);
  int go();

 private:
  using clock = std::chrono::steady_clock;

  void read_resumed();
  void choose_driver();
  void find_driver();
  void check_resumed(const results::run_info& then) const;
  void choose_faults();
  void choose_cases();
  void open_folder();
  void say_what() const;
  void run_baseline();
  void take_baseline();
  void set_conditions();
  void run_faults();
  std::unique_ptr<trial> next_trial();
  case_queue queue_for(const fault& of, const std::vector<timed_case>& cases) const;
  void add(const reports::fault_record& record);
  void add_killed(const reports::fault_record& record);
  void show();
  void write() const;
  int conclude();

  const matrix_request& request_;
  const program_parts& program_;
  const std::vector<fault> catalogue_;
  signal_watch signals_;
  progress shown_;
  clock::time_point start_ = clock::now();

  reports::matrix matrix_;
  trial_setup setup_;
  trial_options options_;
  hold_kind holds_ = hold_kind::gates;
  std::vector<std::string> case_filters_;
  tier tier_ = tier::quick;
  std::size_t jobs_ = 1;
  target target_;
  std::vector<fault> faults_;  ///< all of the plan
  std::deque<const fault*> left_;
  std::vector<const case_instance*> cases_;
  std::vector<timed_case> usable_;  ///< cases that passed the baseline
  std::set<std::string> red_clauses_;  ///< a check of them failed in the baseline
  trial_conditions hasty_;  ///< for faults
  trial_conditions calm_;   ///< for oddities: all that is allowed, however slow
  std::filesystem::path folder_;
  std::optional<results::line_file> lines_;
  std::string why_ended_;
};

}  // namespace streamcts::runner
