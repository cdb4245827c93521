// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <CLI/CLI.hpp>

#include "harness/cli/arguments.h"

namespace streamcts::cli {

/// Adds the command `program` with its own commands.
void add_program(CLI::App& app, arguments& into);

}  // namespace streamcts::cli
