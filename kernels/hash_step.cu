// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_hash_step: replaces each word by a hash of itself and `salt`. Steps do not commute, so a
// chain of them shows by its result in which order they ran. `out` may be `in`.

#include "kernels/kernel.h"
#include "kernels/pattern.h"

using namespace streamcts::kernels;

STREAMCTS_KERNEL(streamcts_hash_step)
(std::uint64_t* out, const std::uint64_t* in, std::uint64_t count, std::uint64_t salt) {
  const std::uint64_t stride = std::uint64_t{block_count()} * threads_per_block();
  for (std::uint64_t i = std::uint64_t{block_index()} * threads_per_block() + thread_index();
       i < count; i += stride) {
    put(out + i, mix(get(in + i) ^ salt) | 1);
  }
}
STREAMCTS_EXPORT_KERNEL(streamcts_hash_step)
