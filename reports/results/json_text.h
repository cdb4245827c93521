// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// How texts and seeds are written. Private to reports/results.

#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results/json_reader.h"
#include "reports/results/printable.h"

namespace streamcts::results {

inline std::string text(std::string_view value) {
  return to_printable(value);
}

inline json texts(const std::vector<std::string>& values) {
  json out = json::array();
  for (const std::string& value : values) out.push_back(text(value));
  return out;
}

inline json texts(const std::map<std::string, std::string>& values) {
  json out = json::object();
  for (const auto& [key, value] : values) out[text(key)] = text(value);
  return out;
}

/// Seconds; JSON has no word for infinity.
inline double seconds(double value) {
  return std::isfinite(value) && value > 0 ? value : 0.0;
}

inline std::string hex(std::uint64_t value) {
  return fmt::format("0x{:016x}", value);
}

}  // namespace streamcts::results
