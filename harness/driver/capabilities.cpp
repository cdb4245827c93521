// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/capabilities.h"

#include <algorithm>

namespace streamcts::driver {
namespace {

constexpr std::array<std::string_view, feature_count> names = {"kernel_library",
                                                               "kernel_module",
                                                               "stream_callback",
                                                               "host_function",
                                                               "priorities",
                                                               "per_thread_mode",
                                                               "pinned",
                                                               "mapped",
                                                               "portable",
                                                               "write_combined",
                                                               "registered",
                                                               "managed",
                                                               "managed_concurrent",
                                                               "stream_ordered_allocation",
                                                               "memop_32",
                                                               "memop_64",
                                                               "memop_batch",
                                                               "gate_host_function",
                                                               "gate_kernel_mapped",
                                                               "gate_kernel_device",
                                                               "gate_value_wait",
                                                               "graph",
                                                               "graph_capture",
                                                               "user_object",
                                                               "multi_device",
                                                               "peer_access",
                                                               "ipc_events",
                                                               "runtime",
                                                               "runtime_per_thread"};

}  // namespace

std::string_view to_string(feature which) {
  return names[static_cast<std::size_t>(which)];
}

std::optional<feature> feature_from(std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  if (at == names.end()) return std::nullopt;
  return static_cast<feature>(at - names.begin());
}

const std::array<feature, feature_count>& all_features() {
  static constexpr auto all = [] {
    std::array<feature, feature_count> made{};
    for (std::size_t i = 0; i < feature_count; ++i) made[i] = static_cast<feature>(i);
    return made;
  }();
  return all;
}

int capabilities::attribute(const std::string& name, int otherwise) const {
  const auto at = attributes.find(name);
  return at == attributes.end() ? otherwise : at->second;
}

}  // namespace streamcts::driver
