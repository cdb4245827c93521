// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "harness/program/text.h"

namespace streamcts::program {
namespace {

using place = observer::place;
using type = order_point::type;

/// Turns violations into words.
class explainer {
 public:
  explainer(const model& m, const history& seen) : m_(m), seen_(seen) {}

  std::string name(index item) const { return item_name(m_.source(), m_.items().items()[at(item)]); }

  std::string observer_name(const observer& from) const {
    switch (from.at) {
      case place::item_start:
        return name(from.number) + ".start";
      case place::item_end:
        return name(from.number) + ".end";
      case place::op_return:
        return from.number == none
                   ? "the final synchronization"
                   : "return of " + line_of(m_.source(), m_.source().ops[at(from.number)]);
      case place::gate_look:
        return "the look before " + name(from.number) + " was released";
      case place::finish:
        break;
    }
    return "the final synchronization";
  }

  /// The chain that the violation breaks; empty where it is not about order.
  std::vector<order_link> chain(const violation& v) const {
    // The final synchronization is no line of the program: its clause says all.
    if (v.item == none || (v.from.at == place::finish && v.reader == none)) return {};
    const order_graph graph(m_, seen_.outcomes);
    const order_point item_end{type::end, v.item}, item_start{type::start, v.item};
    switch (v.kind) {
      case violation_kind::not_done:
        return graph.chain(item_end, observer_point(v.from));
      case violation_kind::begun:
        return graph.chain(observer_end(v.from), item_start);
      case violation_kind::wrong_data:
        if (v.reader != none) return graph.chain(item_end, {type::start, v.reader});
        if (m_.must(v.from).has(at(v.item))) return graph.chain(item_end, observer_point(v.from));
        return graph.chain(observer_end(v.from), item_start);
      default:
        return {};
    }
  }

  std::string_view clause(const violation& v, const std::vector<order_link>& links) const {
    switch (v.kind) {
      case violation_kind::lost:
      case violation_kind::repeated:
        return count_clause(at(v.item), v.kind);
      case violation_kind::called_after_error:
        return "HF-ERR-001";
      case violation_kind::wrong_arguments:
        return m_.items().items()[at(v.item)].kind == item_kind::callback ? "CB-ARGS-001"
                                                                          : "HF-ONCE-001";
      case violation_kind::wrong_status:
        return status_clause(v);
      case violation_kind::hang:
        return hang_clause(v);
      default:
        break;
    }
    if (v.from.at == place::finish && v.reader == none && v.item != none) {
      return is_host_item(m_.items().items()[at(v.item)].kind) ? "CB-BLOCK-005" : "ST-SYNC-004";
    }
    if (v.kind == violation_kind::wrong_data && v.reader == none && ended_in_time(v)) {
      return visibility_clause(m_.items().items()[at(v.item)].kind,
                               m_.source().buffers[at(v.buffer)].memory);
    }
    return order_clause(links);
  }

  /// Whether the observer saw that the writer was done, though not what it wrote.
  bool ended_in_time(const violation& v) const {
    if (v.item == none || !m_.items().done_cells().has(at(v.item))) return false;
    return std::ranges::any_of(seen_.looks, [&](const look& l) {
      return l.from == v.from && l.done.has(at(v.item)) && m_.must(v.from).has(at(v.item));
    });
  }

  std::string expected(const violation& v) const {
    switch (v.kind) {
      case violation_kind::not_done:
        return name(v.item) + " has ended";
      case violation_kind::begun:
        return name(v.item) + " has not begun";
      case violation_kind::wrong_data:
        return fmt::format("buffer {} holds {}", buffer(v.buffer), value(v.expected));
      case violation_kind::lost:
      case violation_kind::repeated:
        return name(v.item) + " is called once";
      case violation_kind::called_after_error:
        return name(v.item) + " is not called after the fault";
      case violation_kind::wrong_status:
        return wrong_code(v) ? "another code" : "another status";
      case violation_kind::wrong_arguments:
        return name(v.item) + " gets its user data and stream";
      case violation_kind::hang:
        break;
    }
    return v.item == none ? "the call returns" : "the call returns though " + name(v.item) + " is held";
  }

  std::string seen(const violation& v) const {
    switch (v.kind) {
      case violation_kind::not_done:
        return fmt::format("{} had not ended (at {}; {})", name(v.item), v.sequence, ended(v.item));
      case violation_kind::begun:
        return fmt::format("{} had begun (at {})", name(v.item), v.sequence);
      case violation_kind::wrong_data: {
        std::string s = fmt::format("it held {} (at {})", value(v.seen), v.sequence);
        if (v.reader != none) {
          s += fmt::format(": {} read before {} had written", name(v.reader), name(v.item));
        }
        return s;
      }
      case violation_kind::lost:
        return "it was never called";
      case violation_kind::repeated:
      case violation_kind::called_after_error:
        return fmt::format("it was called {} times", calls(v.item));
      case violation_kind::wrong_status:
        return wrong_code(v) ? status(seen_.ops[at(v.from.number)].status)
                             : callback_error(v.item) ? "an error status" : "CUDA_SUCCESS";
      case violation_kind::wrong_arguments:
        return "it got others";
      case violation_kind::hang:
        break;
    }
    return "it did not return";
  }

