// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_message: message passing with system scope. Plain stores of a payload, then a release of
// the flag: whoever acquires the flag sees the payload, while the kernel still runs. It then waits,
// at most `linger_ns`, for the reader's answer in `reply`.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_message)
(std::uint64_t* out, std::uint64_t count, std::uint64_t base, std::uint64_t step,
 std::uint32_t* flag, std::uint32_t token, const std::uint32_t* reply, std::uint64_t linger_ns) {
  if (block_index() != 0 || thread_index() != 0) return;
  for (std::uint64_t i = 0; i < count; ++i) put(out + i, base + i * step);
  store_release_sys(flag, token);
  const std::uint64_t start = global_timer_ns();
  while (load_acquire_sys(reply) != token && global_timer_ns() - start < linger_ns) relax();
}
STREAMCTS_EXPORT_KERNEL(streamcts_message)
