// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "harness/driver/capabilities.h"
#include "harness/runner/record_sink.h"
#include "harness/runner/run_loop.h"

namespace streamcts::runner {

/// A case that was red, with what is needed to run it again.
struct red_case {
  job_case run;
  results::case_record record;
  std::vector<job_case> before;  ///< what its child had run before it, in order
};

/// Makes the command that replays a case.
using replay_maker = std::function<std::string(const job_case&)>;

/// Runs every case of the plan once and records it. A case whose needs are missing is recorded
/// without being run. After a crash or a hang the rest of the batch goes on in a new child.
class first_pass : public job_source {
 public:
  struct options {
    driver::capabilities have;
    bool fail_fast = false;
    bool will_retest = true;
  };

  first_pass(std::vector<job> jobs, options given, replay_maker replay, record_sink& sink);

  std::optional<job> next() override;
  bool stopped() const override { return !why_stopped_.empty(); }
  void case_ended(const job& from, std::size_t index, case_end end) override;
  void job_ended(job from, std::size_t ended, const start_problem& problem) override;

  /// Why it ended early; empty where it did not.
  const std::string& why_stopped() const { return why_stopped_; }
  /// Whether it ended because children no longer start.
  bool broken() const { return start_failures_ > most_start_failures; }
  /// Red cases so far; taken by who retests them.
  std::vector<red_case> take_red() { return std::move(red_); }

 private:
  static constexpr int most_start_failures = 2;

  /// Records the cases that cannot run and leaves the others.
  job runnable(job from);

  std::deque<job> jobs_;
  options options_;
  replay_maker replay_;
  record_sink& sink_;
  std::vector<red_case> red_;
  std::string why_stopped_;
  int start_failures_ = 0;
};

}  // namespace streamcts::runner
