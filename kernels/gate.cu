// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_gate: one thread that holds its stream until the host opens the gate word, or until its
// own time limit, which it reports in the same word.

#include "kernels/kernel.h"
#include "kernels/parameters.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_gate)
(std::uint32_t* gate, std::uint32_t* begun, std::uint32_t token, std::uint64_t timeout_ns) {
  store_release_sys(begun, token);
  const std::uint64_t start = global_timer_ns();
  while (load_acquire_sys(gate) == gate_shut) {
    if (global_timer_ns() - start > timeout_ns) {
      store_release_sys(gate, gate_expired);
      return;
    }
    relax();
  }
}
STREAMCTS_EXPORT_KERNEL(streamcts_gate)
