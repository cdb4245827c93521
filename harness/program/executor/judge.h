// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs a program in all the ways in which a defect may show, and says what was broken.

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "harness/program/executor/executor.h"
#include "harness/program/explain.h"
#include "harness/program/shrink.h"

namespace streamcts::program {

/// A run in which a check failed.
struct driver_failure {
  stream_program program;  ///< with a `hold` line where an item was held
  history seen;
  violation found;  ///< the first
  explanation why;
  failure_signature signature;
  /// The run did not finish, and the process is of no more use.
  bool stuck = false;
};

struct judge_counts {
  std::uint64_t programs = 0, runs = 0, holds = 0;
  std::uint64_t by_canary = 0, by_time = 0;            ///< holds that were opportunities
  std::map<std::string, std::uint64_t> missed;         ///< holds that were none, by reason
  std::map<std::string, std::uint64_t> not_supported;  ///< programs left out, by what is lacking
};

/// For one thread's use.
class judge {
 public:
  /// Hears of each hold.
  using hold_listener = std::function<void(const ready_program&, index held, hold_result)>;

  explicit judge(executor& by) : executor_(by) {}

  /// One run as it comes, and one for each item held. Returns the first failure.
  ///
  /// Where enqueuing calls wait for gates one hold after another, most programs are run without
  /// holds: more of them would show nothing.
  /// @pre @p program is valid. @throws driver::call_error as executor::run()
  std::optional<driver_failure> run(const stream_program& program);

  void always_hold_long(bool yes) { executor_.always_hold_long(yes); }
  const judge_counts& counts() const { return counts_; }
  void on_hold(hold_listener listener) { listener_ = std::move(listener); }

 private:
  std::optional<driver_failure> examine(const ready_program& program, run_outcome outcome,
                                        index held);
  bool count(const ready_program& program, const run_outcome& outcome, index held);
  bool waits_again(const std::shared_ptr<const ready_program>& program, index held);
  bool worth_holding();

  executor& executor_;
  judge_counts counts_;
  hold_listener listener_;
  unsigned blocked_in_a_row_ = 0;
};

/// An oracle for the shrinker. Runs each candidate up to @p times, until it fails; nothing fails
/// any more once @p over says so.
oracle driver_oracle(judge& by, unsigned times, std::function<bool()> over);

}  // namespace streamcts::program
