// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/runner/case_host.h"

namespace streamcts::cli {

/// The whole program: reads the command line, does it, returns the exit code. Whatever goes wrong is
/// one line on stderr. As a child of itself it does not return.
int cli_main(int count, char** words, const runner::suite& suite);

}  // namespace streamcts::cli
