// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>

#include "harness/faults/layer/stream_ref.h"

namespace streamcts::faults {

/// Makes everything later in @p stream start no sooner than @p by after what is in it now has
/// finished. Legal by itself (nothing promises a start), it gives time to see what does not wait.
/// Uses stream memory operations, else a host function that sleeps.
void slow_down(const stream_ref& stream, std::chrono::milliseconds by);

}  // namespace streamcts::faults
