// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "harness/runner/case_host.h"
#include "harness/runner/launcher.h"
#include "harness/runner/prober.h"
#include "harness/runner/signal_watch.h"

namespace streamcts::runner {

/// What the user said about the driver under test.
struct target_request {
  std::optional<std::string> driver;  ///< "system", "reference", "faulty" or a path
  std::string runtime;                ///< empty for the default, "none" or a path
  bool require_device = false;
  std::string capabilities_file;  ///< of an earlier probe; empty to probe now
};

/// The driver under test, found and probed.
struct target {
  probe_facts facts;
  host_order host;
  /// The reference was taken since this machine has no driver at all.
  bool fell_back = false;
};

/// Where things lie beside the program.
struct installation {
  std::string program;  ///< this program's own path
  /// <program>/../../lib/streamcts/NAME
  std::string driver_path(std::string_view name) const;
  static installation of_this_process();
};

/// The path (or "system") that a name for a driver means.
/// @throws usage_error where there is no such file
std::string resolve_driver(const std::string& name, const installation& where);

/// Finds and probes the driver under test, or takes the facts of an earlier probe.
/// @throws usage_error or machine_error in one line with the remedy
target find_target(const target_request& request, const installation& where, const launcher& from,
                   signal_watch& signals,
                   const std::function<void(std::string_view)>& told = {});

/// Said wherever the reference driver stands in for hardware.
inline constexpr std::string_view reference_banner =
    "==========================================================================\n"
    "  REFERENCE DRIVER: this run proves nothing about any GPU or its driver.\n"
    "==========================================================================\n";

}  // namespace streamcts::runner
