// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/trail.h"

namespace streamcts::faults {

bool trail::is_current(const run& r, bool legacy) const {
  if (!r.open) return false;
  if (!r.blocking) return true;
  return r.stamp == (legacy ? blocking_operations_.load() : legacy_operations_.load());
}

bool trail::follow(const operation& op) {
  const bool legacy = op.stream.is_legacy();
  const bool blocking = op.stream.is_blocking();
  const bool belongs = belongs_(op);
  const stream_key key = op.stream.key();
  if (legacy) {
    ++legacy_operations_;
  } else if (blocking) {
    ++blocking_operations_;
  }
  const bool continues =
      belongs && runs_.with(key, [&](run& r) {
        if (!is_current(r, legacy)) return false;
        ++r.length;
        return true;
      });
  if (continues) return true;
  // Recorded outside the lock: any call may block.
  private_event start = belongs ? record_in(op.stream) : nullptr;
  runs_.with(key, [&](run& r) {
    r.open = start != nullptr;
    r.start = std::move(start);
    r.length = 1;
    r.blocking = blocking;
    r.stamp = legacy ? blocking_operations_.load() : legacy_operations_.load();
  });
  return belongs;
}

trail::run trail::at_end_of(const stream_ref& stream) {
  const bool legacy = stream.is_legacy();
  return runs_.with(stream.key(), [&](run& r) { return is_current(r, legacy) ? r : run{}; });
}

}  // namespace streamcts::faults
