// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/limits.h"

#include <algorithm>

namespace streamcts::runner {

namespace {

using namespace std::chrono_literals;
using duration = time_limits::duration;

constexpr double greatest_factor = 10;
constexpr duration greatest_start = 300s;

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int sanitizer_factor = 4;
#else
constexpr int sanitizer_factor = 1;
#endif

int tier_factor(tier value) { return value == tier::stress ? 10 : value == tier::standard ? 2 : 1; }

duration scaled(duration value, double factor) {
  return duration(static_cast<duration::rep>(static_cast<double>(value.count()) * factor));
}

}  // namespace

double time_limits::factor() const {
  // The defaults of a calibration are what the limits of cases assume.
  const streamcts::calibration assumed;
  const auto ratio = [](auto measured, auto of) {
    return static_cast<double>(measured.count()) / static_cast<double>(of.count());
  };
  const double slowest =
      std::max({1.0, ratio(limits.host_call_latency_median, 4 * assumed.host_call_latency_median),
                ratio(limits.enqueue_median, 4 * assumed.enqueue_median),
                assumed.copy_bytes_per_second / (4 * std::max(1.0, limits.copy_bytes_per_second))});
  return std::min(slowest, greatest_factor);
}

duration time_limits::of(const case_definition& definition) const {
  if (timeout) return *timeout;
  const duration base = definition.time_limit * tier_factor(run_tier) * sanitizer_factor;
  // A case that waits out its patience says more than a watchdog: it must have the time to.
  const auto patience = std::chrono::ceil<duration>(limits.patience());
  return std::max(scaled(base, factor()), 2 * patience);
}

duration time_limits::of_start() const {
  if (start_timeout) return *start_timeout;
  return std::clamp<duration>(20 * start, 60s, greatest_start) * sanitizer_factor;
}

duration longest_limit(const case_definition& definition) {
  time_limits slowest;
  slowest.run_tier = tier::stress;
  slowest.limits.enqueue_median = 1s;
  return slowest.of(definition);
}

}  // namespace streamcts::runner
