// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_alternate: one thread that stores a value and its complement in turn, 64 bits each,
// relaxed with system scope, until the host opens `stop` or its own time limit passes. Whoever reads
// the word in single accesses sees one or the other.

#include "kernels/kernel.h"
#include "kernels/parameters.h"

using namespace streamcts::kernels;

#if defined(__CUDACC__)
STREAMCTS_DEVICE void streamcts_store_relaxed_sys(std::uint64_t* word, std::uint64_t value) {
  asm volatile("st.relaxed.sys.global.u64 [%0], %1;" ::"l"(word), "l"(value) : "memory");
}
#else
static void streamcts_store_relaxed_sys(std::uint64_t* word, std::uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
#endif

STREAMCTS_KERNEL(streamcts_alternate)
(std::uint64_t* word, std::uint64_t value, const std::uint32_t* stop, std::uint64_t timeout_ns) {
  const std::uint64_t start = global_timer_ns();
  do {
    value = ~value;  // what stays while this thread rests: each of the two in turn
    for (int i = 0; i < 16; ++i) {
      streamcts_store_relaxed_sys(word, ~value);
      streamcts_store_relaxed_sys(word, value);
    }
    relax();
  } while (load_acquire_sys(stop) == gate_shut && global_timer_ns() - start < timeout_ns);
}
STREAMCTS_EXPORT_KERNEL(streamcts_alternate)
