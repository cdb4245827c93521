// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The folder of a kill matrix:
//
//   matrix.json   at the start with the plan, after the baseline with that, at the end with all
//   matrix.jsonl  a fault a line, appended as each is done
//   matrix.html   at the end

#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reports/matrix/matrix.h"

namespace streamcts::reports {

inline constexpr std::string_view matrix_file = "matrix.json";
inline constexpr std::string_view matrix_lines_file = "matrix.jsonl";
inline constexpr std::string_view matrix_html_file = "matrix.html";

/// Text of matrix.json.
std::string matrix_text(const matrix& all);
/// A line of matrix.jsonl, with its line feed and no other.
std::string fault_line(const fault_record& record);

/// The inverses. @p name stands in messages. @throws results::results_error
matrix parse_matrix(std::string_view text, std::string_view name);
fault_record parse_fault(std::string_view text, std::string_view name);

/// Reads the folder of a matrix. Records come from matrix.jsonl, and from matrix.json only where
/// there are no lines; a torn or damaged line becomes an entry of matrix::damages.
/// @throws results::results_error where @p folder is none
matrix load_matrix(const std::filesystem::path& folder);

}  // namespace streamcts::reports
