// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/event.h"

#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"

namespace streamcts::reference {

event_table& events() {
  static event_table& only = *new event_table;
  return only;
}

void set_record(driver_lock&, event& e, const item_ptr& marker) {
  e.recorded = true;
  e.record = marker;
  e.capture.reset();
  e.captured.clear();
}

void record(driver_lock& lock, event& e, stream& s) {
  const std::shared_ptr<context> c = s.owner.lock();
  require(e.owner.lock() == c, CUDA_ERROR_INVALID_HANDLE);
  const item_ptr marker = make_item(lock, c, executor::nobody);
  set_record(lock, e, marker);
  // ST-DEF-006: a record in the legacy stream is behind the blocking streams. Whether they in turn
  // are behind it is not documented.
  const bool is_action = !active(variant::weak_scheduler);
  enqueue(lock, s, marker, is_action);
}

void wait_for_event(driver_lock& lock, stream& s, const event& e) {
  const std::shared_ptr<context> c = s.owner.lock();
  const item_ptr marker = make_item(lock, c, executor::nobody);
  order(lock, e.record, marker);
  if (active(variant::wait_covers_more)) {
    for (const item_ptr& item : frontier(lock, *c)) order(lock, item, marker);
  }
  enqueue(lock, s, marker);
}

}  // namespace streamcts::reference
