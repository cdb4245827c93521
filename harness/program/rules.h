// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "harness/program/layout.h"

namespace streamcts::program {

/// The edges that make up happens-before. A comment names the rule of docs/programs.md.
enum class rule : std::uint8_t {
  host_order,        ///< R1: calls of one host thread
  host_handoff,      ///< R1: release and acquire between two host threads
  issue,             ///< R2: a call and the start of what it enqueues
  run,               ///< start of an item and its end
  stream_order,      ///< R3: earlier and later items of a stream
  record,            ///< R4: items of a stream and the event recorded behind them
  wait,              ///< R5: an event's captured work and the waiting stream
  waited,            ///< R5: the wait and every later item of its stream
  legacy_before,     ///< R6: work of blocking streams and an action in the legacy stream
  legacy_after,      ///< R6: an action in the legacy stream and later work of blocking streams
  legacy_record,     ///< R6: work of blocking streams and an event recorded in the legacy stream
  legacy_wait,       ///< R6: a wait in the legacy stream and later work of blocking streams
  host_sync,         ///< R10: covered work and the return of a synchronize call
  host_query,        ///< R10: covered work and a query that reports success
  graph_before,      ///< R11: earlier work of the stream and a graph launch
  graph_relaunch,    ///< R11: the previous launch of the same executable
  graph_dependency,  ///< R11: an edge inside the graph
  graph_after,       ///< R11: a graph's nodes and later work of the stream
  sync_copy,         ///< R12: a copy or memset and the return of its call
  callback_handoff,  ///< R16: what a host call saw and the thread that it hands over to
  count
};

/// Clauses that the rule rests on, all of clauses.json; empty where the C++ standard is the source.
std::span<const std::string_view> rule_clauses(rule r);
std::string_view to_string(rule r);

/// Clauses besides the order rules that an expectation may rest on: exactly once, status, values.
std::span<const std::string_view> other_clauses();

/// The clause of stream order that fits two neighbours best, as CB-BLOCK-001 for a callback and a
/// kernel behind it. Falls back to ST-ORDER-001.
std::string_view stream_order_clause(item_kind before, item_kind after);
/// The clause of an event recorded behind an item of this kind.
std::string_view record_clause(item_kind before);
/// The clause of a synchronize call that covers an item of this kind.
std::string_view sync_clause(item_kind covered, bool query);
/// The clause of an edge inside a graph.
std::string_view graph_clause(bool captured);
/// The clause of a copying or filling call that has returned.
std::string_view sync_copy_clause(const stream_program& program, const operation& op);
/// The clause of data written by @p writer into @p memory and seen by a host call or the host.
std::string_view visibility_clause(item_kind writer, memory_kind memory);

}  // namespace streamcts::program
