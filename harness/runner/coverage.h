// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/registry.h"
#include "reports/results/clauses.h"

namespace streamcts::runner {

/// Reasons why clauses have no case, read from the text of reasons.json: {"CLAUSE": "why"}.
/// @throws usage_error naming @p name where it is no such file
std::map<std::string, std::string> parse_reasons(std::string_view text, std::string_view name);

/// The cases of each clause, in their order.
std::map<std::string, std::vector<const case_instance*>> cases_by_clause(
    const std::vector<case_instance>& all);

/// For each guarantee of which no case is in @p planned: why. A clause with cases is not selected; of
/// the others @p reasons knows, else no family has been built for it.
std::map<std::string, std::string> uncovered_clauses(
    const results::clause_catalogue& clauses, const std::vector<case_instance>& all,
    const std::vector<const case_instance*>& planned,
    const std::map<std::string, std::string>& reasons);

}  // namespace streamcts::runner
