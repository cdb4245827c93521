// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>
#include <string_view>

namespace streamcts {

/// A program of conformance/programs/*.program, as it was found; its first comment says what it
/// found.
struct regression_program_text {
  std::string_view name;  ///< of the file, without the ending
  std::string_view text;
};

/// All of them, sorted by name.
std::span<const regression_program_text> regression_programs();

}  // namespace streamcts
