// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/ctest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "harness/runner/errors.h"
#include "harness/runner/limits.h"

namespace streamcts::runner {

namespace {

constexpr std::string_view remedy =
    "let ctest set it (ctest --resource-spec-file) or unset CTEST_RESOURCE_GROUP_COUNT";

[[noreturn]] void malformed(const std::string& name, const std::string& value) {
  throw machine_error(fmt::format("{}='{}': is malformed; {}", name, value, remedy));
}

/// "id:0,slots:100;id:1,slots:100" -> 0, 1.
std::vector<std::string> ids_in(const std::string& name, const std::string& value) {
  std::vector<std::string> ids;
  std::string_view rest(value);
  while (!rest.empty()) {
    const std::string_view entry = rest.substr(0, rest.find(';'));
    rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    const std::size_t comma = entry.find(',');
    if (!entry.starts_with("id:") || comma == std::string_view::npos ||
        !entry.substr(comma + 1).starts_with("slots:")) {
      malformed(name, value);
    }
    const std::string_view id = entry.substr(3, comma - 3);
    const bool clean = !id.empty() && std::all_of(id.begin(), id.end(), [](unsigned char each) {
      return std::isalnum(each) != 0 || each == '-' || each == '_';
    });
    if (!clean) malformed(name, value);
    ids.emplace_back(id);
  }
  if (ids.empty()) malformed(name, value);
  return ids;
}

}  // namespace

std::map<std::string, std::string> allotted_devices(
    const std::map<std::string, std::string>& environment) {
  const auto count = environment.find("CTEST_RESOURCE_GROUP_COUNT");
  if (count == environment.end()) return {};
  unsigned groups = 0;
  const std::string& text = count->second;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), groups);
  if (failed != std::errc{} || end != text.data() + text.size() || groups > 1024) {
    malformed(count->first, text);
  }
  std::string devices;
  for (unsigned group = 0; group < groups; ++group) {
    const std::string name = fmt::format("CTEST_RESOURCE_GROUP_{}_GPUS", group);
    const auto found = environment.find(name);
    if (found == environment.end()) continue;  // a group of something else
    for (const std::string& id : ids_in(name, found->second)) {
      if (!devices.empty()) devices += ',';
      devices += id;
    }
  }
  if (devices.empty()) return {};
  return {{"CUDA_VISIBLE_DEVICES", devices}, {"CUDA_DEVICE_ORDER", "PCI_BUS_ID"}};
}

std::string cmake_quoted(const std::string& text) {
  std::string equals;
  while (text.find("]" + equals + "]") != std::string::npos || text.ends_with("]" + equals)) {
    equals += '=';
  }
  return fmt::format("[{}[{}]{}]", equals, text, equals);
}

std::string ctest_script(const std::vector<const case_instance*>& cases,
                         const ctest_options& options) {
  constexpr std::string_view fixture = "conformance/probe";
  const std::string program = cmake_quoted(options.program);
  const std::string file = cmake_quoted(options.capabilities);
  const std::string driver =
      options.driver.empty() ? "" : " --driver " + cmake_quoted(options.driver);
  std::string script = fmt::format(
      "# Written by 'streamcts list --format ctest'.\n"
      "add_test([[{}]] {} probe{} --out {})\n"
      "set_tests_properties([[{}]] PROPERTIES FIXTURES_SETUP streamcts_capabilities TIMEOUT 600\n"
      "  RESOURCE_GROUPS [[1,gpus:100]] LABELS probe)\n",
      fixture, program, driver, file, fixture);
  for (const case_instance* each : cases) {
    const std::string test = fmt::format("[[conformance/{}]]", each->id);
    // A list as one value would shift whatever follows it, so the key is repeated.
    std::string labels = fmt::format("LABELS {} LABELS {}", name(each->from), each->family());
    for (const clause_id clause : each->clauses) labels += fmt::format(" LABELS {}", clause.text);
    // Above our own limit, with the retest behind it: ctest's is a SIGKILL and takes no evidence.
    const auto seconds =
        std::chrono::ceil<std::chrono::seconds>(2 * longest_limit(*each->definition)).count() + 120;
    script += fmt::format(
        "add_test({} {} run --ctest {}{} --capabilities {})\n"
        "set_tests_properties({} PROPERTIES {}\n"
        "  TIMEOUT {} SKIP_RETURN_CODE 77 RESOURCE_GROUPS [[1,gpus:100]]\n"
        "  FIXTURES_REQUIRED streamcts_capabilities)\n",
        test, program, cmake_quoted(each->id), driver, file, test, labels, seconds);
  }
  return script;
}

}  // namespace streamcts::runner
