// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/cli/commands.h"
#include "harness/runner/environment.h"
#include "harness/runner/errors.h"

namespace streamcts::cli {

namespace {

using json = nlohmann::ordered_json;
using device_list = std::vector<runner::device_entry>;

void print_text(const device_list& devices) {
  for (const auto& each : devices) {
    fmt::print("{}: {}, compute capability {}.{}, {} MiB, {}\n", each.ordinal, each.name,
               each.compute_major, each.compute_minor, each.memory >> 20, each.pci_bus_id);
  }
}

void print_json(const device_list& devices) {
  json all = json::array();
  for (const auto& each : devices) {
    all.push_back({{"ordinal", each.ordinal},
                   {"name", each.name},
                   {"compute_capability",
                    fmt::format("{}.{}", each.compute_major, each.compute_minor)},
                   {"memory_bytes", each.memory},
                   {"pci_bus_id", each.pci_bus_id}});
  }
  fmt::print("{}\n", all.dump(1, ' ', false, json::error_handler_t::replace));
}

/// The resource specification of ctest (CMake manual, "Resource Specification File"). One test has a
/// device to itself: 100 slots, of which each asks for all.
void print_ctest(const device_list& devices) {
  json gpus = json::array();
  for (const auto& each : devices) {
    gpus.push_back({{"id", std::to_string(each.ordinal)}, {"slots", 100}});
  }
  const json made{{"version", {{"major", 1}, {"minor", 0}}},
                  {"local", json::array({json::object({{"gpus", gpus}})})}};
  fmt::print("{}\n", made.dump(1));
}

}  // namespace

int devices_command(const arguments& given, const runner::program_parts& program) {
  // Numbers as nvidia-smi has them, since a test gets them in that order too.
  const runner::launcher children(
      {program.where.program,
       {"child"},
       runner::child_environment(runner::current_environment(),
                                 {{"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}})});
  runner::signal_watch signals;
  runner::host_order host;
  host.driver = runner::resolve_driver(given.target.driver.value_or("system"), program.where);
  host.runtime = "none";
  const runner::probe_outcome found = runner::run_device_list(children, host, {}, signals);
  if (!found.problem.empty()) {
    const bool wrong_file = given.target.driver && host.driver != "system" &&
                            (found.cause == runner::start_failure::does_not_load ||
                             found.cause == runner::start_failure::not_a_driver);
    if (wrong_file) throw runner::usage_error(found.problem);
    throw runner::machine_error(
        fmt::format("{}; 'streamcts doctor' says what this machine lacks", found.problem));
  }
  switch (given.format) {
    case output_format::text: print_text(found.devices); break;
    case output_format::json: print_json(found.devices); break;
    case output_format::ctest: print_ctest(found.devices); break;
  }
  return found.devices.empty() ? 2 : 0;
}

}  // namespace streamcts::cli
