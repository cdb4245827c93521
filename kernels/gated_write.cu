// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_gated_write: the victim of a hold. It is running and has written nothing until the gate
// opens; then it fills the payload with plain stores. Launched as one block; each thread waits for
// itself, since on a CPU the threads run one after another.

#include "kernels/kernel.h"
#include "kernels/parameters.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_gated_write)
(std::uint32_t* gate, std::uint32_t* begun, std::uint32_t token, std::uint64_t timeout_ns,
 std::uint64_t* out, std::uint64_t count, std::uint64_t base, std::uint64_t step) {
  if (block_index() == 0 && thread_index() == 0) store_release_sys(begun, token);
  const std::uint64_t start = global_timer_ns();
  while (load_acquire_sys(gate) == gate_shut) {
    if (global_timer_ns() - start > timeout_ns) {
      store_release_sys(gate, gate_expired);
      break;
    }
    relax();
  }
  const std::uint64_t stride = std::uint64_t{block_count()} * threads_per_block();
  for (std::uint64_t i = std::uint64_t{block_index()} * threads_per_block() + thread_index();
       i < count; i += stride) {
    put(out + i, base + i * step);
  }
}
STREAMCTS_EXPORT_KERNEL(streamcts_gated_write)
