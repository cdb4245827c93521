// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "conformance/programs/run.h"
#include "harness/case/registry.h"
#include "harness/case/side_task.h"
#include "harness/cli/cli.h"
#include "harness/runner/device_host.h"
#include "harness/runner/device_probe.h"
#include "harness/runner/devices.h"

namespace {

/// The catalogue, and the programs that the command line names.
const std::vector<streamcts::case_instance>& every_case() {
  static const std::vector<streamcts::case_instance> all = [] {
    std::vector<streamcts::case_instance> made = streamcts::all_cases();
    for (const auto& each : streamcts::given_programs()) made.push_back(each);
    return streamcts::sorted(std::move(made));
  }();
  return all;
}

}  // namespace

int main(int count, char** words) {
  using namespace streamcts;
  do_side_task_if_asked(count, words);
  return cli::cli_main(count, words,
                       {.cases = &every_case,
                        .make_host = &runner::make_device_host,
                        .probe = &runner::probe_device,
                        .devices = &runner::list_devices});
}
