// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/happens_before.h"

#include <algorithm>

namespace streamcts::program {
void happens_before::reset(const stream_program& program, const layout& items) {
  streams_.assign(program.streams.size(), {});
  for (std::size_t s = 0; s < streams_.size(); ++s) {
    const stream_kind kind = program.streams[s].kind;
    streams_[s].legacy = kind == stream_kind::legacy;
    // R7 and R8: non-blocking streams keep out of the barrier, per-thread ones do not.
    streams_[s].barrier = kind == stream_kind::blocking || kind == stream_kind::per_thread;
  }
  events_.assign(program.events.size(), {});
  last_launch_.assign(program.graphs.size(), {});
  for (thread_state& t : threads_) {
    t.done.clear();
    t.reads_done.clear();
    t.seen.fill(none);
  }
  before_.assign(items.size(), {});
  after_.assign(items.size(), {});
  known_.assign(program.ops.size(), {});
  covered_.assign(program.ops.size(), {});
  reads_done_.assign(program.ops.size(), {});
  many_threads_ = items.many_threads();
  if (many_threads_) {
    seen_.assign(program.ops.size(), {});
    thread_of_.clear();
    for (const operation& o : program.ops) thread_of_.push_back(o.thread);
  }
  issued_.clear();
  all_ = item_set::first(items.size());
}

void happens_before::build(const stream_program& program, const layout& items,
                           std::span<const call_outcome> outcomes) {
  reset(program, items);
  for (std::size_t op = 0; op < program.ops.size(); ++op) {
    const call_outcome outcome = op < outcomes.size() ? outcomes[op] : call_outcome::as_promised;
    const operation& o = program.ops[op];
    if (many_threads_) receive(items, op, threads_[o.thread]);
    if (outcome != call_outcome::failed) {
      step(program, items, op, outcome == call_outcome::query_succeeded);
    } else if (o.kind == op_kind::record) {
      events_[at(o.event)].usable = false;
    }
    leave(o, op);
  }
  for (std::size_t x = 0; x < before_.size(); ++x) {
    before_[x].for_each([&](std::size_t v) { after_[v].add(x); });
  }
}

/// R1: what other threads handed over with operations that must have returned.
void happens_before::receive(const layout& items, std::size_t op, thread_state& thread) {
  for (const index from : items.returned_before(op)) {
    if (from == none) continue;
    thread.done |= known_[at(from)];
    thread.reads_done |= reads_done_[at(from)];
    const std::uint8_t sender = thread_of_[at(from)];
    for (std::size_t t = 0; t < limits::threads; ++t) {
      thread.seen[t] = std::max(thread.seen[t], seen_[at(from)][t]);
    }
    thread.seen[sender] = std::max(thread.seen[sender], from);
  }
}

void happens_before::step(const stream_program& program, const layout& items, std::size_t op,
                          bool succeeded) {
  const operation& o = program.ops[op];
  thread_state& thread = threads_[o.thread];
  const std::size_t item = items.first_item(op);
  switch (o.kind) {
    case op_kind::launch:
      launch(program, items, op);
      break;
    case op_kind::record:
      record(o, op, thread);
      break;
    case op_kind::wait:
      wait(o);
      break;
    case op_kind::destroy_stream:
      streams_[at(o.stream)].barrier = false;
      for (event_state& e : events_) e.usable = e.usable && e.stream != o.stream;
      break;
    case op_kind::host_write:
      before_[item] = thread.done;
      thread.done.add(item);
      break;
    default:
      if (is_enqueued(o.kind)) {
        enqueue_item(o, item, thread);
        finish_copy(program, items, o, item, thread);
      } else {
        host_step(items, op, o, thread, succeeded);
      }
  }
  for (std::size_t i = item; i < items.first_item(op + 1); ++i) issued_.add(i);
}

void happens_before::leave(const operation& o, std::size_t op) {
  thread_state& thread = threads_[o.thread];
  thread.reads_done |= thread.done;
  known_[op] = thread.done;
  reads_done_[op] = thread.reads_done;
  if (many_threads_) {
    seen_[op] = thread.seen;
    thread.seen[o.thread] = static_cast<index>(op);
  }
}

item_set happens_before::barrier_work() const {
  item_set work;
  for (const stream_state& s : streams_) {
    if (s.barrier) work |= s.tail;
  }
  return work;
}

void happens_before::spread(const stream_state& legacy) {
  for (stream_state& s : streams_) {
    if (s.barrier) s.tail |= legacy.tail;
  }
}

/// R2, R3, R6, R9.
void happens_before::enqueue_item(const operation& o, std::size_t item, thread_state& thread) {
  stream_state& s = streams_[at(o.stream)];
  if (s.legacy) s.tail |= barrier_work();
  s.tail |= thread.done;
  before_[item] = s.tail;
  s.tail.add(item);
  s.own = s.tail;
  if (s.legacy) spread(s);
}

/// R11. Nodes that are disabled or empty pass their dependencies on.
void happens_before::launch(const stream_program& program, const layout& items, std::size_t op) {
  const operation& o = program.ops[op];
  stream_state& s = streams_[at(o.stream)];
  if (s.legacy) s.tail |= barrier_work();
  s.tail |= threads_[o.thread].done;
  s.tail |= last_launch_[at(o.graph)];
  const item_set base = s.tail;
  const auto& nodes = program.graphs[at(o.graph)].nodes;
  std::array<item_set, limits::graph_nodes> through;
  std::size_t item = items.first_item(op);
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    through[n] = base;
    for (std::size_t d = 0; d < n; ++d) {
      if ((nodes[n].after >> d & 1) != 0) through[n] |= through[d];
    }
    if (nodes[n].kind != node_kind::empty && !nodes[n].disabled) {
      before_[item] = through[n];
      through[n].add(item++);
    }
    s.tail |= through[n];
  }
  last_launch_[at(o.graph)] = s.tail;
  s.own = s.tail;
  if (s.legacy) spread(s);
}

