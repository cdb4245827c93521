// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <memory>

#include "harness/faults/tools/host_calls.h"

namespace streamcts::faults {

/// How many host calls of the process are enqueued and have not returned.
class pending_calls {
 public:
  /// Call for each operation before it is enqueued.
  void follow(operation& op) {
    if (!op.call) return;
    count_->fetch_add(1, std::memory_order_relaxed);
    wrap_host_call(op, [count = count_](host_run& run) {
      run.call();
      count->fetch_sub(1, std::memory_order_relaxed);
    });
  }
  unsigned count() const { return count_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<unsigned>> count_ = std::make_shared<std::atomic<unsigned>>(0);
};

}  // namespace streamcts::faults
