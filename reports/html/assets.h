// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The style sheet and the script of the page, embedded by the build (report.css, report.js).

#pragma once

#include <string_view>

namespace streamcts::reports {

extern const std::string_view style_sheet;
extern const std::string_view script;
/// The only script that the page lets run, by its SHA-256 in base64.
extern const std::string_view script_sha256;

}  // namespace streamcts::reports
