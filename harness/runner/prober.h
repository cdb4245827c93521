// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "harness/runner/launcher.h"
#include "harness/runner/messages.h"
#include "harness/runner/signal_watch.h"

namespace streamcts::runner {

struct probe_limits {
  /// Until the library is loaded and there is a context: stand-ins need seconds.
  std::chrono::milliseconds start = std::chrono::seconds(120);
  /// One step; its waits are bounded by two seconds each, calls of the driver are not.
  std::chrono::milliseconds step = std::chrono::seconds(20);
};

/// What came of a probe: facts, or why there are none.
struct probe_outcome {
  std::optional<probe_facts> facts;
  std::vector<device_entry> devices;
  start_failure cause = start_failure::other;
  std::string problem;  ///< one line
};

/// Probes the driver of @p host in children. A step in which a child dies or hangs is recorded as not
/// working, with the reason, and the probe goes on in a new child without it.
/// @param told hears the name of each step, for a progress line
/// @throws machine_error where no child can be started, or a signal asked to end
probe_outcome run_probe(const launcher& from, const host_order& host, const probe_limits& limits,
                        signal_watch& signals,
                        const std::function<void(std::string_view)>& told = {});

/// Asks for the devices of the driver of @p host, in a child.
probe_outcome run_device_list(const launcher& from, const host_order& host,
                              const probe_limits& limits, signal_watch& signals);

}  // namespace streamcts::runner
