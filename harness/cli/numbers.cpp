// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/numbers.h"

#include <fmt/format.h>

#include <charconv>

#include "harness/runner/errors.h"

namespace streamcts::cli {

std::uint64_t parse_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most) {
  const bool hex = text.starts_with("0x");
  const char* begin = text.data() + (hex ? 2 : 0);
  const char* end = text.data() + text.size();
  std::uint64_t value = 0;
  const auto [last, failed] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (failed != std::errc{} || last != end || begin == end || value < least || value > most) {
    throw runner::usage_error(
        fmt::format("{} {}: must be a whole number from {} to {}", option, text, least, most));
  }
  return value;
}

double parse_seconds(const std::string& option, const std::string& text) {
  constexpr double most = 24 * 3600;
  double value = 0;
  const auto [last, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc{} || last != text.data() + text.size() || !(value > 0) || value > most) {
    throw runner::usage_error(
        fmt::format("{} {}: must be seconds, above 0 and at most {}", option, text, most));
  }
  return value;
}

}  // namespace streamcts::cli
