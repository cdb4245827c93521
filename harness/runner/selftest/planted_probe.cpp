// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>
#include <thread>

#include "harness/runner/device_probe.h"
#include "harness/runner/selftest/planted.h"

namespace streamcts::selftest {

namespace {

using driver::feature;
using runner::start_error;
using runner::start_failure;

std::string wish() {
  const char* text = std::getenv("STREAMCTS_SELFTEST_PROBE");
  return text == nullptr ? "" : text;
}

/// Announces a step, and ends or stops there where that is planted.
void step(runner::probe_listener& listener, std::string_view name) {
  listener.step(name);
  const std::string how = wish();
  const std::size_t colon = how.find(':');
  if (colon == std::string::npos || how.substr(colon + 1) != name) return;
  if (how.starts_with("crash_at")) std::abort();
  if (how.starts_with("exit_at")) std::_Exit(3);
  if (how.starts_with("hang_at")) {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }
}

}  // namespace

runner::probe_facts planted_probe(const runner::child_order& order,
                                  runner::probe_listener& listener) {
  step(listener, runner::load_step);
  const std::string how = wish();
  if (how == "not_found" && order.host.driver == "system") {
    throw start_error(start_failure::not_found, "driver 'system': there is no libcuda.so.1");
  }
  if (how == "not_a_driver") {
    throw start_error(start_failure::not_a_driver, "driver '" + order.host.driver + "': is none");
  }
  if (how == "no_device") {
    throw start_error(start_failure::no_device, "cuInit returned CUDA_ERROR_NO_DEVICE");
  }
  runner::probe_facts facts;
  facts.capabilities.driver_path = order.host.driver;
  facts.capabilities.driver_build_id = "abcd";
  facts.capabilities.driver_version = 13000;
  facts.capabilities.device_count = 2;
  const char* name = std::getenv("STREAMCTS_SELFTEST_DEVICE");
  facts.capabilities.device_name = name == nullptr ? "planted device" : name;
  for (const feature each : driver::all_features()) {
    const auto skipped = order.skip.find(each);
    driver::ability& ability = facts.capabilities.of(each);
    if (skipped != order.skip.end()) {
      ability = {false, skipped->second};
    } else {
      step(listener, driver::to_string(each));
      ability = each == feature::priorities ? driver::ability{false, "planted"}
                                            : driver::ability{true, ""};
    }
    listener.result(each, ability);
  }
  if (order.calibrate) {
    step(listener, runner::calibration_step);
  } else {
    facts.limits_note = "assumed, not measured: calibration did not end";
  }
  return facts;
}

std::vector<runner::device_entry> planted_devices(const runner::child_order&) {
  if (wish() == "no_device") return {};
  if (wish() == "not_a_driver") {
    throw start_error(start_failure::not_a_driver, "planted: no driver");
  }
  return {{0, "planted device", "0000:01:00.0", std::uint64_t{8} << 30, 9, 0},
          {1, "planted device", "0000:02:00.0", std::uint64_t{8} << 30, 9, 0}};
}

}  // namespace streamcts::selftest
