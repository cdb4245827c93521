// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Names, values and result layouts that kernels share with the host. Frozen: drivers resolve
// kernels by these names, and archived reproducers carry copies of the sources.

#pragma once

#include <cstdint>

namespace streamcts::kernels {

/// States of a gate word. The host writes `opened`; the kernel writes `expired` when its own time
/// limit passed first.
enum gate_word : std::uint32_t { gate_shut = 0, gate_opened = 1, gate_expired = 2 };

/// Result of streamcts_check: how many words differ, and the first of them.
struct check_result {
  std::uint64_t mismatches;
  std::uint64_t first_index;
  std::uint64_t first_seen;
};

}  // namespace streamcts::kernels
