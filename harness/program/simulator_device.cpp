// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulator's device: items start and end, and what a fault does to them.

#include "harness/program/simulator.h"

namespace streamcts::program {

bool simulator::may_start(std::size_t item) const {
  switch (options_.legal) {
    case variant::single_queue:
      return ((item_set::first(item) & submitted_) - over_).empty();
    case variant::serial_host_calls:
      return host_running_ == 0 || !items_->host_calls().has(item);
    case variant::lazy_start:
      return flushed_.has(item);
    default:
      return true;
  }
}

/// Whether an item that would start after a fault does not run. Device work behind a fault may or
/// may not; callbacks do, with an error; host functions do not.
bool simulator::dropped_by_fault(std::size_t item) {
  if (!faulted_) return false;
  const program::item& x = items_->items()[item];
  if (x.kind == item_kind::callback) return is(defect::i4);
  if (x.kind != item_kind::host_function) return random_.chance(.5);
  return x.node != none ? random_.chance(.5) : !is(defect::i5);
}

void simulator::start(std::size_t in, std::size_t item) {
  start_ready_[item] = -1;
  if (dropped_by_fault(item)) {
    over_.add(item);
    ++queues_[in].head;
    ++queues_[in].popped;
    return;
  }
  queues_[in].busy = true;
  const program::item& x = items_->items()[item];
  const bool host = is_host_item(x.kind);
  if (host || x.kind == item_kind::kernel) {
    look_from({observer::place::item_start, static_cast<index>(item)}, host);
  }
  begun_.add(item);
  note(log_entry::event::begun, item);
  if (x.read != none && !captured_.has(item)) {
    taken_[item] = contents_[static_cast<std::size_t>(x.read)];
  }
  running_.push_back({in, static_cast<std::uint16_t>(item), -1, now_, false});
  if (host) enter_host_call(item);
}

void simulator::enter_host_call(std::size_t item) {
  ++host_running_;
  host_call c{static_cast<index>(item)};
  c.entered = sequence_;
  const program::item& x = items_->items()[item];
  bool error = faulted_;
  if (is(defect::i1)) error = false;
  if (is(defect::i3)) error = faulted_ && error_callbacks_++ == 0;
  if (is(defect::i6)) error = items_->fault() >= 0;
  if (is(defect::i7)) error = faulted_ && x.stream == fault_stream_;
  c.error_status = x.kind == item_kind::callback && error;
  c.right_arguments = !is(defect::h5) || seen_.host_calls.empty();
  seen_.host_calls.push_back(c);

  running_item& r = running_.back();
  queue& q = queues_[r.queue];
  if (is(defect::b4)) {
    for (std::size_t i = q.head + 1; i < q.entries.size(); ++i) {
      if (q.entries[i].what != entry::type::signal) break;
      tokens_[q.entries[i].number] = 1;
    }
  }
  const bool next_is_host_call = q.pending() > 1 &&
                                 q.entries[q.head + 1].what == entry::type::item &&
                                 items_->host_calls().has(q.entries[q.head + 1].number);
  if (is(defect::b5) || (is(defect::b8) && next_is_host_call)) release(r);
}

/// Lets what is behind a running item go on.
void simulator::release(running_item& r) {
  queue& q = queues_[r.queue];
  q.busy = false;
  ++q.head;
  ++q.popped;
  r.released = true;
}

void simulator::finish(std::size_t running) {
  const running_item r = running_[running];
  running_.erase(running_.begin() + static_cast<std::ptrdiff_t>(running));
  const program::item& x = items_->items()[r.item];
  if (is_host_item(x.kind)) {
    look_from({observer::place::item_end, static_cast<index>(r.item)}, true);
    --host_running_;
    for (host_call& c : seen_.host_calls) {
      if (c.item == static_cast<index>(r.item) && c.left == 0) c.left = sequence_;
    }
  }
  if (x.kind == item_kind::fault) {
    fault_now();
  } else if (!doomed_.has(r.item)) {
    const operation& o = program_->ops[static_cast<std::size_t>(x.op)];
    const bool late_read =
        is(defect::e12) && promise_at_return(*program_, o) == return_promise::source_read;
    if (late_read) taken_[r.item] = contents_[static_cast<std::size_t>(x.read)];
    if (x.write != none && x.kind != item_kind::attach) {
      contents_[static_cast<std::size_t>(x.write)] =
          x.read != none ? taken_[r.item] : buffer_value::of_item(r.item);
    }
    if (is(defect::f12) && x.kind == item_kind::copy && x.node != none) replays_.push_back(r.item);
    done_.add(r.item);
  }
  over_.add(r.item);
  note(log_entry::event::done, r.item);
  if (r.released) return;
  queue& q = queues_[r.queue];
  q.busy = false;
  ++q.head;
  ++q.popped;
}

/// Running device work may be lost with the context.
void simulator::fault_now() {
  faulted_ = true;
  fault_stream_ = items_->items()[static_cast<std::size_t>(items_->fault())].stream;
  for (const running_item& r : running_) {
    if (!items_->host_calls().has(r.item) && random_.chance(.5)) doomed_.add(r.item);
  }
}

}  // namespace streamcts::program
