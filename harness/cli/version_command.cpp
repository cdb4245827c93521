// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "harness/cli/commands.h"
#include "harness/runner/run_info.h"

namespace streamcts::cli {

int version_command() {
  const results::suite_info info = runner::suite_version();
  fmt::print("streamcts {}{}\n", info.version, info.git.empty() ? "" : fmt::format(" ({})", info.git));
  return 0;
}

}  // namespace streamcts::cli
