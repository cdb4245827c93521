// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/check.h"

#include <algorithm>

namespace streamcts::program {
namespace {

class checker {
 public:
  checker(const model& m, const history& seen) : m_(m), seen_(seen) {}

  std::vector<violation> run() {
    for (const look& l : seen_.looks) {
      if (!trustworthy(l.from)) continue;
      check_cells(l);
      if (l.values != look::no_values) check_buffers(l);
    }
    check_calls();
    check_codes();
    check_progress();
    std::ranges::stable_sort(found_, {}, &violation::sequence);
    return std::move(found_);
  }

 private:
  /// After a fault, what is ordered behind it may be missing and memory is undefined
  /// (ER-STICKY-009). A look counts only where success was reported or the fault cannot have been.
  bool trustworthy(const observer& from) const {
    if (m_.items().fault() < 0) return true;
    const auto fault = static_cast<std::size_t>(m_.items().fault());
    switch (from.at) {
      case observer::place::item_start:
      case observer::place::item_end:
        return m_.order().after(at(from.number)).has(fault) || successful(from.number);
      case observer::place::op_return:
        return seen_.ops[at(from.number)].status == call_status::success &&
               !m_.order().known(at(from.number)).has(fault);
      case observer::place::gate_look:
        return from.number == m_.items().fault() || m_.order().after(at(from.number)).has(fault);
      case observer::place::finish:
        break;
    }
    return false;
  }

  bool successful(index item) const {
    if (m_.items().items()[at(item)].kind != item_kind::callback) return false;
    return std::ranges::any_of(
        seen_.host_calls, [&](const host_call& c) { return c.item == item && !c.error_status; });
  }

  void check_cells(const look& l) {
    item_set missing = (m_.must(l.from) & m_.items().done_cells()) - l.done;
    // A host call that never came is lost, and told of as that.
    if (l.from.at == observer::place::finish && seen_.finished) missing -= never_called();
    missing.for_each([&](std::size_t x) { add(violation_kind::not_done, l, x); });
    const item_set early = m_.must_not(l.from) & ((l.begun & m_.items().begun_cells()) |
                                                  (l.done & m_.items().done_cells()));
    early.for_each([&](std::size_t x) { add(violation_kind::begun, l, x); });
  }

  item_set never_called() const {
    item_set never = m_.items().host_calls();
    for (const host_call& c : seen_.host_calls) never.remove(at(c.item));
    item_set lost;
    never.for_each([&](std::size_t x) {
      if (m_.calls(x) == call_count::once && registered(x)) lost.add(x);
    });
    return lost;
  }

  void check_buffers(const look& l) {
    for (std::size_t b = 0; b < m_.source().buffers.size(); ++b) {
      const std::optional<buffer_value> expected = m_.contents(l.from, b);
      const buffer_value seen = seen_.values[l.values + b];
      if (!expected || *expected == seen || seen == buffer_value::unread()) continue;
      violation v{violation_kind::wrong_data, l.from};
      v.buffer = static_cast<index>(b);
      v.expected = *expected;
      v.seen = seen;
      v.sequence = l.sequence;
      blame(v, m_.must(l.from));
      found_.push_back(v);
    }
  }

  /// Finds the item that the wrong contents speak of: one that had not written yet, one that had
  /// already, or a reader that was too early.
  void blame(violation& v, const item_set& ended) const {
    const item_set& writers = m_.data().writers(at(v.buffer));
    const bool too_new =
        v.seen.is_item() && writers.has(v.seen.item()) && !ended.has(v.seen.item());
    if (too_new) {
      v.item = static_cast<index>(v.seen.item());
      return;
    }
    const item_set done = writers & ended;
    if (done.empty()) return;
    std::size_t last = done.last();
    v.item = static_cast<index>(last);
    for (;;) {
      const index source = m_.items().items()[last].read;
      if (source == none) return;
      const item_set filled = m_.data().writers(at(source)) & m_.order().before(last);
      if (filled.empty()) return;
      const std::size_t newest = filled.last();
      // What was copied while it was written is a mixture.
      bool stale = v.seen == buffer_value::initial(at(source)) || v.seen.is_torn();
      filled.for_each([&](std::size_t w) {
        stale = stale || (w != newest && v.seen == m_.data().written_by(w));
      });
      if (stale) {
        v.reader = static_cast<index>(last);
        v.item = static_cast<index>(newest);
        return;
      }
      last = newest;
    }
  }

