// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

namespace streamcts::runner {

/// Where the threads of a process stand, as lines of text: for each thread a heading with its name,
/// the system call it is in and what the kernel has it wait for, then its frames by libunwind over
/// ptrace. Where tracing is refused, not built in or too slow the frames are missing and a line says
/// why. The process is stopped meanwhile and goes on afterwards. Takes at most about @p limit.
std::vector<std::string> take_stacks(pid_t process,
                                     std::chrono::milliseconds limit = std::chrono::seconds(3));

}  // namespace streamcts::runner
