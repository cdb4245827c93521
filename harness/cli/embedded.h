// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace streamcts::cli {

/// conformance/clauses/clauses.json and reasons.json, as they were when this was built.
extern const std::string_view clauses_json;
extern const std::string_view reasons_json;
/// harness/faults/catalogue.json.
extern const std::string_view faults_json;

}  // namespace streamcts::cli
