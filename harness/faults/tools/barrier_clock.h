// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>

#include "harness/faults/layer/operation.h"

namespace streamcts::faults {

/// Tells whether work that orders a stream from outside, by the legacy stream's barrier, was
/// enqueued between two moments.
class barrier_clock {
 public:
  /// Call for each operation.
  void tick(const operation& op) {
    if (op.stream.is_legacy()) {
      legacy_.fetch_add(1, std::memory_order_relaxed);
    } else if (op.stream.is_blocking()) {
      blocking_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// Equal at two moments: nothing came between them.
  unsigned long long now(const stream_ref& stream) const {
    if (stream.is_legacy()) return blocking_.load(std::memory_order_relaxed);
    if (stream.is_blocking()) return legacy_.load(std::memory_order_relaxed);
    return 0;
  }

 private:
  std::atomic<unsigned long long> legacy_{0};
  std::atomic<unsigned long long> blocking_{0};
};

}  // namespace streamcts::faults
