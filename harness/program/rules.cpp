// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/rules.h"

namespace streamcts::program {
namespace {

using namespace std::string_view_literals;

struct rule_entry {
  std::string_view name;
  std::array<std::string_view, 8> clauses;
};

constexpr std::array<rule_entry, static_cast<std::size_t>(rule::count)> rule_table{{
    {"host order"sv, {}},
    {"hand-over between host threads"sv, {"CB-ORDER-008"sv}},
    {"issue"sv, {"VS-HOST-001"sv}},
    {"runs"sv, {}},
    {"stream order"sv,
     {"ST-ORDER-001"sv, "CB-ORDER-001"sv, "CB-ORDER-002"sv, "CB-ORDER-004"sv, "CB-BLOCK-001"sv,
      "CB-BLOCK-002"sv, "HF-ORDER-001"sv, "HF-BLOCK-001"sv}},
    {"record"sv, {"EV-REC-001"sv, "CB-BLOCK-003"sv, "HF-BLOCK-002"sv, "EV-REC-003"sv}},
    {"wait"sv, {"EV-WAIT-001"sv, "JN-EVENT-001"sv, "JN-EVENT-004"sv, "CB-BLOCK-006"sv}},
    {"behind the wait"sv, {"EV-WAIT-001"sv, "JN-EVENT-001"sv}},
    {"legacy stream waits"sv, {"ST-DEF-001"sv, "ST-DEF-003"sv, "ST-PTDS-003"sv, "ST-DEF-008"sv}},
    {"blocking stream waits for legacy stream"sv,
     {"ST-DEF-002"sv, "ST-DEF-003"sv, "ST-PTDS-003"sv, "ST-DEF-008"sv}},
    {"record in legacy stream"sv, {"ST-DEF-006"sv}},
    {"wait in legacy stream"sv, {"ST-DEF-005"sv}},
    {"synchronize"sv, {"ST-SYNC-001"sv, "ST-SYNC-002"sv, "ST-SYNC-004"sv, "CB-BLOCK-005"sv}},
    {"query success"sv, {"ST-QUERY-001"sv, "ST-QUERY-002"sv, "CB-BLOCK-004"sv}},
    {"graph launch waits"sv, {"GR-LAUNCH-001"sv, "GR-HOST-003"sv}},
    {"launch of the same executable"sv, {"GR-LAUNCH-002"sv}},
    {"graph edge"sv, {"GR-HOST-002"sv, "JN-CAP-001"sv}},
    {"behind the graph"sv, {"GR-LAUNCH-001"sv, "GR-LAUNCH-004"sv}},
    {"call returns"sv, {"CP-SYNC-001"sv, "CP-SYNC-002"sv, "CP-SYNC-004"sv, "CP-SYNC-006"sv}},
    {"handed over by a host call"sv, {"CB-THREAD-002"sv}},
}};

constexpr std::array other_list{
    "CB-ONCE-001"sv,   "HF-ONCE-001"sv,   "GR-HOST-001"sv,   "CB-ARGS-001"sv,   "CB-STATUS-001"sv,
    "CB-STATUS-002"sv, "CB-STATUS-005"sv, "CB-STATUS-006"sv, "CB-ONCE-003"sv,   "HF-ERR-001"sv,
    "ER-PROP-001"sv,   "ER-PROP-005"sv,   "ER-STICKY-001"sv, "ER-STICKY-004"sv, "EV-REC-002"sv,
    "EV-REC-004"sv,    "LT-EVENT-001"sv,  "LT-STREAM-001"sv, "JN-EVENT-007"sv,  "AT-001"sv,
    "MO-WRITE-001"sv,  "MO-WRITE-002"sv,  "JN-EVENT-002"sv,  "JN-EVENT-003"sv,  "VS-MAP-001"sv,
    "VS-MAP-003"sv,    "VS-COPY-001"sv,   "VS-COPY-002"sv,   "VS-COPY-003"sv,   "VS-MAN-001"sv,
    "VS-REG-001"sv,    "VS-HOST-002"sv,   "VS-COPY-004"sv,   "HF-UM-001"sv,     "ST-PRIO-001"sv,
    "GR-LAUNCH-004"sv, "HF-ORDER-002"sv};

bool moves_data(item_kind kind) {
  return kind == item_kind::copy || kind == item_kind::memset;
}

}  // namespace

std::span<const std::string_view> rule_clauses(rule r) {
  const auto& clauses = rule_table[static_cast<std::size_t>(r)].clauses;
  std::size_t n = 0;
  while (n < clauses.size() && !clauses[n].empty()) ++n;
  return {clauses.data(), n};
}

std::string_view to_string(rule r) {
  return rule_table[static_cast<std::size_t>(r)].name;
}

std::span<const std::string_view> other_clauses() {
  return other_list;
}

std::string_view stream_order_clause(item_kind before, item_kind after) {
  if (after == item_kind::host_function) {
    return is_host_item(before) ? "HF-ORDER-002"sv : "HF-ORDER-001"sv;
  }
  if (after == item_kind::callback) {
    if (before == item_kind::callback) return "CB-ORDER-004"sv;
    if (before == item_kind::host_function) return "HF-ORDER-002"sv;
    if (moves_data(before)) return "CB-ORDER-002"sv;
    return before == item_kind::kernel ? "CB-ORDER-001"sv : "ST-ORDER-001"sv;
  }
  if (before == item_kind::host_function) return "HF-BLOCK-001"sv;
  if (before == item_kind::callback) {
    if (after == item_kind::write_value) return "MO-WRITE-002"sv;
    return moves_data(after) ? "CB-BLOCK-002"sv : "CB-BLOCK-001"sv;
  }
  if (after == item_kind::write_value) return "MO-WRITE-001"sv;
  return after == item_kind::attach ? "AT-001"sv : "ST-ORDER-001"sv;
}

std::string_view record_clause(item_kind before) {
  if (before == item_kind::callback) return "CB-BLOCK-003"sv;
  return before == item_kind::host_function ? "HF-BLOCK-002"sv : "EV-REC-001"sv;
}

std::string_view sync_clause(item_kind covered, bool query) {
  if (covered == item_kind::host_function) return "HF-BLOCK-002"sv;
  if (covered == item_kind::callback) return query ? "CB-BLOCK-004"sv : "CB-BLOCK-005"sv;
  return query ? "ST-QUERY-001"sv : "ST-SYNC-001"sv;
}

std::string_view graph_clause(bool captured) { return captured ? "JN-CAP-001"sv : "GR-HOST-002"sv; }

std::string_view sync_copy_clause(const stream_program& program, const operation& op) {
  if (op.kind == op_kind::memset_sync) return "CP-SYNC-006"sv;
  const auto host = [&](index b) {
    return program.buffers[static_cast<std::size_t>(b)].memory != memory_kind::device;
  };
  if (host(op.read) && host(op.write)) return "CP-SYNC-004"sv;
  return host(op.write) ? "CP-SYNC-001"sv : "CP-SYNC-002"sv;
}

std::string_view visibility_clause(item_kind writer, memory_kind memory) {
  if (is_host_item(writer)) return "VS-HOST-002"sv;
  if (writer == item_kind::memset) return "VS-COPY-003"sv;
  if (memory == memory_kind::registered) return "VS-REG-001"sv;
  if (memory == memory_kind::managed) return "VS-MAN-001"sv;
  if (writer == item_kind::copy) {
    return memory == memory_kind::pageable ? "VS-COPY-002"sv : "VS-COPY-001"sv;
  }
  return memory == memory_kind::write_combined ? "VS-MAP-003"sv : "VS-MAP-001"sv;
}

}  // namespace streamcts::program
