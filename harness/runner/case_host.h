// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/registry.h"
#include "harness/runner/messages.h"

namespace streamcts::runner {

/// What runs cases in a child.
class case_host {
 public:
  virtual ~case_host() = default;
  /// Runs a case once, on the calling thread. @p seed is the case's own.
  virtual case_outcome run(const case_instance& instance, std::uint64_t seed) = 0;
};

/// A child could not begin.
struct start_error : std::runtime_error {
  start_error(start_failure why, const std::string& message)
      : std::runtime_error(message), cause(why) {}
  start_failure cause;
};

/// Hears of the steps of a probe, in the child.
class probe_listener {
 public:
  virtual ~probe_listener() = default;
  virtual void step(std::string_view name) = 0;
  virtual void result(driver::feature which, const driver::ability& ability) = 0;
};

/// What a program of this kind is made of: streamcts itself, or the self-test with planted cases.
struct suite {
  const std::vector<case_instance>& (*cases)();
  /// Loads the driver and makes all that cases share. @throws start_error
  std::unique_ptr<case_host> (*make_host)(const host_order& order);
  /// Finds out what the driver can do. @throws start_error
  probe_facts (*probe)(const child_order& order, probe_listener& listener);
  /// The devices that the driver shows. @throws start_error
  std::vector<device_entry> (*devices)(const child_order& order);
};

}  // namespace streamcts::runner
