// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <utility>

#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

/// Follows, for each stream, the run of operations at its end that satisfy a condition, and keeps an
/// event recorded just before that run. Something ordered behind the event alone ignores the run.
///
/// Work of the legacy stream enqueued inside a run orders blocking streams too, so it ends their
/// runs, as any other operation does; runs in the legacy stream end with work of blocking streams.
class trail {
 public:
  explicit trail(condition belongs) : belongs_(std::move(belongs)) {}

  struct run {
    private_event start;  ///< recorded just before it; null: there is no run
    unsigned length = 0;
    unsigned long long stamp = 0;  ///< position among the operations that could end it
    bool blocking = true;          ///< of its stream
    bool open = false;
  };

  /// Call before each operation is forwarded.
  /// @return true where @p op belongs to a run.
  bool follow(const operation& op);
  /// The run at the end of a stream as it is now.
  run at_end_of(const stream_ref& stream);
  void forget(const stream_key& key) { runs_.forget(key); }

 private:
  bool is_current(const run& r, bool legacy) const;

  condition belongs_;
  per_stream<run> runs_;
  std::atomic<unsigned long long> legacy_operations_{0};
  std::atomic<unsigned long long> blocking_operations_{0};
};

}  // namespace streamcts::faults
