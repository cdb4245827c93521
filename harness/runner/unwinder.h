// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace streamcts::runner {

/// Walks stacks of another process with libunwind (its ptrace accessors).
class unwinder {
 public:
  explicit unwinder(pid_t process);
  unwinder(const unwinder&) = delete;
  unwinder& operator=(const unwinder&) = delete;
  ~unwinder();

  /// Why it can walk nothing; empty where it can.
  const std::string& problem() const { return problem_; }
  /// Frames of @p thread, which this process traces and which is stopped: "#0 function+0x1f (file)".
  std::vector<std::string> of(pid_t thread, std::chrono::steady_clock::time_point until);

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::string problem_;
};

}  // namespace streamcts::runner
