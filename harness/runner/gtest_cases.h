// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/runner/case_host.h"

namespace streamcts::runner {

/// Runs cases as GoogleTest tests, in order. Each case is registered under its family and the rest of
/// its id; GoogleTest's own output is off. May be called once in a process.
///
/// A failed assertion is a Fail, also where the case itself knows of none.
/// @param before called before each case; false ends the process's work
/// @param after gets the outcome and how long it took
void run_as_tests(case_host& host, const std::vector<case_order>& cases,
                  const std::vector<case_instance>& catalogue,
                  const std::function<bool(std::size_t index)>& before,
                  const std::function<void(std::size_t index, case_outcome outcome,
                                           double seconds)>& after);

}  // namespace streamcts::runner
