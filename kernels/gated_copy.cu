// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_gated_copy: waits for a gate as streamcts_gated_write does, then copies a payload with
// plain loads and stores: what it acquires with the gate word, it has to see. One block.

#include "kernels/kernel.h"
#include "kernels/parameters.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_gated_copy)
(std::uint32_t* gate, std::uint32_t* begun, std::uint32_t token, std::uint64_t timeout_ns,
 std::uint64_t* out, const std::uint64_t* in, std::uint64_t count) {
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
    put(out + i, get(in + i));
  }
}
STREAMCTS_EXPORT_KERNEL(streamcts_gated_copy)
