// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <utility>

#include "harness/faults/tools/barrier_clock.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

/// Follows, for each stream, the run of operations at its end that satisfy a condition, and keeps an
/// event recorded just before that run. Something ordered behind the event alone ignores the run.
/// A run ends with any other operation, and with work elsewhere that orders the stream by the legacy
/// stream's barrier.
class trail {
 public:
  explicit trail(condition belongs) : belongs_(std::move(belongs)) {}

  struct run {
    private_event start;   ///< recorded just before it
    unsigned length = 0;   ///< 0: there is no run
    unsigned long long stamp = 0;
  };

  /// Call before each operation is forwarded.
  /// @return true where @p op belongs to a run.
  bool follow(const operation& op);
  /// The run at the end of a stream as it is now.
  run at_end_of(const stream_ref& stream);
  /// Ends the run of @p stream.
  void forget(const stream_key& key) { runs_.forget(key); }

 private:
  condition belongs_;
  per_stream<run> runs_;
  barrier_clock clock_;
};

}  // namespace streamcts::faults
