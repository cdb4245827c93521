// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/calibration.h"

#include <algorithm>
#include <cmath>

namespace streamcts {

using namespace std::chrono_literals;
using duration = calibration::duration;

duration calibration::margin() const {
  return std::clamp<duration>(host_call_latency_p999, 200us, 20ms);
}

duration calibration::hold() const {
  return std::clamp<duration>(20 * host_call_latency_p999, 5ms, 500ms);
}

duration calibration::enqueue_cap() const {
  return std::clamp<duration>(500 * enqueue_median, 250ms, 2s);
}

duration calibration::gate_timeout() const {
  return std::chrono::duration_cast<duration>((4 * enqueue_cap() + 4s) / haste);
}

duration calibration::patience() const { return 2 * gate_timeout(); }

duration calibration::delay(double chance) const {
  switch (holds) {
    case hold_kind::gates: return gate_timeout();
    case hold_kind::none: return duration{0};
    case hold_kind::equal: return equal_delay;
    case hold_kind::random: break;
  }
  const double least = static_cast<double>(least_random_delay.count());
  const double ratio = static_cast<double>(greatest_random_delay.count()) / least;
  return duration(static_cast<duration::rep>(least * std::pow(ratio, chance)));
}

}  // namespace streamcts
