// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What calls put into the simulator's queues.

#include "harness/program/simulator.h"

namespace streamcts::program {
namespace {

bool is_sync_form(op_kind kind) {
  return kind == op_kind::copy_sync || kind == op_kind::memset_sync;
}

}  // namespace

std::uint16_t simulator::new_token() {
  tokens_.push_back(0);
  return static_cast<std::uint16_t>(tokens_.size() - 1);
}

std::size_t simulator::new_queue() {
  if (queues_used_ == queues_.size()) queues_.emplace_back();
  queue& q = queues_[queues_used_];
  q.entries.clear();
  q.head = q.popped = 0;
  q.busy = false;
  return queues_used_++;
}

void simulator::push(queue& q, entry::type what, std::size_t number, entry::cause why) {
  q.entries.push_back({what, why, static_cast<std::uint16_t>(number), 1});
}

bool simulator::last_is_host_call(const queue& q) const {
  return !q.empty() && q.entries.back().what == entry::type::item &&
         items_->host_calls().has(q.entries.back().number);
}

bool simulator::skips_barrier_before(op_kind kind) const {
  return is(defect::d1) || (is(defect::a7) && is_host_call(kind)) ||
         (is(defect::d5) && kind == op_kind::record) || (is(defect::d6) && kind == op_kind::wait) ||
         (is(defect::d8) && kind == op_kind::launch) || (is(defect::d10) && is_sync_form(kind)) ||
         (is(defect::d12) && kind == op_kind::write_value);
}

bool simulator::skips_barrier_after(op_kind kind) const {
  return is(defect::d2) || (is(defect::b6) && is_host_call(kind)) ||
         (is(defect::d7) && kind == op_kind::wait) || (is(defect::d9) && kind == op_kind::launch) ||
         (is(defect::d10) && is_sync_form(kind)) ||
         (is(defect::d12) && kind == op_kind::write_value);
}

/// The legacy stream waits for all blocking streams. @p waiter is where its waits go.
void simulator::barrier_before(stream_state& s, op_kind kind, std::size_t waiter) {
  if (!s.legacy || skips_barrier_before(kind)) return;
  for (stream_state& b : streams_) {
    const bool covered =
        !b.destroyed || (options_.legal == variant::ambiguous && random_.chance(.5));
    if (!b.barrier || !covered) continue;
    if (!queue_of(b).empty()) {
      const std::uint16_t token = new_token();
      push(queue_of(b), entry::type::signal, token);
      push(queues_[waiter], entry::type::wait, token, entry::cause::barrier);
    }
    if (is(defect::d3)) return;
  }
}

/// All blocking streams wait for the legacy stream.
void simulator::barrier_after(stream_state& s, op_kind kind) {
  if (!s.legacy || skips_barrier_after(kind) || queue_of(s).empty()) return;
  const std::uint16_t token = new_token();
  push(queue_of(s), entry::type::signal, token);
  for (stream_state& b : streams_) {
    if (!b.barrier || b.destroyed) continue;
    push(queue_of(b), entry::type::wait, token, entry::cause::barrier);
    if (is(defect::d4)) return;
  }
}

/// What a synchronization of the stream has to wait for from now on.
void simulator::set_fence(stream_state& s, std::size_t item) {
  const completion done{false, static_cast<std::uint16_t>(item)};
  s.previous_fence = s.fence;
  s.fence.assign(1, done);
  if (!items_->host_calls().has(item)) s.device_fence.assign(1, done);
}

void simulator::enqueue_item(const operation& o, std::size_t item) {
  stream_state& s = streams_[at(o.stream)];
  submitted_.add(item);
  barrier_before(s, o.kind, s.queue);
  bool covered = true;
  if (is_host_call(o.kind)) {
    ++s.host_calls;
    covered = place_host_call(s, item);
  } else {
    place_device_item(s, item, o);
  }
  s.last_thread = o.thread;
  if (covered) set_fence(s, item);
  barrier_after(s, o.kind);
  flush_late_signal(s);
}

void simulator::flush_late_signal(stream_state& s) {
  if (s.late_signal < 0) return;
  push(queue_of(s), entry::type::signal, static_cast<std::size_t>(s.late_signal));
  s.late_signal = -1;
}

void simulator::record(const operation& o) {
  stream_state& s = streams_[at(o.stream)];
  event_state& e = events_[at(o.event)];
  if (is(defect::c7) && e.token >= 0) return;
  const std::uint16_t token = new_token();
  queue& q = queue_of(s);
  e.relay =
      !q.empty() && q.entries.back().what == entry::type::wait &&
      (q.entries.back().why == entry::cause::event || q.entries.back().why == entry::cause::relay);
  if (is(defect::c9) && e.token >= 0 && tokens_[at(static_cast<index>(e.token))] != 0) {
    tokens_[token] = 1;
  }
  e.token = token;
  e.stream = o.stream;
  const std::size_t position = record_position(q);
  if (position < q.entries.size()) {
    if (position == q.head) {
      tokens_[token] = 1;
    } else {
      q.entries.insert(q.entries.begin() + static_cast<std::ptrdiff_t>(position),
                       entry{entry::type::signal, entry::cause::plain, token, 1});
    }
  } else if (is(defect::c21)) {
    flush_late_signal(s);
    s.late_signal = token;
  } else if (!s.legacy || is(defect::d5)) {
    push(q, entry::type::signal, token);
  } else if (options_.legal == variant::ambiguous && random_.chance(.5)) {
    barrier_before(s, o.kind, s.queue);
    push(queue_of(s), entry::type::signal, token);
    barrier_after(s, o.kind);
  } else {
    // The event waits for everybody; nobody has to wait for the record.
    const std::size_t side = new_queue();
    if (!queue_of(s).empty()) {
      const std::uint16_t own = new_token();
      push(queue_of(s), entry::type::signal, own);
      push(queues_[side], entry::type::wait, own);
    }
    barrier_before(s, o.kind, side);
    push(queues_[side], entry::type::signal, token);
  }
}

/// Where the record goes: the end, but for defects that capture too little.
std::size_t simulator::record_position(const queue& q) const {
  std::size_t position = q.entries.size();
  if (is(defect::c4)) {
    for (std::size_t i = position; i > q.head; --i) {
      if (q.entries[i - 1].what == entry::type::item) return i - 1;
    }
  }
  if (is(defect::c5)) {
    while (position > q.head && q.entries[position - 1].what == entry::type::wait &&
           q.entries[position - 1].why != entry::cause::graph) {
      --position;
    }
  }
  return is(defect::c6) && last_is_host_call(q) ? position - 1 : position;
}

bool simulator::wait_is_lost(const stream_state& s, const operation& o) {
  const event_state& e = events_[at(o.event)];
  if (is(defect::c10)) {
    const std::array<std::uint16_t, 2> pair{static_cast<std::uint16_t>(o.stream),
                                            static_cast<std::uint16_t>(o.event)};
    for (const auto& p : waits_seen_) {
      if (p == pair) return true;
    }
    waits_seen_.push_back(pair);
  }
  const queue& q = queues_[s.queue];
  const bool behind_wait = !q.empty() && q.entries.back().what == entry::type::wait &&
                           q.entries.back().why != entry::cause::barrier &&
                           q.entries.back().why != entry::cause::graph;
  return is(defect::c1) || (is(defect::c2) && s.nonblocking) ||
         (is(defect::c3) && program_->streams[at(e.stream)].kind == stream_kind::legacy) ||
         (is(defect::c11) && behind_wait) ||
         (is(defect::c17) && !program_->events[at(o.event)].timing) ||
         (is(defect::j3) && o.stream >= 32);
}

void simulator::wait(const operation& o) {
  stream_state& s = streams_[at(o.stream)];
  event_state& e = events_[at(o.event)];
  const bool open = options_.legal == variant::ambiguous && random_.chance(.5);
  if (e.token < 0) {
    if (is(defect::c16)) push(queue_of(s), entry::type::wait, new_token());
    if (!open) return;
  } else if (streams_[at(e.stream)].destroyed && !open) {
    return;
  } else {
    if (e.stream != none) flush_late_signal(streams_[at(e.stream)]);
    s.waited = true;
    queue& q = queue_of(s);
    if (!wait_is_lost(s, o)) {
      const bool replace = is(defect::c12) && !q.empty() &&
                           q.entries.back().what == entry::type::wait &&
                           q.entries.back().why == entry::cause::event;
      if (replace) q.entries.pop_back();
      const auto token = static_cast<std::uint16_t>(e.token);
      const entry::cause why = e.relay ? entry::cause::relay : entry::cause::event;
      if (is(defect::c8)) {
        push(q, entry::type::wait_event, at(o.event), why);
      } else {
        push(q, entry::type::wait, token, why);
      }
      if (is(defect::c14)) e.waits.push_back(token);
      s.fence.push_back({true, token});
      s.device_fence.push_back({true, token});
      s.previous_fence.push_back({true, token});
    }
  }
  barrier_before(s, o.kind, s.queue);
  barrier_after(s, o.kind);
}

void simulator::destroy(const operation& o) {
  if (o.kind == op_kind::destroy_event) {
    for (const std::uint16_t token : events_[at(o.event)].waits) tokens_[token] = 1;
    return;
  }
  stream_state& s = streams_[at(o.stream)];
  s.destroyed = true;
  if (!is(defect::h8)) return;
  queue& q = queue_of(s);
  for (std::size_t i = q.entries.size(); i > q.head + (q.busy ? 1 : 0); --i) {
    const entry& e = q.entries[i - 1];
    if (e.what != entry::type::item || !items_->host_calls().has(e.number)) continue;
    q.entries.erase(q.entries.begin() + static_cast<std::ptrdiff_t>(i) - 1);
  }
}

}  // namespace streamcts::program
