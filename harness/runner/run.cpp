// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/run.h"

#include "harness/runner/run_session.h"

namespace streamcts::runner {

int run(const run_request& request, const program_parts& program) {
  return run_session(request, program).go();
}

}  // namespace streamcts::runner
