// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

#include "reports/digest/digest.h"

namespace streamcts::reports {

/// CI systems drop a whole step summary that is too long; this much is safe everywhere.
inline constexpr std::size_t markdown_limit = 65536;

/// The run in short, as Markdown (GitHub's dialect) of at most markdown_limit bytes: the verdict,
/// what broke, what could not be tried, what differs from the documentation, and what was tested.
std::string markdown_report(const digest& all);

}  // namespace streamcts::reports
