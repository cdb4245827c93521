// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "harness/runner/child_process.h"

namespace streamcts::runner {

/// Starts the children of a run, all alike.
class launcher {
 public:
  /// @param before_child a shell command to be run before each start; empty for none
  launcher(child_command command, std::string before_child = {})
      : command_(std::move(command)), before_child_(std::move(before_child)) {}

  /// @throws machine_error, also where the command before it fails or takes two minutes
  std::unique_ptr<child_process> start() const;

 private:
  child_command command_;
  std::string before_child_;
};

/// Runs @p command in a shell, with its output on our stderr. What it leaves running is left alone.
/// @return its exit status, 128 and the signal's number for a death; 124 when it was killed after
/// @p limit
int run_shell(const std::string& command, std::chrono::milliseconds limit);

}  // namespace streamcts::runner
