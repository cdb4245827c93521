// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <pugixml.hpp>
#include <string_view>

#include "reports/matrix/matrix.h"

namespace streamcts::reports {

/// The head of the page: title, style and what a browser may do with it.
void add_matrix_head(pugi::xml_node html, std::string_view sentence);
/// The top of the page: what came of it, on what, and what is missing.
void add_matrix_header(pugi::xml_node body, const matrix& all, const matrix_summary& summary);

}  // namespace streamcts::reports
