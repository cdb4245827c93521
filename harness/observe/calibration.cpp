// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/calibration.h"

#include <algorithm>

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

duration calibration::gate_timeout() const { return 4 * enqueue_cap() + 4s; }

duration calibration::patience() const { return 2 * gate_timeout(); }

}  // namespace streamcts
