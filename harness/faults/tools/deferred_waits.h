// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <functional>
#include <mutex>
#include <vector>

#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

/// Stream waits that have been asked for and not yet been given to the driver. Whoever defers one
/// gives it before the next thing in that stream, or anything else that would notice.
class deferred_waits {
 public:
  struct wait {
    CUevent event;
    unsigned flags;
    std::uint64_t record;  ///< which record of the event it was asked for
  };
  /// Told of each wait as it is given to the driver: whether its event has been recorded since.
  using observer = std::function<void(bool recorded_since)>;

  explicit deferred_waits(observer given = [](bool) {}) : given_(std::move(given)) {}

  /// Only for created streams: another thread could not name another's per-thread stream.
  void defer(const operation& op);
  /// Gives what is deferred in one stream, or in every blocking one, or everywhere.
  void give(const stream_ref& stream);
  void give_blocking();
  void give_all();
  /// Gives, or drops, every wait for @p event.
  void give_event(CUevent event);
  void drop_event(CUevent event);
  /// Drops what is deferred in @p stream.
  void drop(const stream_ref& stream);
  /// The events that @p stream is to wait for.
  std::vector<CUevent> events(const stream_ref& stream);

  /// Call for each record.
  void recorded(CUevent event);

 private:
  struct state {
    stream_ref stream;
    bool blocking = true;
    std::vector<wait> waits;
  };
  void give_where(const std::function<bool(const state&, const wait&)>& chosen);

  observer given_;
  per_stream<state> states_;
  std::mutex mutex_;
  std::map<CUevent, std::uint64_t> records_;
};

}  // namespace streamcts::faults
