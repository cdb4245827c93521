// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/environment.h"

#include <algorithm>
#include <array>

extern char** environ;

namespace streamcts::runner {

namespace {

bool begins_with_any(std::string_view name, const auto& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

constexpr std::array<std::string_view, 9> unwanted{
    "CUDA_ENABLE_COREDUMP_",
    "CUDA_ENABLE_CPU_COREDUMP_",
    "CUDA_ENABLE_LIGHTWEIGHT_COREDUMP",
    "CUDA_ENABLE_USER_TRIGGERED_COREDUMP",
    "CUDA_COREDUMP_",
    "CUDA_DEVICE_WAITS_ON_EXCEPTION",
    "GTEST_",
    "TESTBRIDGE_TEST_ONLY",
    "TEST_",  // TEST_TOTAL_SHARDS and others of Bazel's, which GoogleTest obeys
};

}  // namespace

std::map<std::string, std::string> current_environment() {
  std::map<std::string, std::string> all;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text(*each);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    all.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return all;
}

std::vector<std::string> child_environment(const std::map<std::string, std::string>& environment,
                                           const std::map<std::string, std::string>& changes) {
  std::map<std::string, std::string> made;
  for (const auto& [name, value] : environment) {
    if (!begins_with_any(name, unwanted)) made[name] = value;
  }
  for (const auto& [name, value] : changes) {
    if (value.empty()) {
      made.erase(name);
    } else {
      made[name] = value;
    }
  }
  std::vector<std::string> lines;
  for (const auto& [name, value] : made) lines.push_back(name + "=" + value);
  return lines;
}

std::map<std::string, std::string> telling_variables(
    const std::map<std::string, std::string>& environment) {
  constexpr std::array<std::string_view, 2> prefixes{"STREAMCTS_", "CUDA_"};
  constexpr std::array<std::string_view, 3> names{"LD_PRELOAD", "LD_LIBRARY_PATH",
                                                  "NVIDIA_VISIBLE_DEVICES"};
  std::map<std::string, std::string> some;
  for (const auto& [name, value] : environment) {
    const bool named = std::find(names.begin(), names.end(), name) != names.end();
    if (named || begins_with_any(name, prefixes)) some[name] = value;
  }
  return some;
}

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=+,@%-";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char each : text) {
    if (each == '\'') {
      quoted += "'\\''";
    } else {
      quoted += each;
    }
  }
  return quoted + "'";
}

}  // namespace streamcts::runner
