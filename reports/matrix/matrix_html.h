// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "reports/matrix/matrix.h"
#include "reports/results/clauses.h"

namespace streamcts::reports {

/// The page of a kill matrix: one file that fetches nothing and has no script. What was not noticed
/// comes first, then how much is noticed of each promise, then all. A pure function.
std::string matrix_html(const matrix& all, const results::clause_catalogue& clauses);

}  // namespace streamcts::reports
