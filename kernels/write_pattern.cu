// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_write_pattern: fills a payload with plain stores. The last block waits `late_ns` before
// its part, so that a driver that watches only the first blocks is early by an amount one can see.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_write_pattern)
(std::uint64_t* out, std::uint64_t count, std::uint64_t base, std::uint64_t step,
 std::uint64_t late_ns) {
  if (late_ns != 0 && block_index() + 1 == block_count()) {
    const std::uint64_t start = global_timer_ns();
    while (global_timer_ns() - start < late_ns) relax();
  }
  const std::uint64_t stride = std::uint64_t{block_count()} * threads_per_block();
  for (std::uint64_t i = std::uint64_t{block_index()} * threads_per_block() + thread_index();
       i < count; i += stride) {
    put(out + i, base + i * step);
  }
}
STREAMCTS_EXPORT_KERNEL(streamcts_write_pattern)
