// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>

#include "harness/runner/signal_watch.h"
#include "harness/runner/worker.h"

namespace streamcts::runner {

/// Where jobs come from, and where their results go.
class job_source : public job_listener {
 public:
  /// The next job; nothing where none is ready now, perhaps until one in progress has ended.
  virtual std::optional<job> next() = 0;
  /// True ends the loop at once; children are killed.
  virtual bool stopped() const { return false; }
};

struct loop_options {
  std::size_t jobs = 1;
  /// Called about once in `tick_every`, and after whatever happens.
  std::function<void()> tick;
  std::chrono::milliseconds tick_every{500};
};

/// Runs jobs, several children at once, until the source has no more, has stopped, or a signal asks
/// to end; then @p signals says so. Single-threaded. Exceptions of the source end the loop.
void run_jobs(job_source& source, const launcher& from, const host_order& host,
              const time_limits& limits, const loop_options& options, signal_watch& signals);

}  // namespace streamcts::runner
