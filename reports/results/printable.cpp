// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>

namespace streamcts::results {
namespace {

struct character {
  char32_t code = 0;
  std::size_t bytes = 0;  // Zero: no UTF-8 here.
};

// Decodes strictly: no overlong forms, no surrogates, nothing above U+10FFFF.
character decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {};
  char32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF) return {};
  return {code, length};
}

// Characters that no reader would see, or that would let a text pose as another.
bool is_hidden(char32_t code) {
  return (code >= 0x80 && code <= 0x9F) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) ||
         code == 0xFEFF || (code & 0xFFFE) == 0xFFFE;
}

std::string printable(std::string_view text, bool one_line) {
  std::string result;
  result.reserve(text.size());
  const auto out = std::back_inserter(result);
  while (!text.empty()) {
    const auto [code, bytes] = decode(text);
    const auto byte = static_cast<std::uint8_t>(text.front());
    if (bytes > 1) {
      if (is_hidden(code)) {
        const auto number = static_cast<std::uint32_t>(code);
        if (number > 0xFFFF) {
          fmt::format_to(out, "\\U{:08x}", number);
        } else {
          fmt::format_to(out, "\\u{:04x}", number);
        }
      } else {
        result += text.substr(0, bytes);
      }
    } else if (one_line && byte == '\n') {
      result += "\\n";
    } else if (one_line && byte == '\t') {
      result += ' ';
    } else if (bytes == 1 && (byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7F))) {
      result += text.front();
    } else {
      fmt::format_to(out, "\\x{:02x}", byte);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return result;
}

}  // namespace

std::string to_printable(std::string_view text) {
  return printable(text, false);
}

std::string to_printable_line(std::string_view text) {
  return printable(text, true);
}

std::string tail(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  std::string_view kept = text.substr(text.size() - limit);
  // A whole first line, unless that would cost more than a quarter.
  const std::size_t line = kept.find('\n');
  if (line != std::string_view::npos && line < limit / 4) kept.remove_prefix(line + 1);
  return fmt::format("[{} bytes before this are left out]\n{}", text.size() - kept.size(), kept);
}

}  // namespace streamcts::results
