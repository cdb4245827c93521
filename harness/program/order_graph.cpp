// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/order_graph.h"

#include <algorithm>
#include <array>

#include "harness/program/text.h"

namespace streamcts::program {
namespace {

using type = order_point::type;

}  // namespace

/// Walks the operations like happens_before, but keeps every edge.
class order_builder {
 public:
  order_builder(order_graph& graph, const model& m)
      : g_(graph), m_(m), p_(m.source()), streams_(p_.streams.size()), events_(p_.events.size()),
        last_launch_(p_.graphs.size(), none) {
    last_return_.fill(none);
    for (std::size_t s = 0; s < streams_.size(); ++s) {
      const stream_kind kind = p_.streams[s].kind;
      streams_[s].legacy = kind == stream_kind::legacy;
      streams_[s].barrier = kind == stream_kind::blocking || kind == stream_kind::per_thread;
    }
    for (std::size_t x = 0; x < m.items().size(); ++x) link(start(x), end(x), rule::run);
  }

  void step(std::size_t op, bool failed, bool query_succeeded) {
    const operation& o = p_.ops[op];
    const auto number = static_cast<index>(op);
    call_ = {type::call, number};
    return_ = {type::returned, number};
    link(call_, return_, rule::host_order);
    if (last_return_[o.thread] != none) {
      link({type::returned, last_return_[o.thread]}, call_, rule::host_order);
    }
    if (m_.items().many_threads()) {
      for (const index from : m_.items().returned_before(op)) {
        if (from != none) link({type::returned, from}, call_, rule::host_handoff);
      }
    }
    last_return_[o.thread] = number;
    if (!failed) {
      run(o, op, query_succeeded);
    } else if (o.kind == op_kind::record) {
      events_[at(o.event)].usable = false;
    }
  }

 private:
  struct place {
    order_point point;
    rule by;
  };
  struct stream_state {
    std::vector<place> tail;
    std::vector<order_point> own;
    bool legacy = false, barrier = false;
  };
  struct event_state {
    order_point recorded;
    index stream = none;
    bool usable = false;
  };

  static order_point start(std::size_t x) { return {type::start, static_cast<index>(x)}; }
  static order_point end(std::size_t x) { return {type::end, static_cast<index>(x)}; }
  void link(const order_point& from, const order_point& to, rule by) {
    g_.edges_[g_.id(from)].push_back({g_.id(to), by});
  }

  void barrier_to(const order_point& to, rule by) {
    for (const stream_state& b : streams_) {
      if (!b.barrier) continue;
      for (const place& p : b.tail) link(p.point, to, by);
    }
  }
  void spread(const order_point& from, rule by) {
    for (stream_state& b : streams_) {
      if (b.barrier) b.tail.push_back({from, by});
    }
  }

  /// What takes a place in a stream: links it behind the stream's tail and the barrier.
  void take_place(stream_state& s, const order_point& to, std::optional<rule> instead) {
    link(call_, to, rule::issue);
    for (const place& p : s.tail) link(p.point, to, instead.value_or(p.by));
    if (s.legacy) {
      barrier_to(to, instead == rule::record ? rule::legacy_record : rule::legacy_before);
    }
  }
  void become_tail(stream_state& s, const order_point& last, rule by) {
    s.tail.assign(1, {last, by});
    s.own.assign(1, last);
    if (s.legacy) spread(last, rule::legacy_after);
  }

  void run(const operation& o, std::size_t op, bool query_succeeded) {
    const std::size_t item = m_.items().first_item(op);
    switch (o.kind) {
      case op_kind::launch:
        return launch(o, op);
      case op_kind::record: {
        const order_point point{type::reached, static_cast<index>(op)};
        take_place(streams_[at(o.stream)], point, rule::record);
        events_[at(o.event)] = {point, o.stream, true};
        return;
      }
      case op_kind::wait:
        return wait(o, op);
      case op_kind::destroy_stream:
        streams_[at(o.stream)].barrier = false;
        for (event_state& e : events_) e.usable = e.usable && e.stream != o.stream;
        return;
      case op_kind::host_write:
        link(call_, start(item), rule::issue);
        link(end(item), return_, rule::host_order);
        return;
      default:
        break;
    }
    if (!is_enqueued(o.kind)) return host_step(o, query_succeeded);
    stream_state& s = streams_[at(o.stream)];
    take_place(s, start(item), std::nullopt);
    become_tail(s, end(item), rule::stream_order);
    issued_.push_back(item);
    finish_copy(o, item);
  }

  void finish_copy(const operation& o, std::size_t item) {
    switch (promise_at_return(p_, o)) {
      case return_promise::nothing:
        return;
      case return_promise::complete:
        return link(end(item), return_, rule::sync_copy);
      case return_promise::source_read:
        for (std::size_t w = 0; w < item; ++w) {
          const bool source = m_.items().items()[w].write == o.read;
          if (source && m_.order().before(item).has(w)) link(end(w), return_, rule::sync_copy);
        }
    }
  }

