// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Records and runs as JSON values (run.schema.json says what the fields are). Every text passes
// to_printable() on its way out. Private to reports/results; others use folder.h.

#pragma once

#include <string>
#include <string_view>

#include "reports/results/json_reader.h"
#include "reports/results/record.h"
#include "reports/results/run.h"

namespace streamcts::results {

json to_json_value(const case_record& value);
json to_json_value(const observation& value);
json to_json_value(const run_info& value);
json to_json_value(const planned_case& value);
json to_json_value(const damage& value);
json to_json_value(const run_summary& value);

/// @throws results_error, as json_reader does.
case_record read_record(const json_reader& in);
observation read_observation(const json_reader& in);
run_info read_run_info(const json_reader& in);
planned_case read_planned_case(const json_reader& in);

}  // namespace streamcts::results
