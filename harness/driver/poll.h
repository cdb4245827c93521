// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <thread>

namespace streamcts::driver {

/// Asks @p done until it says true (returns true) or @p limit has passed (false). Asks at least
/// once; spins for the first 50 us, then sleeps between questions, so that a busy machine gets on.
template <typename Predicate>
bool poll(std::chrono::nanoseconds limit, Predicate&& done) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  while (!done()) {
    const auto waited = clock::now() - start;
    if (waited >= limit) return false;
    if (waited < std::chrono::microseconds(50)) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }
  return true;
}

}  // namespace streamcts::driver
