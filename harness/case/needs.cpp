// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "harness/case/registry.h"

namespace streamcts {

namespace {

using driver::capabilities;
using driver::feature;

std::optional<std::string> unless_works(const capabilities& have, feature which) {
  if (have.works(which)) return std::nullopt;
  return fmt::format("{} = no ({})", to_string(which), have.of(which).reason);
}

std::optional<std::string> unless_attribute(const capabilities& have, const char* attribute) {
  if (have.attribute(attribute) != 0) return std::nullopt;
  return fmt::format("{} = 0", attribute);
}

std::optional<std::string> unless_version(const capabilities& have, int version) {
  if (have.driver_version >= version) return std::nullopt;
  return fmt::format("driver version = {}, below {}", have.driver_version, version);
}

}  // namespace

std::optional<std::string> missing(need value, const capabilities& have) {
  switch (value) {
    case need::mapped_memory: return unless_works(have, feature::mapped);
    case need::managed_memory: return unless_works(have, feature::managed_concurrent);
    case need::registered_memory: return unless_works(have, feature::registered);
    case need::device_gate: return unless_works(have, feature::gate_kernel_mapped);
    case need::host_gate: return unless_works(have, feature::gate_host_function);
    case need::value_wait: return unless_works(have, feature::gate_value_wait);
    case need::stream_priorities: return unless_works(have, feature::priorities);
    case need::two_contexts: return std::nullopt;
    case need::stream_ids: return unless_version(have, 12000);
    case need::ipc_events: return unless_attribute(have, "ipc_event_supported");
    case need::runtime: return unless_works(have, feature::runtime);
    case need::runtime_per_thread: return unless_works(have, feature::runtime_per_thread);
    case need::faults:
      return have.attribute("mps_enabled") == 0 ? std::nullopt
                                                : std::optional<std::string>("mps_enabled = 1");
  }
  return std::nullopt;
}

}  // namespace streamcts
