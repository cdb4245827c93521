// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// What /proc tells of the threads of another process. Private to the watchdog.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace streamcts::runner {

/// Ids of the threads of @p process, ascending; empty when it is gone.
std::vector<pid_t> threads_of(pid_t process);

/// "thread 123 'name', in system call 202, waiting in futex_wait_queue": as much of it as can be read.
std::string thread_heading(pid_t process, pid_t thread);

}  // namespace streamcts::runner
