// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_count: each thread adds 1 to a counter `times` times, atomically with system scope: for
// memory that host and device may use at the same time.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

#if defined(__CUDACC__)
STREAMCTS_DEVICE void streamcts_add_one_sys(std::uint64_t* counter) {
  asm volatile("red.relaxed.sys.global.add.u64 [%0], %1;" ::"l"(counter), "l"(1ull) : "memory");
}
#else
static void streamcts_add_one_sys(std::uint64_t* counter) {
  __atomic_fetch_add(counter, std::uint64_t{1}, __ATOMIC_RELAXED);
}
#endif

STREAMCTS_KERNEL(streamcts_count)(std::uint64_t* counter, std::uint64_t times) {
  for (std::uint64_t i = 0; i < times; ++i) streamcts_add_one_sys(counter);
}
STREAMCTS_EXPORT_KERNEL(streamcts_count)
