// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <optional>

#include "harness/case/registry.h"
#include "harness/observe/calibration.h"

namespace streamcts::runner {

/// After how long the watchdog comes. Limits end what hangs; no verdict but Hang depends on them.
struct time_limits {
  using duration = std::chrono::milliseconds;

  streamcts::calibration limits;
  tier run_tier = tier::quick;
  /// What the user wants for each case (--timeout), in place of what is calculated.
  std::optional<duration> timeout;
  /// How long the probe's child took to start.
  duration start{300};
  /// How long a child may take to start, in place of what is calculated.
  std::optional<duration> start_timeout;

  /// How much slower than assumed this driver is, from 1 to 10.
  double factor() const;
  duration of(const case_definition& definition) const;
  /// Until a child has loaded the driver and has a context.
  duration of_start() const;
  /// From a child's last case until it is gone.
  duration of_leaving() const { return std::chrono::seconds(10); }
};

/// The most that time_limits::of() can be without a --timeout, for ctest's own limit.
time_limits::duration longest_limit(const case_definition& definition);

}  // namespace streamcts::runner