  std::string log() const {
    std::string out;
    for (const log_entry& e : seen_.log) {
      if (!out.empty()) out += " | ";
      fmt::format_to(std::back_inserter(out), "{} {}", e.sequence, words(e));
    }
    return out;
  }

 private:
  static bool wrong_code(const violation& v) { return v.from.at == place::op_return; }

  static order_point observer_point(const observer& from) {
    if (from.at == place::op_return) return {type::returned, from.number};
    return {from.at == place::item_end ? type::end : type::start, from.number};
  }
  static order_point observer_end(const observer& from) {
    if (from.at == place::op_return) return {type::returned, from.number};
    return {type::end, from.number};
  }

  std::string_view count_clause(std::size_t item, violation_kind kind) const {
    const streamcts::program::item& x = m_.items().items()[item];
    if (x.node != none) return "GR-HOST-001";
    if (m_.items().fault() >= 0 && kind == violation_kind::lost) {
      return x.kind == item_kind::callback ? "CB-ONCE-003" : "HF-ONCE-001";
    }
    const auto& ops = m_.source().ops;
    const bool destroyed = std::ranges::any_of(ops, [&](const operation& o) {
      return o.kind == op_kind::destroy_stream && o.stream == x.stream;
    });
    if (destroyed) return "LT-STREAM-001";
    return x.kind == item_kind::callback ? "CB-ONCE-001" : "HF-ONCE-001";
  }

  std::string_view status_clause(const violation& v) const {
    if (wrong_code(v)) {
      if (m_.items().fault() < 0) return "ER-PROP-005";
      return m_.op_status(at(v.from.number)) == status_rule::error ? "ER-PROP-001" : "ER-PROP-005";
    }
    if (m_.items().fault() < 0) return "CB-STATUS-001";
    if (m_.callback_status(at(v.item)) == status_rule::success) return "CB-STATUS-006";
    const auto fault = m_.items().items()[static_cast<std::size_t>(m_.items().fault())];
    return fault.stream == m_.items().items()[at(v.item)].stream ? "CB-STATUS-002" : "CB-STATUS-005";
  }

  std::string_view hang_clause(const violation& v) const {
    if (v.item != none) return "EV-REC-002";
    if (m_.items().fault() >= 0) return "ER-PROP-001";
    if (v.from.at == place::op_return && v.from.number != none) {
      const op_kind kind = m_.source().ops[at(v.from.number)].kind;
      if (kind == op_kind::stream_poll || kind == op_kind::event_poll) return "ST-QUERY-002";
    }
    return "EV-REC-004";
  }

  /// The clause of the edge that says most: joins into a host call first, then the rarer rules.
  static std::string_view order_clause(const std::vector<order_link>& links) {
    if (links.empty()) return "ST-ORDER-001";
    const auto waits = std::ranges::count(links, rule::wait, &order_link::by);
    if (links.back().clause == "JN-EVENT-001") {
      return waits > 1 ? "JN-EVENT-003" : "JN-EVENT-001";
    }
    constexpr std::array order{rule::graph_relaunch, rule::legacy_wait,   rule::legacy_record,
                               rule::legacy_before,  rule::legacy_after,  rule::wait,
                               rule::callback_handoff, rule::sync_copy,   rule::graph_dependency,
                               rule::graph_before,   rule::graph_after,   rule::host_query,
                               rule::host_sync,      rule::record,        rule::stream_order};
    for (const rule r : order) {
      const auto found = std::ranges::find(links, r, &order_link::by);
      if (found != links.end() && !found->clause.empty()) return found->clause;
    }
    return "ST-ORDER-001";
  }

  std::string buffer(index b) const { return std::string(m_.source().buffers[at(b)].name.view()); }

  std::string value(buffer_value v) const {
    if (v.is_torn()) return "a mixture";
    if (v.is_initial()) {
      return "what " + buffer(static_cast<index>(v.buffer())) + " held at the beginning";
    }
    return "what " + name(static_cast<index>(v.item())) + " writes";
  }

  std::string ended(index item) const {
    for (const log_entry& e : seen_.log) {
      if (e.what == log_entry::event::done && e.number == item) {
        return fmt::format("it ended at {}", e.sequence);
      }
    }
    return "it never ended";
  }

  std::size_t calls(index item) const {
    return static_cast<std::size_t>(std::ranges::count(seen_.host_calls, item, &host_call::item));
  }
  bool callback_error(index item) const {
    return std::ranges::any_of(seen_.host_calls, [&](const host_call& c) {
      return c.item == item && c.error_status;
    });
  }

  static std::string status(call_status s) {
    return s == call_status::error ? "the call returned an error" : "the call returned success";
  }

