// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace streamcts::results {

/// Any bytes as valid UTF-8 that every report may hold. A byte that is no UTF-8 and a control
/// character become `\xNN`; C1 controls, characters that change the direction of text, and those
/// that XML forbids become `\uNNNN`. Line feed and tab stay. What is printable is left alone, so
/// applying it twice changes nothing.
std::string to_printable(std::string_view text);

/// The same on one line: a line feed becomes `\n`, a tab a blank.
std::string to_printable_line(std::string_view text);

/// The last @p limit bytes of @p text or a little less, cut at the start of a line where one is
/// near; then the first line says how many bytes are missing.
std::string tail(std::string_view text, std::size_t limit);

}  // namespace streamcts::results
