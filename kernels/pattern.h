// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What payload buffers hold. Word i of a payload of epoch e is `base(e) + i * step`, so that a
// check runs at the speed of memory, and so that
//   - two epochs differ in every word (a stale word shows which round it is of),
//   - two words of one epoch differ (a misplaced word is noticed),
//   - every word is odd, and the sentinel is even: no pattern ever produces it.

#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define STREAMCTS_PATTERN_FUNCTION __host__ __device__ constexpr
#else
#define STREAMCTS_PATTERN_FUNCTION constexpr
#endif

namespace streamcts::kernels {

/// Written by the host before a round; never a value of a pattern. All bytes are equal, so that a
/// memset can write it too.
inline constexpr std::uint8_t sentinel_byte = 0xA6;
inline constexpr std::uint64_t sentinel = 0xA6A6A6A6A6A6A6A6;

/// A pattern: word i is base + i * step (modulo 2^64).
struct pattern {
  std::uint64_t base;
  std::uint64_t step;

  STREAMCTS_PATTERN_FUNCTION std::uint64_t word(std::uint64_t index) const {
    return base + index * step;
  }
};

/// A mixing hash (the finaliser of SplitMix64).
STREAMCTS_PATTERN_FUNCTION std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

/// The pattern of kernels and copies in round @p epoch: every word differs from its neighbours.
STREAMCTS_PATTERN_FUNCTION pattern ramp(std::uint64_t epoch) {
  return {mix(epoch) | 1, 0x9E3779B97F4A7C16};
}

/// The pattern of memsets in round @p epoch: one 32-bit value everywhere, since a memset can write
/// nothing else.
STREAMCTS_PATTERN_FUNCTION std::uint32_t uniform_value(std::uint64_t epoch) {
  return static_cast<std::uint32_t>(mix(~epoch)) | 1;
}
STREAMCTS_PATTERN_FUNCTION pattern uniform(std::uint64_t epoch) {
  return {uniform_value(epoch) * 0x0000000100000001ull, 0};
}

}  // namespace streamcts::kernels
