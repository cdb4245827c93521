// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Work of a case in a fresh process of this program, by fork and exec: for calls that may hang or crash,
// and whose end is no verdict. The process shares nothing with the case but its arguments and the lines
// that it says.

namespace streamcts {

/// Where a side task leaves what it finds, a line at a time, apart from what a driver prints.
class side_lines {
 public:
  explicit side_lines(int descriptor) : descriptor_(descriptor) {}
  /// One write; safe on any thread, host calls of a driver included. @p line has no line feed.
  void say(std::string_view line) const noexcept;

 private:
  int descriptor_;
};

using side_arguments = std::vector<std::string>;
using side_function = int (*)(const side_arguments& arguments, const side_lines& out);

/// Registers a side task before main(). @p name must be the only one of it.
class side_task {
 public:
  side_task(std::string_view name, side_function body);
};

/// How a side task ended.
struct side_end {
  enum class how { exited, signalled, silent, not_started };
  how ended = how::not_started;
  int code = 0;                    ///< exit status or signal
  std::vector<std::string> lines;  ///< what it said
};

/// Runs @p name in a process of its own and waits for it. It is killed when it has said nothing for
/// @p silence, or not its first line within @p start. Thread safe.
side_end run_side_task(std::string_view name, const side_arguments& arguments,
                       std::chrono::nanoseconds silence, std::chrono::nanoseconds start);

/// For main(), first of all: does a side task and leaves, where that is what this process is for.
void do_side_task_if_asked(int count, char** words);

}  // namespace streamcts
