// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// JSON of capabilities and calibration, for the file of a probe and for the order of a child.
// Private to the runner.

#pragma once

#include <nlohmann/json.hpp>

#include "harness/driver/capabilities.h"
#include "harness/observe/calibration.h"

namespace streamcts::runner {

using json = nlohmann::ordered_json;

json to_json_value(const driver::ability& value);
json to_json_value(const driver::capabilities& value);
json to_json_value(const streamcts::calibration& value);
/// Missing members keep their defaults. @throws nlohmann::json::exception for a wrong type.
driver::ability read_ability(const json& value);
driver::capabilities read_capabilities(const json& value);
streamcts::calibration read_calibration(const json& value);

/// JSON text on one line; bytes that are no UTF-8 are made printable.
std::string dump_line(const json& value);

}  // namespace streamcts::runner
