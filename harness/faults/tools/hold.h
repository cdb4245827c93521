// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

#include "harness/faults/layer/stream_ref.h"

namespace streamcts::faults {

/// Something that streams can be made to wait for, by stream memory operations. Thread-safe.
class stall {
 public:
  /// Null where there are no stream memory operations or no place is left.
  static std::shared_ptr<stall> make();

  /// Everything later in @p stream waits for this. False where the driver refuses.
  bool hold(const stream_ref& stream);
  /// Opens it from the host.
  void open();
  /// Opens it when @p stream gets there.
  void open_from(const stream_ref& stream);
  bool is_open() const;

  /// Notes on the host when @p stream gets there.
  bool mark(const stream_ref& stream);
  bool is_marked() const;

  /// True for the first caller: it alone is to open this.
  bool claim() { return !claimed_.exchange(true); }

 private:
  stall(int slot, std::uint32_t use) : slot_(slot), use_(use) {}

  const int slot_;
  const std::uint32_t use_;
  std::atomic<bool> claimed_{false};
};

/// Makes everything later in @p stream start no sooner than @p by after what is in it now has
/// finished. Legal by itself (nothing promises a start), it gives time to see what does not wait.
/// Uses a stall, else a host function that sleeps.
void slow_down(const stream_ref& stream, std::chrono::milliseconds by);

}  // namespace streamcts::faults