  void wait(const operation& o, std::size_t op) {
    const event_state& e = events_[at(o.event)];
    if (!e.usable) return;
    stream_state& s = streams_[at(o.stream)];
    const order_point point{type::reached, static_cast<index>(op)};
    link(call_, point, rule::issue);
    link(e.recorded, point, rule::wait);
    if (s.legacy) barrier_to(point, rule::legacy_before);
    s.tail.push_back({point, rule::waited});
    s.own.push_back(e.recorded);
    if (s.legacy) spread(point, rule::legacy_wait);
  }

  void launch(const operation& o, std::size_t op) {
    stream_state& s = streams_[at(o.stream)];
    const order_point begin{type::reached, static_cast<index>(op)};
    const order_point over{type::left, static_cast<index>(op)};
    take_place(s, begin, rule::graph_before);
    index& last = last_launch_[at(o.graph)];
    if (last != none) link({type::left, last}, begin, rule::graph_relaunch);
    last = static_cast<index>(op);
    link(begin, over, rule::graph_after);
    const auto& nodes = p_.graphs[at(o.graph)].nodes;
    std::vector<order_point> ends;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const int item = m_.items().item_of(static_cast<index>(op), static_cast<index>(n));
      const order_point nothing{type::passed, static_cast<index>(op), static_cast<index>(n)};
      const order_point first = item < 0 ? nothing : start(static_cast<std::size_t>(item));
      ends.push_back(item < 0 ? nothing : end(static_cast<std::size_t>(item)));
      if (item >= 0) issued_.push_back(static_cast<std::size_t>(item));
      if (nodes[n].after == 0) link(begin, first, rule::graph_before);
      for (std::size_t d = 0; d < n; ++d) {
        if ((nodes[n].after >> d & 1) != 0) link(ends[d], first, rule::graph_dependency);
      }
      link(ends[n], over, rule::graph_after);
    }
    become_tail(s, over, rule::graph_after);
  }

  void host_step(const operation& o, bool query_succeeded) {
    if (is_query(o.kind) && !query_succeeded) return;
    const bool polls = o.kind == op_kind::stream_poll || o.kind == op_kind::event_poll;
    const rule by = is_query(o.kind) || polls ? rule::host_query : rule::host_sync;
    if (o.kind == op_kind::await) {
      link(start(m_.items().first_item(at(o.target))), return_, rule::callback_handoff);
    } else if (o.kind == op_kind::context_sync) {
      for (const std::size_t x : issued_) link(end(x), return_, by);
    } else if (o.event != none && o.kind != op_kind::destroy_event) {
      const event_state& e = events_[at(o.event)];
      if (e.usable) link(e.recorded, return_, by);
    } else if (o.stream != none) {
      for (const order_point& p : streams_[at(o.stream)].own) link(p, return_, by);
    }
  }

  order_graph& g_;
  const model& m_;
  const stream_program& p_;
  std::vector<stream_state> streams_;
  std::vector<event_state> events_;
  std::vector<index> last_launch_;
  std::vector<std::size_t> issued_;
  std::array<index, limits::threads> last_return_{};
  order_point call_, return_;
};

/// Points lie in blocks: two for each item, four for each operation, one for each node of a launch.
std::uint32_t order_graph::id(const order_point& p) const {
  const std::size_t items = m_.items().size(), ops = m_.source().ops.size();
  const std::size_t n = at(p.number);
  std::size_t position = 0;
  switch (p.at) {
    case type::start:
    case type::end:
      position = 2 * n + (p.at == type::end ? 1 : 0);
      break;
    case type::passed:
      position = 2 * items + 4 * ops + n * limits::graph_nodes + at(p.node);
      break;
    default:
      position = 2 * items + 4 * n + static_cast<std::size_t>(p.at) -
                 static_cast<std::size_t>(type::call);
  }
  return static_cast<std::uint32_t>(position);
}

order_graph::order_graph(const model& m, std::span<const call_outcome> outcomes) : m_(m) {
  const std::size_t items = m.items().size(), ops = m.source().ops.size();
  points_.resize(2 * items + 4 * ops + ops * limits::graph_nodes);
  edges_.resize(points_.size());
  const auto name = [&](const order_point& p) { points_[id(p)] = p; };
  for (std::size_t x = 0; x < items; ++x) {
    name({type::start, static_cast<index>(x)});
    name({type::end, static_cast<index>(x)});
  }
  for (std::size_t op = 0; op < ops; ++op) {
    const auto number = static_cast<index>(op);
    for (const type t : {type::call, type::returned, type::reached, type::left}) name({t, number});
    for (std::size_t n = 0; n < limits::graph_nodes; ++n) {
      name({type::passed, number, static_cast<index>(n)});
    }
  }
  order_builder builder(*this, m);
  for (std::size_t op = 0; op < ops; ++op) {
    const call_outcome o = op < outcomes.size() ? outcomes[op] : call_outcome::as_promised;
    builder.step(op, o == call_outcome::failed, o == call_outcome::query_succeeded);
  }
}

