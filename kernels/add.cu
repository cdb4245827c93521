// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_add: adds to a counter in device memory; one thread, plain accesses.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_add)(std::uint64_t* counter, std::uint64_t value) {
  if (block_index() == 0 && thread_index() == 0) put(counter, get(counter) + value);
}
STREAMCTS_EXPORT_KERNEL(streamcts_add)
