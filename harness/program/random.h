// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace streamcts::program {

/// Random numbers that are the same on every machine: xoshiro256++ seeded by SplitMix64. The
/// distributions of <random> differ between libraries, and a program is named by its seed.
class random_source {
 public:
  explicit random_source(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9E3779B97F4A7C15;
      std::uint64_t z = seed;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      word = z ^ (z >> 31);
    }
  }
  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotate(state_[3], 45);
    return result;
  }
  /// A number from 0 to @p n - 1. @pre n > 0. The bias is below n / 2^32.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(((next() >> 32) * n) >> 32); }
  /// A number from 0 (included) to 1 (excluded).
  double real() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double p) { return real() < p; }
  template <typename T, std::size_t N>
  const T& pick(const std::array<T, N>& from) {
    return from[below(N)];
  }
  /// An index drawn with these weights. @pre their sum is above 0.
  std::size_t weighted(std::span<const double> weights) {
    double sum = 0;
    for (const double w : weights) sum += w;
    double x = real() * sum;
    std::size_t last = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (weights[i] <= 0) continue;
      last = i;
      if (x < weights[i]) return i;
      x -= weights[i];
    }
    return last;
  }

 private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::array<std::uint64_t, 4> state_{};
};

}  // namespace streamcts::program
