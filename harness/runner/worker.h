// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/runner/child_process.h"
#include "harness/runner/job.h"
#include "harness/runner/launcher.h"
#include "harness/runner/limits.h"
#include "harness/runner/messages.h"

namespace streamcts::runner {

/// Why a child did not start; an empty text where it did.
struct start_problem {
  start_failure cause = start_failure::other;
  std::string text;
};

/// Who hears what becomes of a job. All calls come on the thread of the worker.
class job_listener {
 public:
  virtual ~job_listener() = default;
  /// A case has ended; the child waits until this returns before it starts the next. Comes a second
  /// time for the last case where its child then dies of something that the case left behind.
  virtual void case_ended(const job& from, std::size_t index, case_end end) = 0;
  /// The child is gone, and so many cases have an end.
  virtual void job_ended(job from, std::size_t ended, const start_problem& problem) = 0;
};

/// One child and the job that it is doing.
///
/// The one thread of the run calls attend() when there is something to read or the deadline has
/// come. Only the watchdog's look at the stacks takes long, three seconds at most.
class worker {
 public:
  using clock = std::chrono::steady_clock;

  /// Starts a child for @p what. @throws machine_error
  worker(const launcher& from, const host_order& host, const time_limits& limits, job what,
         job_listener& listener);

  /// Adds what to wait for.
  void add_to(std::vector<pollfd>& descriptors) const;
  /// When attend() is due although nothing has come.
  clock::time_point deadline() const { return deadline_; }
  /// Reads what is there, hears of an end, acts on the deadline.
  void attend();
  /// The child is gone and job_ended() was called.
  bool over() const { return phase_ == phase::over; }

 private:
  enum class phase { starting, released, running, leaving, over };

  void read_output();
  void handle(const std::string& line);
  void end_case(child_message message);
  void release_next();
  void lost(const std::string& why);
  void conclude(results::verdict verdict, const std::string& what, std::vector<std::string> stacks);
  void expire();
  case_end make_end(results::verdict verdict, std::string reason);

  const time_limits& limits_;
  job job_;
  job_listener& listener_;
  std::unique_ptr<child_process> child_;
  phase phase_ = phase::starting;
  std::size_t next_ = 0;  ///< the case that is running or comes next
  clock::time_point deadline_;
  clock::time_point released_at_;
  bool closing_ = false;  ///< the channel is closed although the child lives
};

results::verdict verdict_of(case_result result);

}  // namespace streamcts::runner
