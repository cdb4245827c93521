// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>

namespace streamcts::driver {

/// Keeps @p thing for the rest of the process, reachable, and destroys it never: for what a driver
/// may still use, and for what code that outlives main() may call. Safe from any thread.
void keep_for_ever(std::shared_ptr<const void> thing);

}  // namespace streamcts::driver
