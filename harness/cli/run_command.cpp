// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/commands.h"
#include "harness/runner/ctest.h"
#include "harness/runner/environment.h"

namespace streamcts::cli {

int run_command(const arguments& given, const runner::program_parts& program) {
  runner::run_request request = given.run;
  if (!request.only.empty()) {
    request.environment = runner::allotted_devices(runner::current_environment());
  }
  return runner::run(request, program);
}

}  // namespace streamcts::cli