/// R4. A record in the legacy stream waits for blocking streams; whether they then wait for the
/// record is not said.
void happens_before::record(const operation& o, std::size_t op, const thread_state& thread) {
  const stream_state& s = streams_[at(o.stream)];
  event_state& e = events_[at(o.event)];
  e.captured = s.tail | thread.done;
  if (s.legacy) e.captured |= barrier_work();
  e.stream = o.stream;
  e.usable = true;
  covered_[op] = e.captured;
}

/// R5. The set is taken now: what happens to the event later does not matter (R13).
void happens_before::wait(const operation& o) {
  const event_state& e = events_[at(o.event)];
  if (!e.usable) return;
  stream_state& s = streams_[at(o.stream)];
  s.tail |= e.captured;
  s.own |= e.captured;
  if (!s.legacy) return;
  s.tail |= barrier_work();
  spread(s);
}

/// R10 and R16.
void happens_before::host_step(const layout& items, std::size_t op, const operation& o,
                               thread_state& thread, bool succeeded) {
  switch (o.kind) {
    case op_kind::stream_sync:
    case op_kind::stream_query:
    case op_kind::stream_poll:
      covered_[op] = streams_[at(o.stream)].own;
      break;
    case op_kind::event_sync:
    case op_kind::event_query:
    case op_kind::event_poll:
      if (events_[at(o.event)].usable) covered_[op] = events_[at(o.event)].captured;
      break;
    case op_kind::context_sync:
      issued_.for_each([&](std::size_t i) {
        // Another thread's own writes are no work of the context.
        if (items.items()[i].kind == item_kind::host_write) return;
        covered_[op] |= before_[i];
        covered_[op].add(i);
      });
      break;
    case op_kind::await:
      covered_[op] = before_[items.first_item(at(o.target))];
      break;
    default:
      return;
  }
  if (!is_query(o.kind) || succeeded) thread.done |= covered_[op];
}

/// R12.
void happens_before::finish_copy(const stream_program& program, const layout& items,
                                 const operation& o, std::size_t item, thread_state& thread) {
  switch (promise_at_return(program, o)) {
    case return_promise::nothing:
      return;
    case return_promise::complete:
      thread.done |= before_[item];
      thread.done.add(item);
      return;
    case return_promise::source_read:
      thread.reads_done.add(item);
      // What an earlier item writes into the source must be delivered, so it has been written.
      before_[item].for_each([&](std::size_t w) {
        if (items.items()[w].write != o.read) return;
        thread.done |= before_[w];
        thread.done.add(w);
      });
  }
}

bool happens_before::returned_before(std::size_t earlier, std::size_t later) const {
  if (earlier >= later) return false;
  if (!many_threads_ || thread_of_[earlier] == thread_of_[later]) return true;
  return seen_[later][thread_of_[earlier]] >= static_cast<index>(earlier);
}

}  // namespace streamcts::program
