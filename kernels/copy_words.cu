// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_copy_words: copies a payload word by word with plain loads and stores.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_copy_words)
(std::uint64_t* out, const std::uint64_t* in, std::uint64_t count) {
  const std::uint64_t stride = std::uint64_t{block_count()} * threads_per_block();
  for (std::uint64_t i = std::uint64_t{block_index()} * threads_per_block() + thread_index();
       i < count; i += stride) {
    put(out + i, get(in + i));
  }
}
STREAMCTS_EXPORT_KERNEL(streamcts_copy_words)
