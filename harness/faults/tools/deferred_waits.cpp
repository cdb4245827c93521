// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/deferred_waits.h"

#include "harness/faults/layer/real_driver.h"

namespace streamcts::faults {

void deferred_waits::defer(const operation& op) {
  std::uint64_t record = 0;
  {
    const std::lock_guard lock(mutex_);
    record = records_[op.event];
  }
  const bool blocking = op.stream.is_blocking();
  states_.with(op.stream.key(), [&](state& s) {
    s.stream = op.stream;
    s.blocking = blocking;
    s.waits.push_back({op.event, op.event_flags, record});
  });
}

void deferred_waits::give_where(const std::function<bool(const state&, const wait&)>& chosen) {
  std::vector<std::pair<stream_ref, wait>> now;
  states_.for_each([&](const stream_key&, state& s) {
    std::vector<wait> kept;
    for (const wait& w : s.waits) {
      if (chosen(s, w)) {
        now.emplace_back(s.stream, w);
      } else {
        kept.push_back(w);
      }
    }
    s.waits = std::move(kept);
  });
  for (const auto& [stream, w] : now) {
    bool recorded_since = false;
    {
      const std::lock_guard lock(mutex_);
      recorded_since = records_[w.event] != w.record;
    }
    given_(recorded_since);
    real().stream_wait_event[stream.mode](stream.handle, w.event, w.flags);
  }
}

void deferred_waits::give(const stream_ref& stream) {
  const stream_key key = stream.key();
  give_where([&](const state& s, const wait&) { return s.stream.key() == key; });
}

void deferred_waits::give_blocking() {
  give_where([](const state& s, const wait&) { return s.blocking; });
}

void deferred_waits::give_all() {
  give_where([](const state&, const wait&) { return true; });
}

void deferred_waits::give_event(CUevent event) {
  give_where([&](const state&, const wait& w) { return w.event == event; });
}

void deferred_waits::drop_event(CUevent event) {
  states_.for_each([&](const stream_key&, state& s) {
    std::erase_if(s.waits, [&](const wait& w) { return w.event == event; });
  });
}

void deferred_waits::drop(const stream_ref& stream) { states_.forget(stream.key()); }

std::vector<CUevent> deferred_waits::events(const stream_ref& stream) {
  return states_.with(stream.key(), [](state& s) {
    std::vector<CUevent> events;
    for (const wait& w : s.waits) events.push_back(w.event);
    return events;
  });
}

void deferred_waits::recorded(CUevent event) {
  const std::lock_guard lock(mutex_);
  ++records_[event];
}

}  // namespace streamcts::faults
