// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/first_pass.h"

namespace streamcts::runner {

/// Runs one red case again, and concludes. Alone in a fresh process each time, ten times, a hang
/// twice. A case that was red among others and never alone: its batch up to it once more, and then
/// the search for the case before it that matters.
class retest_case {
 public:
  explicit retest_case(red_case found);

  /// What to run next; nothing once all is known.
  std::optional<std::vector<job_case>> next() const;
  /// How the last case of that job ended; nothing where it was not reached.
  void ended(std::optional<results::verdict> how);

  const red_case& found() const { return found_; }
  /// The record with what is known by now: incidence, and for what only counts when fresh processes
  /// agree (a refused call, a case that says of itself that it waited) perhaps another verdict.
  results::case_record conclusion() const;

 private:
  enum class stage { alone, batch, search, over };

  bool wanted_alone() const;
  void move_on();
  std::vector<job_case> from_position(std::size_t first) const;

  red_case found_;
  stage stage_ = stage::alone;
  std::uint64_t alone_wanted_;
  std::uint64_t alone_runs_ = 0;
  std::uint64_t alone_red_ = 0;
  /// Of the search: with the cases from `low_` on in front it is red, with those from `high_` on not.
  std::size_t low_ = 0;
  std::size_t high_ = 0;
  bool batch_red_ = false;
};

struct retest_options {
  std::chrono::milliseconds budget = std::chrono::seconds(60);
  std::size_t cases_a_clause = 3;
};

/// Runs red cases again, within a time, and records each anew.
class retest_pass : public job_source {
 public:
  retest_pass(std::vector<red_case> red, const retest_options& options, record_sink& sink);

  std::optional<job> next() override;
  void case_ended(const job& from, std::size_t index, case_end end) override;
  void job_ended(job from, std::size_t ended, const start_problem& problem) override;

  std::size_t waiting() const { return waiting_.size() + running_.size(); }

 private:
  struct in_progress {
    retest_case work;
    std::optional<results::verdict> how;
  };
  bool out_of_time() const { return std::chrono::steady_clock::now() >= end_; }

  record_sink& sink_;
  std::chrono::steady_clock::time_point end_;
  std::deque<retest_case> waiting_;
  std::map<std::uint64_t, in_progress> running_;  ///< by the tag of its job
  std::uint64_t next_tag_ = 1;
};

}  // namespace streamcts::runner