std::vector<order_link> order_graph::chain(const order_point& from, const order_point& to) const {
  struct step {
    std::int64_t previous = -1;
    rule by = rule::host_order;
  };
  std::vector<step> came(points_.size());
  std::vector<std::uint32_t> queue{id(from)};
  const std::uint32_t goal = id(to);
  for (std::size_t i = 0; i < queue.size() && came[goal].previous < 0; ++i) {
    for (const out_edge& e : edges_[queue[i]]) {
      if (came[e.to].previous >= 0 || e.to == queue.front()) continue;
      came[e.to] = {queue[i], e.by};
      queue.push_back(e.to);
    }
  }
  std::vector<order_link> links;
  for (std::uint32_t p = goal; came[p].previous >= 0; ) {
    const auto before = static_cast<std::uint32_t>(came[p].previous);
    order_link l{points_[before], points_[p], came[p].by, {}};
    l.clause = clause(l);
    links.push_back(l);
    p = before;
  }
  std::ranges::reverse(links);
  return links;
}

item_set order_graph::starts_after(std::size_t item) const {
  item_set after;
  std::vector<bool> met(points_.size());
  std::vector<std::uint32_t> queue{id({type::end, static_cast<index>(item)})};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const out_edge& e : edges_[queue[i]]) {
      if (met[e.to]) continue;
      met[e.to] = true;
      if (points_[e.to].at == type::start) after.add(at(points_[e.to].number));
      queue.push_back(e.to);
    }
  }
  return after;
}

std::vector<std::string_view> order_graph::clauses_behind(std::size_t item) const {
  std::vector<std::string_view> found;
  std::vector<bool> met(points_.size());
  std::vector<std::uint32_t> queue{id({type::end, static_cast<index>(item)})};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const out_edge& e : edges_[queue[i]]) {
      const std::string_view c = clause({points_[queue[i]], points_[e.to], e.by, {}});
      if (!c.empty() && std::ranges::find(found, c) == found.end()) found.push_back(c);
      if (met[e.to]) continue;
      met[e.to] = true;
      queue.push_back(e.to);
    }
  }
  return found;
}

std::string_view order_graph::clause(const order_link& link) const {
  const auto is_item = [](const order_point& p) { return p.at == type::start || p.at == type::end; };
  const auto item_at = [&](const order_point& p) { return m_.items().items()[at(p.number)]; };
  const auto kind_at = [&](const order_point& p) {
    return is_item(p) ? item_at(p).kind : item_kind::kernel;
  };
  const item_kind from = kind_at(link.from), to = kind_at(link.to);
  const bool from_call = is_item(link.from) && is_host_item(from);
  const bool to_call = is_item(link.to) && is_host_item(to);
  const auto captured = [&](index op) {
    const index g = m_.source().ops[at(op)].graph;
    return g != none && m_.source().graphs[at(g)].origin == graph_origin::captured;
  };
  const auto sync_form = [&](const order_point& p) {
    if (!is_item(p)) return false;
    const op_kind k = m_.source().ops[at(item_at(p).op)].kind;
    return k == op_kind::copy_sync || k == op_kind::memset_sync;
  };
  switch (link.by) {
    case rule::stream_order:
      return stream_order_clause(from, to);
    case rule::record:
      return record_clause(from);
    case rule::waited:
      return to_call ? "JN-EVENT-001" : "EV-WAIT-001";
    case rule::legacy_before:
      if (sync_form(link.to)) return "ST-DEF-008";
      return to_call ? "ST-DEF-003" : "ST-DEF-001";
    case rule::legacy_after:
      if (sync_form(link.from)) return "ST-DEF-008";
      return from_call ? "ST-DEF-003" : "ST-DEF-002";
    case rule::host_sync:
    case rule::host_query:
      return sync_clause(from, link.by == rule::host_query);
    case rule::graph_after:
      return to_call ? "GR-LAUNCH-004" : "GR-LAUNCH-001";
    case rule::graph_dependency:
      return graph_clause(is_item(link.to) && captured(item_at(link.to).op));
    case rule::sync_copy:
      return sync_copy_clause(m_.source(), m_.source().ops[at(link.to.number)]);
    default: {
      const auto all = rule_clauses(link.by);
      return all.empty() ? std::string_view() : all.front();
    }
  }
}

std::string to_string(const stream_program& program, const layout& items, const order_point& p) {
  if (p.at == type::start || p.at == type::end) {
    return item_name(program, items.items()[at(p.number)]) + (p.at == type::end ? ".end" : ".start");
  }
  const operation& o = program.ops[at(p.number)];
  const std::string line = line_of(program, o);
  switch (p.at) {
    case type::call:
      return "call of " + line;
    case type::returned:
      return "return of " + line;
    case type::left:
      return "end of " + line;
    case type::passed:
      return std::string(o.name.view()) + "." +
             std::string(program.graphs[at(o.graph)].nodes[at(p.node)].name.view());
    default:
      return line;
  }
}

}  // namespace streamcts::program
