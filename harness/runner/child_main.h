// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/runner/case_host.h"

namespace streamcts::runner {

/// The whole life of a child: reads its order from the control descriptor, does it, says what came
/// of it. Does not return, and installs no crash handler: how a child ends is the parent's business.
[[noreturn]] void child_main(const suite& program);

}  // namespace streamcts::runner
