// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The simulator's host threads: calls and their returns.

#include <algorithm>

#include "harness/program/simulator.h"

namespace streamcts::program {
namespace {

bool synchronizes(op_kind kind) {
  return kind >= op_kind::stream_sync && kind <= op_kind::event_poll;
}
bool is_poll(op_kind kind) {
  return kind == op_kind::stream_poll || kind == op_kind::event_poll;
}

}  // namespace

bool simulator::can_call(const thread_state& t) const {
  const auto number = static_cast<std::size_t>(&t - threads_.data());
  if (t.next == t.ops.size()) {
    // The thread of the first line synchronizes the context at the end.
    return number == final_thread_ && !final_called_ &&
           std::ranges::all_of(threads_, [](const thread_state& other) {
             return other.next == other.ops.size() && !other.in_call;
           });
  }
  const auto& first = items_->returned_before(at(t.ops[t.next]));
  return !items_->many_threads() ||
         std::ranges::all_of(first, [&](index i) { return i == none || returned_[at(i)] != 0; });
}

bool simulator::complete(const completion& c) const {
  return c.token ? tokens_[c.number] != 0 : over_.has(c.number);
}

bool simulator::complete(const std::vector<completion>& all) const {
  return std::ranges::all_of(all, [this](const completion& c) { return complete(c); });
}

/// Whether all streams have passed the place where they were when the call was made.
bool simulator::context_idle(const thread_state& t) const {
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    const stream_state& s = streams_[i];
    if (is(defect::e5) && s.nonblocking) continue;
    const queue& q = queues_[s.queue];
    if (!is(defect::e6)) {
      if (q.popped < t.marks[i]) return false;
      continue;
    }
    for (std::size_t k = q.head; q.popped + (k - q.head) < t.marks[i]; ++k) {
      const entry& e = q.entries[k];
      const bool host = e.what == entry::type::item && items_->host_calls().has(e.number);
      if (e.what != entry::type::signal && !host) return false;
    }
  }
  return true;
}

bool simulator::nothing_pending() const {
  return (submitted_ - over_).empty();
}

/// Whether a synchronization returns without having looked, by a defect.
bool simulator::sync_is_lost(const operation& o) const {
  return (is(defect::e1) && o.kind == op_kind::stream_sync) ||
         (is(defect::e4) && o.kind == op_kind::event_sync) ||
         (is(defect::c18) && o.kind == op_kind::event_sync &&
          program_->events[at(o.event)].blocking_sync) ||
         (is(defect::e8a) && o.kind == op_kind::stream_poll) ||
         (is(defect::e9) && o.kind == op_kind::event_poll);
}

bool simulator::can_return(const thread_state& t) {
  if (t.next == t.ops.size()) return context_idle(t) || (faulted_ && !is(defect::i9));
  const operation& o = program_->ops[at(t.ops[t.next])];
  if (is_poll(o.kind) && is(defect::e15)) return false;
  if (synchronizes(o.kind)) {
    if (faulted_) return !is(defect::i9);
    if (sync_is_lost(o)) return true;
    return o.kind == op_kind::context_sync ? context_idle(t) : complete(t.waits_for);
  }
  if (o.kind == op_kind::await) return begun_.has(items_->first_item(at(o.target)));
  if (faulted_) return true;
  if (options_.legal == variant::blocking_calls && !nothing_pending()) return false;
  if (promise_at_return(*program_, o) != return_promise::nothing) {
    return copy_returns(o, items_->first_item(at(t.ops[t.next])));
  }
  return complete(t.waits_for);
}

/// Rule R12, no stronger than it says: a synchronous upload returns once the source can be taken.
bool simulator::copy_returns(const operation& o, std::size_t item) {
  if (over_.has(item)) return true;
  if (promise_at_return(*program_, o) == return_promise::complete) {
    return (is(defect::e11) && o.kind == op_kind::copy_sync) ||
           (is(defect::e13) && o.kind == op_kind::memset_sync);
  }
  if (begun_.has(item) || is(defect::e12)) return true;
  for (std::size_t w = 0; w < item; ++w) {
    const bool pending = submitted_.has(w) && !over_.has(w);
    if (pending && items_->items()[w].write == o.read) return false;
  }
  taken_[item] = contents_[at(o.read)];
  captured_.add(item);
  return true;
}

void simulator::host_action(std::size_t thread) {
  thread_state& t = threads_[thread];
  if (t.next == t.ops.size()) return finish_program();
  const std::size_t op = at(t.ops[t.next]);
  if (!t.in_call) return call(t, op);
  const op_kind kind = program_->ops[op].kind;
  const bool again = options_.legal == variant::spurious_not_ready && is_poll(kind);
  if (again && random_.chance(.5)) return;
  const bool reports_fault = faulted_ && synchronizes(kind) && !is(defect::i10) &&
                             !(is(defect::i8) && errors_reported_ > 0);
  errors_reported_ += reports_fault ? 1 : 0;
  const bool cut_short = faulted_ && makes_items(kind);
  const bool refuses = is(defect::c19) && kind == op_kind::stream_sync &&
                       streams_[at(program_->ops[op].stream)].waited;
  give_back(t, reports_fault || refuses || cut_short ? call_status::error : call_status::success);
}

/// After a fault any call may report it instead of doing its work.
bool simulator::refused(const operation& o) {
  return faulted_ && is_enqueued(o.kind) && random_.chance(.5);
}

