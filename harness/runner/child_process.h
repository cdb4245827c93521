// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "harness/runner/line_channel.h"
#include "harness/runner/output_tail.h"

namespace streamcts::runner {

/// What to start.
struct child_command {
  std::string program;
  std::vector<std::string> arguments;    ///< without the program's name
  std::vector<std::string> environment;  ///< NAME=value, all of it
};

/// How a child ended.
struct child_exit {
  bool by_signal = false;
  int code = 0;  ///< exit status, or the signal's number
};
/// "SIGSEGV", "exit status 1".
std::string to_string(const child_exit& how);

/// A child of its own process group, started by fork and exec, that dies when this thread does.
///
/// Its stdin is empty, stdout and stderr are kept as tails, the channel is descriptor 3. It dumps no
/// core. One thread uses it. The destructor kills it and its whole group.
class child_process {
 public:
  static constexpr int control_descriptor = 3;

  /// @throws machine_error where no process can be started, usage_error where the program can't.
  explicit child_process(const child_command& command);
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  ~child_process();

  pid_t pid() const { return pid_; }
  line_channel& channel() { return channel_; }
  output_tail& output() { return output_; }
  output_tail& errors() { return errors_; }

  /// Whether it has ended by itself or was killed; does not wait.
  bool ended();
  /// Kills the group, which takes what the child left behind with it, and reaps the child.
  /// Gives up after ten seconds on a child that is stuck in the kernel.
  /// @return how the child had ended, SIGKILL where it had not.
  child_exit finish();

 private:
  bool reaped(int& status) const;

  pid_t pid_ = -1;
  line_channel channel_;
  output_tail output_;
  output_tail errors_;
  child_exit how_;
};

}  // namespace streamcts::runner
