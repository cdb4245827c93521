// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_check: compares a payload with a pattern on the device; one thread reports how many
// words differ and the first of them. The result is payload: read it after a synchronization.

#include "kernels/kernel.h"
#include "kernels/parameters.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_check)
(const std::uint64_t* in, std::uint64_t count, std::uint64_t base, std::uint64_t step,
 check_result* result) {
  if (block_index() != 0 || thread_index() != 0) return;
  check_result found{0, 0, 0};
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t seen = get(in + i);
    if (seen == base + i * step) continue;
    if (found.mismatches++ == 0) {
      found.first_index = i;
      found.first_seen = seen;
    }
  }
  put(&result->mismatches, found.mismatches);
  put(&result->first_index, found.first_index);
  put(&result->first_seen, found.first_seen);
}
STREAMCTS_EXPORT_KERNEL(streamcts_check)
