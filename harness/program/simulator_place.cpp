// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Where items and graphs go in the simulator's queues: at the end, but for defects.

#include "harness/program/simulator.h"

namespace streamcts::program {
/// Places an item so that it waits only for what lies before @p position in its queue.
void simulator::place(stream_state& s, std::size_t item, std::size_t position) {
  const std::size_t side = new_queue();
  queue& q = queue_of(s);
  if (position > q.head) {
    const std::uint16_t reached = new_token();
    q.entries.insert(q.entries.begin() + static_cast<std::ptrdiff_t>(position),
                     entry{entry::type::signal, entry::cause::plain, reached, 1});
    push(queues_[side], entry::type::wait, reached);
  }
  const std::uint16_t done = new_token();
  push(queues_[side], entry::type::item, item);
  push(queues_[side], entry::type::signal, done);
  push(queue_of(s), entry::type::wait, done);
}

void simulator::place_now(stream_state& s, std::size_t item) {
  place(s, item, queue_of(s).head);
}

/// Places an item so that nothing later in its queue waits for it.
void simulator::place_beside(stream_state& s, std::size_t item, int* side) {
  const std::uint16_t reached = new_token();
  push(queue_of(s), entry::type::signal, reached);
  std::size_t beside = 0;
  if (side != nullptr && *side >= 0) {
    beside = static_cast<std::size_t>(*side);
  } else {
    beside = new_queue();
    if (side != nullptr) *side = static_cast<int>(beside);
  }
  push(queues_[beside], entry::type::wait, reached);
  push(queues_[beside], entry::type::item, item);
}

/// The position behind which only entries follow that @p skip accepts.
template <typename Skip>
std::size_t simulator::trim(const queue& q, Skip skip) const {
  std::size_t position = q.entries.size();
  while (position > q.head && skip(q.entries[position - 1])) --position;
  return position;
}

bool simulator::starts_at_once(const stream_state& s, std::size_t item) {
  const queue& q = queue_of(s);
  const bool callback = items_->items()[item].kind == item_kind::callback;
  std::size_t pending_calls = 0, pending_items = 0;
  for (std::size_t i = q.head; i < q.entries.size(); ++i) {
    if (q.entries[i].what != entry::type::item) continue;
    ++pending_items;
    pending_calls += items_->host_calls().has(q.entries[i].number) ? 1 : 0;
  }
  return is(defect::a1) || (is(defect::a10) && pending_calls >= 2) ||
         (is(defect::a10b) && pending_calls >= 16) || (is(defect::a11) && !callback) ||
         (is(defect::a12) && callback) || (is(defect::a13) && s.nonblocking) ||
         (is(defect::a14) && s.high_priority) || (is(defect::a15) && s.host_calls == 1) ||
         (is(defect::a16) && pending_items == 0);
}

/// The position that a host call waits for, under defects that make it forget some of its past.
std::size_t simulator::host_call_position(const stream_state& s) const {
  const queue& q = queues_[s.queue];
  const auto waits_for = [](entry::cause cause) {
    return [cause](const entry& e) { return e.what == entry::type::wait && e.why == cause; };
  };
  const auto moves = [this](item_kind kind) {
    return [this, kind](const entry& e) {
      return e.what == entry::type::item && items_->items()[e.number].kind == kind;
    };
  };
  if (is(defect::a2)) {
    for (std::size_t i = q.entries.size(); i > q.head; --i) {
      if (q.entries[i - 1].what == entry::type::item) return i - 1;
    }
  }
  if (is(defect::a3)) return trim(q, moves(item_kind::copy));
  if (is(defect::a4)) return trim(q, moves(item_kind::memset));
  if (is(defect::a5)) {
    return trim(q, [&](const entry& e) {
      return waits_for(entry::cause::event)(e) || waits_for(entry::cause::relay)(e);
    });
  }
  if (is(defect::a6)) return trim(q, waits_for(entry::cause::relay));
  if (is(defect::a8) && s.per_thread) return trim(q, waits_for(entry::cause::barrier));
  if (is(defect::a9)) return trim(q, waits_for(entry::cause::graph));
  return q.entries.size();
}

bool simulator::blocks_nothing(const stream_state& s) const {
  return is(defect::b1) || (is(defect::b12l) && s.legacy) || (is(defect::b12n) && s.nonblocking) ||
         (is(defect::b12t) && s.host_calls >= 3);
}

/// Returns whether synchronizations know of the call.
bool simulator::place_host_call(stream_state& s, std::size_t item) {
  const bool lost = is(defect::h2) || (is(defect::h3) && s.host_calls == 3) ||
                    (is(defect::h4) && queue_of(s).empty());
  if (lost) {
    over_.add(item);
    return false;
  }
  if (starts_at_once(s, item)) {
    place_now(s, item);
    return true;
  }
  if (blocks_nothing(s)) {
    place_beside(s, item);
    return false;
  }
  if (is(defect::b2)) {
    place_beside(s, item, &s.side_queue);
    return true;
  }
  const std::size_t position = host_call_position(s);
  queue& q = queue_of(s);
  if (position < q.entries.size()) {
    place(s, item, position);
  } else if (is(defect::b7) && last_is_host_call(q) && !(q.busy && q.pending() == 1)) {
    q.entries.insert(q.entries.end() - 1, entry{entry::type::item, entry::cause::plain,
                                                static_cast<std::uint16_t>(item), 1});
  } else {
    push(q, entry::type::item, item);
    if (is(defect::h1)) push(q, entry::type::item, item);
  }
  return true;
}

/// Whether the item, a kernel or whatever, passes the entry at the end of the queue.
bool simulator::overtakes_last(const stream_state& s, const operation& o) const {
  const queue& q = queues_[s.queue];
  if (q.empty() || q.entries.back().what != entry::type::item) return false;
  std::size_t pending = 0;
  for (std::size_t i = q.head; i < q.entries.size(); ++i) {
    if (q.entries[i].what == entry::type::item) pending += q.entries[i].weight;
  }
  const bool kernel = o.kind == op_kind::kernel;
  return (is(defect::b3) && o.kind == op_kind::copy && last_is_host_call(q)) ||
         (is(defect::b10) && kernel && last_is_host_call(q)) || (is(defect::j1) && pending >= 3) ||
         (is(defect::j1b) && pending >= 1024) ||
         (is(defect::j2) && s.last_thread >= 0 && s.last_thread != o.thread) ||
         (is(defect::j4) && kernel && s.high_priority);
}

void simulator::place_device_item(stream_state& s, std::size_t item, const operation& o) {
  queue& q = queue_of(s);
  const bool moves_data = o.kind == op_kind::copy || o.kind == op_kind::memset;
  if (overtakes_last(s, o)) return place(s, item, q.entries.size() - 1);
  if (is(defect::c13) && moves_data) {
    const std::size_t position = trim(q, [](const entry& e) {
      return e.what == entry::type::wait &&
             (e.why == entry::cause::event || e.why == entry::cause::relay);
    });
    if (position < q.entries.size()) return place(s, item, position);
  }
  if (is(defect::j5) && o.kind == op_kind::copy) {
    const buffer_decl& from = program_->buffers[at(o.read)];
    const buffer_decl& to = program_->buffers[at(o.write)];
    const bool upload = from.memory != memory_kind::device && to.memory == memory_kind::device;
    if (upload && to.bytes <= 65536) return place_now(s, item);
  }
  push(q, entry::type::item, item);
  q.entries.back().weight = o.repeat;
}

/// The token that a graph's roots wait for, or -1.
int simulator::graph_base(stream_state& s) {
  if (is(defect::f1)) return -1;
  queue& q = queue_of(s);
  const std::uint16_t token = new_token();
  const std::size_t position =
      is(defect::b11) && last_is_host_call(q) ? q.entries.size() - 1 : q.entries.size();
  if (position == q.head) {
    tokens_[token] = 1;
  } else {
    q.entries.insert(q.entries.begin() + static_cast<std::ptrdiff_t>(position),
                     entry{entry::type::signal, entry::cause::plain, token, 1});
  }
  return token;
}

/// The nodes that node @p n waits for; empty for a root.
std::uint32_t simulator::node_waits(const graph_decl& g, std::size_t n, bool first_launch) const {
  std::uint32_t after = g.nodes[n].after;
  if (is(defect::f4) && g.nodes[n].kind == node_kind::host) return 0;
  if (is(defect::f8) && g.nodes[n].kind == node_kind::copy && first_launch) return 0;
  if (is(defect::f6)) after &= ~after + 1;
  std::uint32_t kept = 0;
  for (std::size_t d = 0; d < n; ++d) {
    if ((after >> d & 1) == 0) continue;
    const graph_node& node = g.nodes[d];
    std::size_t earlier = 0;
    for (std::size_t k = d + 1; k < n; ++k) earlier += g.nodes[k].after >> d & 1;
    const bool lost =
        (is(defect::f7) && earlier >= 4) || (is(defect::f9) && node.disabled) ||
        (is(defect::f10) && g.origin == graph_origin::captured && node.lane != g.nodes[n].lane);
    if (lost) continue;
    kept |= is(defect::f5) && node.kind == node_kind::host ? node.after : 1U << d;
  }
  return kept;
}

void simulator::launch(const operation& o, std::size_t op) {
  stream_state& s = streams_[at(o.stream)];
  graph_state& state = graphs_[at(o.graph)];
  const graph_decl& g = program_->graphs[at(o.graph)];
  barrier_before(s, o.kind, s.queue);
  const int base = graph_base(s);
  std::array<std::uint16_t, limits::graph_nodes> ends{};
  std::uint32_t inner = 0;
  std::size_t item = items_->first_item(op);
  const std::size_t tail = new_queue();
  s.previous_fence = s.fence;
  s.fence.clear();
  s.device_fence.clear();
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    const std::size_t side = new_queue();
    const std::uint32_t after = node_waits(g, n, state.launches == 0);
    if (after == 0) {
      if (base >= 0) push(queues_[side], entry::type::wait, static_cast<std::size_t>(base));
      const bool serial = state.done_token >= 0 && !is(defect::f3);
      if (serial)
        push(queues_[side], entry::type::wait, static_cast<std::size_t>(state.done_token));
    }
    for (std::size_t d = 0; d < n; ++d) {
      if ((after >> d & 1) != 0) push(queues_[side], entry::type::wait, ends[d]);
    }
    inner |= g.nodes[n].after;
    if (g.nodes[n].kind != node_kind::empty && !g.nodes[n].disabled) {
      submitted_.add(item);
      const bool lost = is(defect::f11) && g.nodes[n].kind == node_kind::host && state.launches > 0;
      if (lost) over_.add(item);
      if (!lost) push(queues_[side], entry::type::item, item);
      ++item;
    }
    ends[n] = new_token();
    push(queues_[side], entry::type::signal, ends[n]);
    if (is(defect::a9) && after == 0) push(queue_of(s), entry::type::wait, ends[n]);
  }
  for (std::size_t n = 0; n < g.nodes.size(); ++n) {
    if ((inner >> n & 1) != 0) continue;
    if (!is(defect::f2)) push(queue_of(s), entry::type::wait, ends[n], entry::cause::graph);
    push(queues_[tail], entry::type::wait, ends[n]);
    s.fence.push_back({true, ends[n]});
    s.device_fence.push_back({true, ends[n]});
  }
  const std::uint16_t done = new_token();
  push(queues_[tail], entry::type::signal, done);
  state.done_token = done;
  ++state.launches;
  s.last_thread = o.thread;
  barrier_after(s, o.kind);
  flush_late_signal(s);
}

}  // namespace streamcts::program
