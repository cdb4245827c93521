// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_delay: occupies its stream for at least `duration_ns` of the device's clock.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_delay)(std::uint64_t duration_ns) {
  const std::uint64_t start = global_timer_ns();
  while (global_timer_ns() - start < duration_ns) relax();
}
STREAMCTS_EXPORT_KERNEL(streamcts_delay)
