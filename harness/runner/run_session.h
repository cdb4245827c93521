// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// The steps of `streamcts run`. Private to the runner.

#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "harness/runner/first_pass.h"
#include "harness/runner/limits.h"
#include "harness/runner/progress.h"
#include "harness/runner/run.h"
#include "harness/runner/run_folder.h"
#include "harness/runner/signal_watch.h"

namespace streamcts::runner {

class run_session {
 public:
  run_session(const run_request& request, const program_parts& program);
  int go();

 private:
  using clock = std::chrono::steady_clock;

  /// Keeps records in the folder and shows them.
  class shown_folder : public record_sink {
   public:
    shown_folder(run_folder& folder, progress& shown) : folder_(folder), shown_(shown) {}
    void add(const results::case_record& record) override {
      folder_.add(record);
      shown_.record(record);
    }
    void add(const results::observation& observation) override { folder_.add(observation); }

   private:
    run_folder& folder_;
    progress& shown_;
  };

  void read_resumed();
  void find_driver();
  void check_resumed() const;
  void select();
  void open_folder();
  void say_what() const;
  results::run_info describe() const;
  std::vector<job> planned_jobs() const;
  std::size_t open_runs(const std::vector<job>& jobs) const;
  std::string replay(const job_case& of) const;
  time_limits limits() const;
  void run_cases();
  /// Reports of a run that ended by an error.
  void leave_what_there_is();
  int conclude();
  int conclude_alone() const;

  const run_request& request_;
  const program_parts& program_;
  signal_watch signals_;
  progress shown_;
  launcher launcher_;
  clock::time_point start_ = clock::now();

  std::optional<results::run> resumed_;
  results::run_options options_;  ///< as settled
  target target_;
  tier tier_ = tier::quick;
  std::vector<const case_instance*> cases_;
  std::unique_ptr<run_folder> folder_;
  std::string why_ended_;  ///< before its time; empty where it was not
};

}  // namespace streamcts::runner
