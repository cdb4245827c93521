// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>

namespace streamcts::cli {

/// A whole number from @p least to @p most, decimal or 0x.... Nothing else: no sign, no blank, no
/// overflow. @param option stands in the message @throws runner::usage_error
std::uint64_t parse_number(const std::string& option, const std::string& text, std::uint64_t least,
                           std::uint64_t most);

/// Seconds, above zero and at most a day. @throws runner::usage_error
double parse_seconds(const std::string& option, const std::string& text);

}  // namespace streamcts::cli
