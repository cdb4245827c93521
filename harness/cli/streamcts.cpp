// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/registry.h"
#include "harness/cli/cli.h"
#include "harness/runner/device_host.h"
#include "harness/runner/device_probe.h"
#include "harness/runner/devices.h"

int main(int count, char** words) {
  using namespace streamcts;
  return cli::cli_main(count, words,
                       {.cases = &all_cases,
                        .make_host = &runner::make_device_host,
                        .probe = &runner::probe_device,
                        .devices = &runner::list_devices});
}
