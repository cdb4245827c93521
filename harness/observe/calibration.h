// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstdint>

namespace streamcts {

/// How the victim of a hold is kept back. All but `gates` exist to be compared with it
/// (docs/detection.md): they only raise the odds that a defect shows, and prove no opportunity.
enum class hold_kind {
  gates,   ///< shut until everything else had its chance, then opened
  none,    ///< not at all
  equal,   ///< for `equal_delay` from when its turn has come
  random,  ///< for a time of its own, between the two `random_delay`s, log-uniform
};

/// What this machine and driver need, measured once by the probe. Limits come from here, never from
/// guesses: stand-ins for a driver may be a thousand times slower than hardware.
struct calibration {
  using duration = std::chrono::nanoseconds;

  /// Gate opened by the host -> host call behind it starts: median and 99.9 % quantile.
  duration host_call_latency_median{std::chrono::microseconds(50)};
  duration host_call_latency_p999{std::chrono::microseconds(500)};
  /// One enqueuing call.
  duration enqueue_median{std::chrono::microseconds(5)};
  /// Speed of an asynchronous copy from device to pinned memory.
  double copy_bytes_per_second = 1e9;

  hold_kind holds = hold_kind::gates;
  /// By how much gates expire and patience ends sooner than usual, 1 or more. The kill matrix is in
  /// haste: each fault by which something waits for ever would cost a whole patience.
  double haste = 1;

  static constexpr duration equal_delay{std::chrono::milliseconds(2)};
  static constexpr duration least_random_delay{std::chrono::microseconds(10)};
  static constexpr duration greatest_random_delay{std::chrono::milliseconds(20)};

  /// How long a victim is delayed where it is not gated.
  /// @param chance uniform in [0, 1), for random delays
  duration delay(double chance) const;

  /// How long after the canary has run a gate stays shut.
  duration margin() const;
  /// How long a gate stays shut where no canary runs: opportunity by calibrated hold.
  duration hold() const;
  /// After how long the gatekeeper opens a gate although the enqueuing thread is still inside a
  /// call: the call waits for the gate, so the hold shows nothing.
  duration enqueue_cap() const;
  /// After how long a gate expires by itself, when even the gatekeeper is gone.
  duration gate_timeout() const;
  /// How long to wait for something that must happen before it is called a hang.
  duration patience() const;
};

}  // namespace streamcts
