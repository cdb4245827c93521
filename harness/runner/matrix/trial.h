// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "harness/runner/matrix/case_order.h"
#include "harness/runner/matrix/catalogue.h"
#include "harness/runner/worker.h"
#include "reports/matrix/matrix.h"

namespace streamcts::runner {

struct trial_options {
  std::uint64_t seed = 1;
  std::size_t batch = 64;   ///< cases that share a child, at most
  bool all_kills = false;   ///< run every case, whatever was red
  std::uint64_t repeat = 1; ///< so often in all is the case that noticed the fault run
  /// How long to look for a check of the right clause once some other was red.
  std::chrono::milliseconds second_look = std::chrono::seconds(20);
  /// After how long the trial ends with what it has found; zero for never.
  std::chrono::milliseconds budget{0};
};

/// The cases against one fault, until it is known what became of it.
///
/// A red case is a kill; nothing else is. The trial ends with the first one whose failed check is of
/// a clause of the fault. One of another clause is kept, and from then on only the fault's own cases
/// are tried, for a while. Then, where that is wanted, the case that counts is run again.
class trial : public job_listener {
 public:
  using clock = std::chrono::steady_clock;

  trial(const fault& of, case_queue order, const trial_options& options);

  /// What the next child is to do; nothing where all is known. Starts the clock.
  std::optional<job> next();
  /// The child that runs now has nothing more to tell and may be killed.
  bool interrupted() const { return interrupted_; }

  void case_ended(const job& from, std::size_t index, case_end end) override;
  void job_ended(job from, std::size_t ended, const start_problem& problem) override;

  /// What became of the fault. @param reached how often it took effect. Without a red case it is masked
  /// where the queue says so, whether it took effect or not.
  reports::fault_record result(std::uint64_t reached) const;
  const fault& of() const { return fault_; }

 private:
  enum class phase { looking, repeating, over };

  void judge(const job_case& run, const case_end& end);
  void add_kill(const job_case& run, const case_end& end);
  void again(const case_end& end);
  void settle();
  bool right(const job_case& run, const case_end& end) const;
  std::optional<job> next_batch();

  const fault fault_;
  trial_options options_;
  const std::vector<std::string> masked_;  ///< clauses that nobody can tell of here
  phase phase_ = phase::looking;
  bool interrupted_ = false;
  std::deque<job_case> left_;
  std::set<const case_instance*> own_;
  const case_instance* killer_ = nullptr;  ///< of the kill that counts
  reports::fault_record record_;
  std::optional<clock::time_point> start_;
  std::optional<clock::time_point> second_look_until_;
  std::size_t planned_ = 0;
  clock::time_point end_;
  int start_failures_ = 0;
};

}  // namespace streamcts::runner
