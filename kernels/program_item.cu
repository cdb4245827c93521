// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_program_item: one operation of a stream program. It says that it has begun, waits for a
// gate if it is given one, fills or copies a payload with plain stores, and says that it is done.
// One block. Any pointer but `in` alone may be null. Byte k of a pattern is byte k % 8 of the word
// base + k / 8 * step.
//
// The cells are relaxed on purpose: a release would publish the payload, whose visibility is the
// driver's business.

#include "kernels/kernel.h"
#include "kernels/parameters.h"

using namespace streamcts::kernels;

#if defined(__CUDACC__)
STREAMCTS_DEVICE void store_relaxed_sys(std::uint32_t* word, std::uint32_t value) {
  asm volatile("st.relaxed.sys.global.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}
/// True in one thread, once every thread of the block has come here.
STREAMCTS_DEVICE bool last_of_block() {
  __syncthreads();
  return threadIdx.x == 0;
}
#else
static void store_relaxed_sys(std::uint32_t* word, std::uint32_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}
static bool last_of_block() { return thread_index() + 1 == threads_per_block(); }
#endif

STREAMCTS_KERNEL(streamcts_program_item)
(std::uint32_t* begun, std::uint32_t* done, std::uint32_t token, std::uint32_t* gate,
 std::uint64_t timeout_ns, std::uint8_t* out, const std::uint8_t* in, std::uint64_t bytes,
 std::uint64_t base, std::uint64_t step) {
  if (thread_index() == 0 && begun) store_relaxed_sys(begun, token);
  const std::uint64_t start = gate ? global_timer_ns() : 0;
  while (gate && load_acquire_sys(gate) == gate_shut) {
    if (global_timer_ns() - start > timeout_ns) {
      store_release_sys(gate, gate_expired);
      break;
    }
    relax();
  }
  const std::uint64_t words = bytes / 8;
  for (std::uint64_t i = thread_index(); out && i < words; i += threads_per_block()) {
    put(reinterpret_cast<std::uint64_t*>(out) + i,
        in ? get(reinterpret_cast<const std::uint64_t*>(in) + i) : base + i * step);
  }
  if (thread_index() == 0) {
    for (std::uint64_t k = words * 8; out && k < bytes; ++k) {
      const std::uint64_t word = base + words * step;
      put(out + k, in ? get(in + k) : static_cast<std::uint8_t>(word >> (k % 8 * 8)));
    }
  }
  if (last_of_block() && done) store_relaxed_sys(done, token);
}
STREAMCTS_EXPORT_KERNEL(streamcts_program_item)
