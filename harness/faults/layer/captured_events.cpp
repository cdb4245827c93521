// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/layer/captured_events.h"

#include <mutex>
#include <set>

namespace streamcts::faults {
namespace {

struct captured_set {
  std::mutex mutex;
  std::set<CUevent> events;
};
captured_set& captured() {
  // Never destroyed: calls may come while the process ends.
  static captured_set& all = *new captured_set;
  return all;
}

}  // namespace

void note_record(CUevent event, bool is_under_capture) {
  captured_set& all = captured();
  const std::lock_guard lock(all.mutex);
  if (is_under_capture) {
    all.events.insert(event);
  } else {
    all.events.erase(event);
  }
}

bool is_captured(CUevent event) {
  captured_set& all = captured();
  const std::lock_guard lock(all.mutex);
  return all.events.count(event) != 0;
}

void forget_event(CUevent event) { note_record(event, false); }

}  // namespace streamcts::faults