  void check_calls() {
    m_.items().host_calls().for_each([&](std::size_t x) {
      std::size_t times = 0;
      const host_call* last = nullptr;
      for (const host_call& c : seen_.host_calls) {
        if (at(c.item) != x) continue;
        ++times;
        last = &c;
        check_call(c);
      }
      const call_count rule = m_.calls(x);
      const std::uint32_t when = last != nullptr ? last->entered : end_of_run();
      const observer from{observer::place::finish, none};
      if (times > 1) {
        add(violation_kind::repeated, from, when, x);
      } else if (times == 1 && rule == call_count::never) {
        add(violation_kind::called_after_error, from, when, x);
      } else if (times == 0 && rule == call_count::once && seen_.finished && registered(x)) {
        add(violation_kind::lost, from, when, x);
      }
    });
  }

  /// Only calls that succeeded promise anything (a refused one may or may not run its function).
  bool registered(std::size_t item) const {
    return seen_.ops[at(m_.items().items()[item].op)].status == call_status::success;
  }

  void check_call(const host_call& c) {
    const observer from{observer::place::item_start, c.item};
    if (!c.right_arguments) add(violation_kind::wrong_arguments, from, c.entered, at(c.item));
    if (m_.items().items()[at(c.item)].kind != item_kind::callback) return;
    const status_rule rule = m_.callback_status(at(c.item));
    const bool wrong = (rule == status_rule::success && c.error_status) ||
                       (rule == status_rule::error && !c.error_status);
    if (wrong) add(violation_kind::wrong_status, from, c.entered, at(c.item));
  }

  void check_codes() {
    for (std::size_t op = 0; op < seen_.ops.size() && op < m_.source().ops.size(); ++op) {
      const op_result& r = seen_.ops[op];
      const status_rule rule = m_.op_status(op);
      const bool wrong = (rule == status_rule::success && r.status == call_status::error) ||
                         (rule == status_rule::error && r.status == call_status::success);
      if (!wrong) continue;
      violation v{violation_kind::wrong_status,
                  {observer::place::op_return, static_cast<index>(op)}};
      v.sequence = r.returned;
      found_.push_back(v);
    }
  }

  /// EV-REC-002 inside one stream: work behind the record is held, and waiting for the event hangs
  /// on it. Across streams false dependencies are legal (EN-002).
  void check_progress() {
    for (const look& l : seen_.looks) {
      if (l.from.at == observer::place::gate_look && one_stream()) check_blocked(l);
    }
    if (seen_.finished) return;
    violation v{violation_kind::hang, {observer::place::finish, none}};
    for (std::size_t op = 0; op < seen_.ops.size(); ++op) {
      if (seen_.ops[op].status != call_status::running) continue;
      v.from = {observer::place::op_return, static_cast<index>(op)};
      break;
    }
    v.sequence = end_of_run();
    found_.push_back(v);
  }

  void check_blocked(const look& l) {
    const auto& ops = m_.source().ops;
    for (std::size_t op = 0; op < ops.size(); ++op) {
      const bool waits = ops[op].kind == op_kind::event_sync || ops[op].kind == op_kind::event_poll;
      const op_result& r = seen_.ops[op];
      const bool blocked =
          r.called != 0 && r.called < l.sequence && (r.returned == 0 || r.returned > l.sequence);
      if (!waits || !blocked || m_.order().known(op).has(at(l.from.number))) continue;
      violation v{violation_kind::hang, {observer::place::op_return, static_cast<index>(op)}};
      v.item = l.from.number;
      v.sequence = l.sequence;
      found_.push_back(v);
    }
  }

  bool one_stream() const {
    if (m_.items().fault() >= 0) return false;
    index stream = none;
    for (const operation& o : m_.source().ops) {
      if (o.thread != m_.source().ops[0].thread) return false;
      if (o.stream == none) continue;
      if (stream != none && o.stream != stream) return false;
      stream = o.stream;
    }
    return true;
  }

  std::uint32_t end_of_run() const { return seen_.log.empty() ? 0 : seen_.log.back().sequence + 1; }

  void add(violation_kind kind, const observer& from, std::uint32_t sequence, std::size_t item) {
    violation v{kind, from, static_cast<index>(item)};
    v.sequence = sequence;
    found_.push_back(v);
  }
  void add(violation_kind kind, const look& l, std::size_t item) {
    add(kind, l.from, l.sequence, item);
  }

  const model& m_;
  const history& seen_;
  std::vector<violation> found_;
};

}  // namespace

std::string_view to_string(violation_kind kind) {
  constexpr std::array<std::string_view, 9> words{
      "not_done",           "begun",        "wrong_data",      "lost", "repeated",
      "called_after_error", "wrong_status", "wrong_arguments", "hang"};
  return words.at(static_cast<std::size_t>(kind));
}

std::vector<violation> check(const model& m, const history& seen) {
  return checker(m, seen).run();
}

}  // namespace streamcts::program
