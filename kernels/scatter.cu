// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// streamcts_scatter: fills a payload with plain stores of 1, 2, 4, 8 or 16 bytes, in an order that
// jumps about, so that no two stores that follow each other share a line. `count` words, a power of
// two; the stores of 16 bytes write two words, and an address of theirs is a multiple of 16.

#include "kernels/kernel.h"

using namespace streamcts::kernels;

struct alignas(16) streamcts_two_words {
  std::uint64_t low, high;
};

template <typename T>
STREAMCTS_DEVICE void streamcts_put_in_pieces(std::uint64_t* at, std::uint64_t word) {
  for (std::uint32_t piece = 0; piece < 8 / sizeof(T); ++piece) {
    put(reinterpret_cast<T*>(at) + piece, static_cast<T>(word >> (piece * sizeof(T) * 8)));
  }
}

STREAMCTS_KERNEL(streamcts_scatter)
(std::uint64_t* out, std::uint64_t count, std::uint64_t base, std::uint64_t step,
 std::uint32_t width) {
  const std::uint64_t words_each = width == 16 ? 2 : 1;
  const std::uint64_t units = count / words_each;
  const std::uint64_t stride = std::uint64_t{block_count()} * threads_per_block();
  for (std::uint64_t n = std::uint64_t{block_index()} * threads_per_block() + thread_index();
       n < units; n += stride) {
    const std::uint64_t i = (n * 1021 + 509) % units * words_each;
    const std::uint64_t word = base + i * step;
    switch (width) {
      case 1: streamcts_put_in_pieces<std::uint8_t>(out + i, word); break;
      case 2: streamcts_put_in_pieces<std::uint16_t>(out + i, word); break;
      case 4: streamcts_put_in_pieces<std::uint32_t>(out + i, word); break;
      case 16:
        put(reinterpret_cast<streamcts_two_words*>(out + i), streamcts_two_words{word, word + step});
        break;
      default: put(out + i, word); break;
    }
  }
}
STREAMCTS_EXPORT_KERNEL(streamcts_scatter)
