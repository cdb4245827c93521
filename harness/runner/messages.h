// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// What a run and its children say to each other: one JSON object a line (line_channel).
//
//   run -> child   order             first line: what to do
//                  go N              now run case N of the order
//   child -> run   ready             the driver is loaded and has a context
//                  not_started       it could not be, and why; the child leaves
//                  started N         case N begins
//                  outcome N         case N has ended, and how
//   and from a child that probes
//                  step NAME         this is tried next; where the child ends now, it is to blame
//                  ability           a feature was tried
//                  facts             all that was found
//                  devices           those that the driver shows

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/outcome.h"
#include "harness/case/axes.h"
#include "harness/driver/capabilities.h"
#include "harness/observe/calibration.h"
#include "harness/runner/facts.h"

namespace streamcts::runner {

/// Which driver a child uses, and what is known of it.
struct host_order {
  std::string driver;   ///< a path, or "system"
  std::string runtime;  ///< a path, "system" or "none"
  /// What "system" means for the runtime where the reference driver is at the bottom.
  std::string reference_runtime;
  int device_ordinal = 0;
  tier run_tier = tier::quick;
  driver::capabilities capabilities;
  streamcts::calibration limits;
};

struct case_order {
  std::string id;
  std::uint64_t seed = 0;
};

/// The first line that a child gets.
struct child_order {
  enum class task { cases, probe, devices } what = task::cases;
  host_order host;
  std::vector<case_order> cases;
  std::map<driver::feature, std::string> skip;  ///< of a probe: these are not tried, for the reason
  std::chrono::milliseconds patience{2000};     ///< of a probe
  bool calibrate = true;                        ///< of a probe
};

std::string encode(const child_order& order);
/// @throws runner_error for anything else
child_order decode_order(std::string_view line);

/// One device of a driver.
struct device_entry {
  int ordinal = 0;
  std::string name;
  std::string pci_bus_id;
  std::uint64_t memory = 0;  ///< bytes
  int compute_major = 0;
  int compute_minor = 0;
};

/// Why a child could not begin.
enum class start_failure {
  not_found,      ///< there is no such library
  does_not_load,  ///< it is there and does not load
  not_a_driver,   ///< it loads and is no driver
  no_device,      ///< the driver shows no device
  mismatch,       ///< another driver or device than the probe's
  other,
};

struct child_message {
  enum class kind { ready, not_started, started, outcome, step, ability, facts, devices };
  kind what = kind::ready;
  std::size_t index = 0;                   ///< started, outcome
  double seconds = 0;                      ///< outcome
  case_outcome outcome;                    ///< outcome
  std::string text;                        ///< not_started: why; step: its name
  start_failure cause = start_failure::other;  ///< not_started
  driver::feature feature{};               ///< ability
  driver::ability ability;                 ///< ability
  std::optional<probe_facts> facts;        ///< facts
  std::vector<device_entry> devices;       ///< devices
};

std::string encode(const child_message& message);
/// @throws runner_error for anything else, naming it
child_message decode_message(std::string_view line);

/// The line that releases case @p index, and its reading.
std::string encode_go(std::size_t index);
std::optional<std::size_t> decode_go(std::string_view line);

}  // namespace streamcts::runner
