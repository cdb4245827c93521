// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <vector>

#include "harness/program/types.h"

namespace streamcts::program {

/// Removes declarations that no operation uses, and renumbers the rest.
void drop_unused_buffers(stream_program& program);
void drop_unused(stream_program& program);

/// Removes the operations for which @p drop is true, what waits for a removed host call, and
/// perturbations of removed items.
void drop_operations(stream_program& program, const std::vector<bool>& drop);

}  // namespace streamcts::program
