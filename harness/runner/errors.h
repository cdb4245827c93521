// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <stdexcept>
#include <string>

namespace streamcts::runner {

/// Ends the program with a one-line message: what was given, what is wrong with it, the remedy.
class runner_error : public std::runtime_error {
 public:
  runner_error(int exit_code, const std::string& message)
      : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// What is wrong on any machine: an option, a number, a file, a filter. Exit code 64.
inline constexpr int exit_usage = 64;
class usage_error : public runner_error {
 public:
  explicit usage_error(const std::string& message) : runner_error(exit_usage, message) {}
};

/// What this machine lacks: a device, a right, disk space. Exit code 2.
class machine_error : public runner_error {
 public:
  explicit machine_error(const std::string& message) : runner_error(2, message) {}
};

}  // namespace streamcts::runner