void simulator::call(thread_state& t, std::size_t op) {
  const operation& o = program_->ops[op];
  note(log_entry::event::called, op);
  seen_.ops[op].called = sequence_;
  seen_.ops[op].status = call_status::running;
  t.in_call = true;
  t.waits_for.clear();
  if (refused(o)) return give_back(t, call_status::error);
  const std::size_t item = items_->first_item(op);
  bool at_once = options_.legal != variant::blocking_calls;
  switch (o.kind) {
    case op_kind::launch:
      launch(o, op);
      break;
    case op_kind::record:
      record(o);
      break;
    case op_kind::wait:
      wait(o);
      break;
    case op_kind::host_write:
      submitted_.add(item);
      begun_.add(item);
      done_.add(item);
      over_.add(item);
      if (o.write != none) contents_[at(o.write)] = buffer_value::of_item(item);
      break;
    case op_kind::destroy_event:
    case op_kind::destroy_stream:
      destroy(o);
      break;
    case op_kind::stream_query:
    case op_kind::event_query:
      flushed_ = submitted_;
      capture_wait(t, o);
      return query(t, o);
    case op_kind::handoff:
      break;
    case op_kind::context_sync:
      capture_context(t);
      at_once = false;
      break;
    case op_kind::await:
      flushed_ = submitted_;
      at_once = false;
      break;
    default:
      if (synchronizes(o.kind)) {
        capture_wait(t, o);
        at_once = false;
        break;
      }
      enqueue_item(o, item);
      at_once = at_once && promise_at_return(*program_, o) == return_promise::nothing;
      if (promise_at_return(*program_, o) != return_promise::nothing) flushed_ = submitted_;
      if (options_.legal == variant::inline_host_calls && is_host_call(o.kind)) {
        t.waits_for.push_back({false, static_cast<std::uint16_t>(item)});
        at_once = false;
      }
  }
  if (at_once) give_back(t, call_status::success);
}

void simulator::capture_wait(thread_state& t, const operation& o) {
  flushed_ = submitted_;
  const bool polls = is_poll(o.kind) || is_query(o.kind);
  if (o.event != none) {
    const event_state& e = events_[at(o.event)];
    if (e.token < 0) return;
    stream_state& from = streams_[at(e.stream)];
    flush_late_signal(from);
    const bool open = options_.legal == variant::ambiguous && random_.chance(.5);
    if (from.destroyed && !open) return;
    t.waits_for.push_back({true, static_cast<std::uint16_t>(e.token)});
    return;
  }
  stream_state& s = streams_[at(o.stream)];
  flush_late_signal(s);
  t.waits_for = s.fence;
  if ((is(defect::e2) && !polls) || (is(defect::e7) && polls)) t.waits_for = s.device_fence;
  if (is(defect::e8) && polls) t.waits_for = s.previous_fence;
  if (is(defect::e3)) {
    std::erase_if(t.waits_for, [](const completion& c) { return c.token; });
  }
  if (options_.legal != variant::ambiguous || random_.chance(.5)) return;
  // Waiting for more than was asked is legal.
  for (stream_state& other : streams_) {
    if (&other != &s && !(s.legacy && other.barrier)) continue;
    const std::uint16_t token = new_token();
    push(queue_of(other), entry::type::signal, token);
    t.waits_for.push_back({true, token});
  }
}

void simulator::capture_context(thread_state& t) {
  flushed_ = submitted_;
  t.marks.clear();
  for (stream_state& s : streams_) {
    flush_late_signal(s);
    const queue& q = queue_of(s);
    t.marks.push_back(q.popped + q.pending());
  }
}

void simulator::query(thread_state& t, const operation& o) {
  advance();
  const bool always = (is(defect::e8a) && o.kind == op_kind::stream_query) ||
                      (is(defect::e9) && o.kind == op_kind::event_query);
  const bool never =
      is(defect::e15) || (options_.legal == variant::spurious_not_ready && random_.chance(.5));
  if (faulted_ && !is(defect::i10)) return give_back(t, call_status::error);
  const bool done = always || (!never && complete(t.waits_for));
  give_back(t, done ? call_status::success : call_status::not_ready);
}

void simulator::give_back(thread_state& t, call_status status) {
  const std::size_t op = at(t.ops[t.next]);
  const operation& o = program_->ops[op];
  t.in_call = false;
  ++t.next;
  returned_[op] = 1;
  seen_.ops[op].status = status;
  if (status == call_status::error) {
    seen_.outcomes[op] = call_outcome::failed;
  } else if (is_query(o.kind) && status == call_status::success) {
    seen_.outcomes[op] = call_outcome::query_succeeded;
  }
  const bool looks = status == call_status::success && looks_at_return(*program_, o);
  if (looks) {
    replay_copies();
    look_from({observer::place::op_return, static_cast<index>(op)}, true);
  }
  note(log_entry::event::returned, op);
  seen_.ops[op].returned = sequence_;
}

void simulator::replay_copies() {
  for (const std::uint16_t item : replays_) {
    contents_[at(items_->items()[item].write)] = taken_[item];
  }
}

void simulator::finish_program() {
  thread_state& t = threads_[final_thread_];
  if (!final_called_) {
    final_called_ = true;
    t.in_call = true;
    return capture_context(t);
  }
  t.in_call = false;
  final_returned_ = true;
  replay_copies();
  look_from({observer::place::finish, none}, true);
}

}  // namespace streamcts::program
