// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <functional>

namespace streamcts::faults {

/// Calls @p job every millisecond or so on a thread of this layer until it returns true. Jobs are
/// short and make no CUDA call. The thread is started by the first job and ends with the process,
/// without finishing what is left.
void in_background(std::function<bool()> job);

/// Calls @p job there once, after @p delay.
void later(std::chrono::milliseconds delay, std::function<void()> job);

}  // namespace streamcts::faults
