// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/trail.h"

namespace streamcts::faults {

bool trail::follow(const operation& op) {
  clock_.tick(op);
  const stream_key key = op.stream.key();
  if (!belongs_(op)) {
    runs_.with(key, [](run& r) { r = {}; });
    return false;
  }
  const unsigned long long now = clock_.now(op.stream);
  const bool continues = runs_.with(key, [&](run& r) {
    if (r.length == 0 || r.stamp != now) return false;
    ++r.length;
    return true;
  });
  if (continues) return true;
  // Recorded outside the lock: any call may block.
  private_event start = record_in(op.stream);
  runs_.with(key, [&](run& r) { r = {std::move(start), 1, now}; });
  return true;
}

trail::run trail::at_end_of(const stream_ref& stream) {
  const unsigned long long now = clock_.now(stream);
  return runs_.with(stream.key(), [&](run& r) { return r.stamp == now ? r : run{}; });
}

}  // namespace streamcts::faults
