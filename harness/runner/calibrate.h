// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "harness/case/context.h"
#include "harness/observe/calibration.h"

namespace streamcts::runner {

struct measured_limits {
  streamcts::calibration limits;
  std::string note;  ///< what could not be measured, and why; empty where all was
};

/// Measures what calibration holds, on the calling thread, in about @p budget: how long after its
/// gate opened a host call starts, one enqueuing call, a copy from device to pinned memory. What a
/// driver cannot do keeps its assumed value. No wait is longer than two seconds.
measured_limits calibrate(device_session& session,
                          std::chrono::milliseconds budget = std::chrono::milliseconds(600));

/// The value below which @p fraction of @p values lie; they are not empty.
std::chrono::nanoseconds quantile(std::vector<std::chrono::nanoseconds> values, double fraction);

}  // namespace streamcts::runner
