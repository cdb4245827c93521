// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "harness/reference/stream.h"

namespace streamcts::reference {

/// An event: a pointer to the marker that its last record put into a stream. Recording again
/// replaces the pointer; waits that were bound to the old marker keep it (JN-EVENT-004), and so does
/// destruction (JN-EVENT-007). Fields are guarded by the driver lock.
struct event {
  CUevent handle = nullptr;
  std::weak_ptr<context> owner;
  unsigned flags = CU_EVENT_DEFAULT;
  bool recorded = false;
  item_ptr record;

  std::shared_ptr<capture_session> capture;  ///< set if the last record was captured
  std::vector<std::shared_ptr<graph_node>> captured;

  bool timed() const { return (flags & CU_EVENT_DISABLE_TIMING) == 0; }
};
using event_ptr = std::shared_ptr<event>;

using event_table = handle_table<event, CUevent>;
event_table& events();

/// Points @p e to @p marker, which is in a stream or a graph launch.
void set_record(driver_lock&, event& e, const item_ptr& marker);

/// Records @p e in @p s. Refuses with INVALID_HANDLE if they are of different contexts.
void record(driver_lock&, event& e, stream& s);

/// Makes later work of @p s wait for what @p e stands for now.
void wait_for_event(driver_lock&, stream& s, const event& e);

}  // namespace streamcts::reference
