// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <functional>
#include <string_view>

#include "harness/driver/capabilities.h"
#include "harness/driver/driver_library.h"
#include "harness/driver/runtime.h"

namespace streamcts::driver {

struct probe_options {
  int device_ordinal = 0;
  /// Time that one wait of a probe may take. Waits poll; a call of the driver that never returns
  /// cannot be bounded from within: run the probe in a child and kill it, `on_step` says where.
  std::chrono::milliseconds patience{2000};
  /// Called before each step with its name ("device", "context", then to_string of each feature),
  /// on the probing thread.
  std::function<void(std::string_view step)> on_step;
  /// Called after each feature with the result so far, so that a parent knows what worked in a
  /// child that did not come back.
  std::function<void(feature which, const ability& result)> on_result;
  /// Features that are not to be tried, with the reason to give: those that killed a child before.
  std::map<feature, std::string> skip;
};

/// Finds out what a driver can do, by trying each thing once. Run it in a process of its own: a
/// driver may crash, hang or exit in it.
class probe {
 public:
  probe(const driver_library& driver, probe_options options);
  /// Also tries the runtime. It must outlive the probe.
  void use_runtime(const runtime_library& runtime) { runtime_ = &runtime; }
  /// Says why there is no runtime to try, as the reason of both features.
  void no_runtime(std::string why) { no_runtime_ = std::move(why); }

  /// Calls cuInit. @throws not_supported where there is no device, or not that many
  /// @throws call_error where driver, device or context fail altogether
  capabilities run();

 private:
  const driver_library& driver_;
  probe_options options_;
  const runtime_library* runtime_ = nullptr;
  std::string no_runtime_ = "no runtime was given";
};

}  // namespace streamcts::driver
