// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <functional>

namespace streamcts::reference {

/// Starts a detached thread with a small stack and all signals blocked: signals of the program are
/// for the program's own threads. @p name appears in a debugger.
void start_thread(const char* name, std::function<void()> body);

/// Sleeps for up to 200 us, at random; often not at all.
void pause_randomly();

}  // namespace streamcts::reference