  std::string words(const log_entry& e) const {
    switch (e.what) {
      case log_entry::event::begun:
        return name(e.number) + " begun";
      case log_entry::event::done:
        return name(e.number) + " ended";
      case log_entry::event::released:
        return name(e.number) + " released";
      case log_entry::event::called:
        return "call " + line_of(m_.source(), m_.source().ops[at(e.number)]);
      case log_entry::event::returned:
        break;
    }
    return "return " + line_of(m_.source(), m_.source().ops[at(e.number)]);
  }

  const model& m_;
  const history& seen_;
};

std::string_view kind_word(violation_kind kind) {
  switch (kind) {
    case violation_kind::not_done:
      return "MUST violated";
    case violation_kind::begun:
      return "MUST NOT violated";
    case violation_kind::wrong_data:
      return "wrong data";
    case violation_kind::hang:
      return "HANG";
    default:
      return "wrong call";
  }
}

}  // namespace

explanation explain(const model& m, const history& seen, const violation& v) {
  const explainer e(m, seen);
  const auto links = e.chain(v);
  explanation x;
  x.clause = e.clause(v, links);
  x.observer = v.from.number == none && v.item != none && v.from.at != place::finish
                   ? e.name(v.item)
                   : e.observer_name(v.from);
  x.expected = e.expected(v);
  x.seen = e.seen(v);
  const std::string held = seen.held == none ? "" : ", holding " + e.name(seen.held);
  x.headline = fmt::format("FAIL {}{}: {} at {} [{}]", m.source().origin, held, kind_word(v.kind),
                           x.observer, x.clause);
  for (const order_link& l : links) {
    if (l.by == rule::run) continue;
    x.edges.push_back({to_string(m.source(), m.items(), l.from),
                       to_string(m.source(), m.items(), l.to), to_string(l.by), l.clause});
  }
  x.events = e.log();
  return x;
}

std::string_view broken_clause(const model& m, const history& seen, const violation& v) {
  const explainer e(m, seen);
  return e.clause(v, e.chain(v));
}

std::string explanation::text() const {
  std::string out = headline + "\n";
  if (!edges.empty()) {
    out += fmt::format("  {} before {} because\n", edges.front().from, edges.back().to);
    for (const explained_edge& e : edges) {
      out += fmt::format("    {} -> {}   ({}{}{})\n", e.from, e.to, e.rule,
                         e.clause.empty() ? "" : ", ", e.clause);
    }
  }
  out += fmt::format("  expected: {}\n  but: {}\n  history: {}\n", expected, seen, events);
  return out;
}

std::string bucket_of(const model& m, const history& seen, const violation& v) {
  std::vector<std::string> kinds;
  for (const operation& o : m.source().ops) kinds.emplace_back(to_string(o.kind));
  std::ranges::sort(kinds);
  std::string key;
  for (const std::string& k : kinds) key += k + "+";
  key += broken_clause(m, seen, v);
  return key + (v.from.at == place::op_return   ? "@host"
                : v.from.at == place::gate_look ? "@gate"
                : v.from.at == place::finish    ? "@finish"
                                                : "@item");
}

namespace {

std::string list(const model& m, const item_set& items) {
  std::string out;
  items.for_each([&](std::size_t x) {
    out += " " + item_name(m.source(), m.items().items()[x]);
  });
  return out.empty() ? " -" : out;
}

void describe_observer(const model& m, const observer& from, const std::string& name,
                       std::string& out) {
  const item_set must = m.must(from), must_not = m.must_not(from);
  item_set open = m.order().all() - must - must_not;
  if (from.at != place::op_return && from.at != place::finish) open.remove(at(from.number));
  out += fmt::format("{}\n  must have ended:{}\n  must not have begun:{}\n  open:{}\n", name,
                     list(m, must), list(m, must_not), list(m, open));
  for (std::size_t b = 0; b < m.source().buffers.size(); ++b) {
    const auto value = m.contents(from, b);
    if (!value) continue;
    const std::string what =
        value->is_item() ? "what " +
                               item_name(m.source(), m.items().items()[value->item()]) + " writes"
                         : "what " + std::string(m.source().buffers[value->buffer()].name.view()) +
                               " held at the beginning";
    out += fmt::format("  {} holds {}\n", m.source().buffers[b].name.view(), what);
  }
}

}  // namespace

std::string describe(const model& m) {
  std::string out;
  const history nothing;
  const explainer e(m, nothing);
  for (std::size_t x = 0; x < m.items().size(); ++x) {
    const item_kind kind = m.items().items()[x].kind;
    const auto number = static_cast<index>(x);
    if (!is_host_item(kind) && kind != item_kind::kernel) continue;
    describe_observer(m, {place::item_start, number}, e.name(number) + ".start", out);
  }
  for (std::size_t op = 0; op < m.source().ops.size(); ++op) {
    if (!looks_at_return(m.source(), m.source().ops[op])) continue;
    const observer from{place::op_return, static_cast<index>(op)};
    describe_observer(m, from, e.observer_name(from), out);
  }
  return out;
}

}  // namespace streamcts::program
