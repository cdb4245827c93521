// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "reports/digest/digest.h"

namespace streamcts::reports {

/// The report for a human: one HTML file that fetches nothing, needs no script to be read, and
/// stays small however much broke (pictures and stacks for the first cases of each clause, a line
/// for the rest). A pure function: the same run makes the same bytes.
std::string html_report(const digest& all);

}  // namespace streamcts::reports
