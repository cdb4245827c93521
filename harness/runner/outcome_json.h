// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// JSON of case outcomes, for the way from a child to the run. Private to the runner.

#pragma once

#include "harness/case/outcome.h"
#include "harness/runner/facts_json.h"

namespace streamcts::runner {

json to_json_value(const case_outcome& value);
/// @throws nlohmann::json::exception for a wrong type, std::invalid_argument for an unknown name
case_outcome read_outcome(const json& value);

}  // namespace streamcts::runner
