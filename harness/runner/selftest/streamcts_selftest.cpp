// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// streamcts with planted cases in place of those of conformance/, and no driver: what the tests of
// the runner start.

#include "harness/cli/cli.h"
#include "harness/runner/selftest/planted.h"

int main(int count, char** words) {
  using namespace streamcts;
  return cli::cli_main(count, words,
                       {.cases = &selftest::planted_cases,
                        .make_host = &selftest::make_planted_host,
                        .probe = &selftest::planted_probe,
                        .devices = &selftest::planted_devices});
}
