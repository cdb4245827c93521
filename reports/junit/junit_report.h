// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "reports/digest/digest.h"

namespace streamcts::reports {

/// The run as JUnit XML for CI systems: a test suite for each family, classname the family, name
/// the id. Fail, Hang and Crash are failures; Error and cases that were not reached are errors;
/// Inconclusive, NotSupported, Skipped and Waived are skipped, with the reason as message. What a
/// failure says is in its message and again in its text, since readers show one or the other.
std::string junit_report(const digest& all);

}  // namespace streamcts::reports
