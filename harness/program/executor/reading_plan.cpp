// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/reading_plan.h"

#include <algorithm>

#include "harness/program/validity.h"

namespace streamcts::program {
namespace {

using place = observer::place;

constexpr std::uint32_t largest_side_by_side = 1U << 20;

bool is_sync_form(op_kind kind) {
  return kind == op_kind::copy_sync || kind == op_kind::memset_sync;
}

std::size_t launches_of(const stream_program& p, index graph) {
  return static_cast<std::size_t>(std::ranges::count_if(
      p.ops, [&](const operation& o) { return o.kind == op_kind::launch && o.graph == graph; }));
}

}  // namespace

void reading_plan::build(const model& m) {
  build_reads(m);
  build_waits(m);
  build_holds(m);
  const stream_program& p = m.source();
  const auto created = [](const stream_decl& s) {
    return s.kind == stream_kind::blocking || s.kind == stream_kind::nonblocking;
  };
  const auto small = [](const buffer_decl& b) {
    return b.bytes <= largest_side_by_side && b.memory != memory_kind::managed &&
           b.memory != memory_kind::pageable;
  };
  independent_ =
      m.items().fault() < 0 && !m.items().many_threads() && p.streams.size() <= 5 &&
      m.items().size() <= 24 && std::ranges::all_of(p.streams, created) &&
      std::ranges::all_of(p.buffers, small) && std::ranges::none_of(p.ops, [](const operation& o) {
        return o.kind == op_kind::context_sync || o.kind == op_kind::attach || o.repeat > 1;
      });
}

std::vector<allowed_read> reading_plan::reads(const model& m, const item_set& ended,
                                              const item_set& not_begun) const {
  std::vector<allowed_read> out;
  for (std::size_t b = 0; b < m.source().buffers.size(); ++b) {
    if (!host_readable(m.source().buffers[b].memory)) continue;
    const auto value = m.data().contents(b, ended, not_begun);
    if (value) out.push_back({static_cast<index>(b), *value});
  }
  return out;
}

void reading_plan::build_reads(const model& m) {
  const std::size_t items = m.items().size(), ops = m.source().ops.size();
  starts_.assign(items, {});
  ends_.assign(items, {});
  looks_.assign(items, {});
  returns_.assign(ops, {});
  const auto fill = [&](const observer& from) { return reads(m, m.must(from), m.must_not(from)); };
  for (std::size_t x = 0; x < items; ++x) {
    const auto number = static_cast<index>(x);
    looks_[x] = fill({place::gate_look, number});
    if (!is_host_item(m.items().items()[x].kind)) continue;
    starts_[x] = fill({place::item_start, number});
    ends_[x] = fill({place::item_end, number});
  }
  for (std::size_t op = 0; op < ops; ++op) {
    if (!looks_at_return(m.source(), m.source().ops[op])) continue;
    const observer from{place::op_return, static_cast<index>(op)};
    if (!is_query(m.source().ops[op].kind)) {
      returns_[op] = fill(from);
      continue;
    }
    // What a query's success adds, whatever other queries said: less than is known in the end.
    std::vector<call_outcome> outcomes(ops, call_outcome::as_promised);
    outcomes[op] = call_outcome::query_succeeded;
    happens_before known;
    known.build(m.source(), m.items(), outcomes);
    returns_[op] = reads(m, known.known(op), m.must_not(from));
  }
  finish_ = fill({place::finish, none});
}

std::span<const allowed_read> reading_plan::at(const observer& from) const {
  switch (from.at) {
    case place::item_start:
      return starts_[program::at(from.number)];
    case place::item_end:
      return ends_[program::at(from.number)];
    case place::op_return:
      return returns_[program::at(from.number)];
    case place::gate_look:
      return looks_[program::at(from.number)];
    case place::finish:
      break;
  }
  return finish_;
}

void reading_plan::build_waits(const model& m) {
  const auto& ops = m.source().ops;
  waits_.assign(m.items().size(), {});
  for (std::size_t held = 0; held < m.items().size(); ++held) {
    std::vector<bool>& waits = waits_[held].set;
    waits.assign(ops.size(), false);
    std::array<bool, limits::threads> thread_waits{};
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const std::size_t x = m.items().first_item(op);
      bool w = m.order().known(op).has(held) || thread_waits[ops[op].thread] ||
               (is_sync_form(ops[op].kind) && (x == held || m.order().before(x).has(held)));
      for (const index earlier : m.items().returned_before(op)) {
        w = w || (earlier != none && waits[program::at(earlier)]);
      }
      waits[op] = thread_waits[ops[op].thread] = w;
    }
  }
}

void reading_plan::build_holds(const model& m) {
  holdable_.clear();
  if (m.items().fault() >= 0) return;
  const stream_program& p = m.source();
  for (std::size_t x = 0; x < m.items().size(); ++x) {
    const item& i = m.items().items()[x];
    if (i.kind == item_kind::host_write || !program::can_hold(m, x)) continue;
    // Holding what nothing comes after shows nothing.
    const auto knows = [&](std::size_t op) { return m.order().known(op).has(x); };
    bool last = m.order().after(x).empty();
    for (std::size_t op = 0; last && op < p.ops.size(); ++op) last = !knows(op);
    if (last) continue;
    const bool cells = m.items().begun_cells().has(x);
    const index graph = p.ops[program::at(i.op)].graph;
    // A gate node in front of a copy would be part of every launch.
    if (i.node != none && !cells && launches_of(p, graph) > 1) continue;
    holdable_.add(x);
  }
}

}  // namespace streamcts::program
