// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What one case leaves behind. Text may hold any bytes: it is made printable where it is written
// (printable.h), so that a crashing program can't damage a run folder.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results/verdict.h"

namespace streamcts::results {

/// Holds in which the defect could have shown itself, by how that is known. Zero in both for a
/// clause that is watched by holding something back means that it was not tested at all.
struct opportunities {
  std::uint64_t canary = 0;      ///< A canary ran while the victim was held.
  std::uint64_t calibrated = 0;  ///< No canary, but the calibrated time of the hold had passed.

  bool operator==(const opportunities&) const = default;
};

/// How often a red case was red when it was run again with the same seed.
struct incidence {
  std::uint64_t failed = 0;
  std::uint64_t runs = 0;  ///< All runs, the first one too; zero where it was not run again.
  std::string note;        ///< What the figures don't say: "not retested", "only after X".

  bool operator==(const incidence&) const = default;
};

/// "failed 4 of 11", with the note behind it; the note alone where there are no figures.
std::string incidence_text(const incidence& value);

/// In which way a promise was broken. The names are those of the records.
enum class failure_kind {
  early,      ///< Ran or was visible before what it must wait for.
  late,       ///< Not yet done where it must have been.
  torn,       ///< Some words new, some old.
  stale,      ///< The value of an earlier round.
  missing,    ///< The sentinel: nothing was written.
  lost,       ///< A host call or operation that never ran.
  duplicate,  ///< Ran more often than it was enqueued.
  order,      ///< Two operations ran in the wrong order.
  overlap,    ///< Two operations ran at once that must not.
  argument,   ///< A host call got a wrong argument.
  status,     ///< A host call or query got a wrong status.
  refused,    ///< A call of the arrangement returned an error.
  value,      ///< Some other wrong value.
  progress,   ///< Waited for something that it must not wait for.
  other,
};

std::string_view to_string(failure_kind value);
std::optional<failure_kind> failure_kind_from_string(std::string_view text);

/// What happened to an operation at one moment.
enum class event_phase {
  enqueue,  ///< The host handed it over; the lane is that of the host thread.
  begin,
  end,
  mark,  ///< A single moment without length: a look at memory, a gate that opens, an event.
};

std::string_view to_string(event_phase value);
std::optional<event_phase> event_phase_from_string(std::string_view text);

/// One observed moment, for the picture of a failure.
struct event {
  std::uint64_t seq = 0;  ///< Place in the observed order; no two events share one.
  /// Where it happened, as shown: "host", "host 2", "callback thread", "stream 1".
  std::string lane;
  /// Name of the operation, the same in all its events and in the edges: "kernel K1".
  std::string operation;
  event_phase phase = event_phase::mark;
  /// Nanoseconds since the round began, by the clock of the host; absent where none could be read.
  std::optional<std::int64_t> time_ns;

  bool operator==(const event&) const = default;
};

/// An order that the documentation promises: @p from has ended before @p to begins. Both are names
/// of operations, as in event::operation.
struct edge {
  std::string from;
  std::string to;
  std::string clause;   ///< Clause that promises it; empty for plain program order.
  bool broken = false;  ///< This is the one that did not hold.

  bool operator==(const edge&) const = default;
};

/// How a promise was broken: enough for a sentence and a picture.
struct failure {
  std::string clause;  ///< The clause that is broken.
  failure_kind kind = failure_kind::other;
  std::string observer;  ///< Who saw it: "callback C1", "host after cuStreamSynchronize".
  std::string expected;
  std::string seen;
  std::string site;  ///< file:line of the check.
  std::vector<edge> edges;
  std::vector<event> events;

  bool operator==(const failure&) const = default;
};

/// The record of a case: a line of cases.jsonl.
struct case_record {
  std::string id;
  std::vector<std::string> clauses;
  std::string tier;
  results::verdict verdict = verdict::error;
  /// One line. NotSupported: attribute and value; Skipped: a code; Waived: the id of the waiver.
  std::string reason;
  double seconds = 0;
  std::uint64_t seed = 0;
  std::uint64_t repeat = 0;  ///< Which repetition of the run (--repeat) this is, from 0.
  std::uint64_t rounds = 0;
  results::opportunities opportunities;
  /// The same for each clause of a case that checks several.
  std::map<std::string, results::opportunities> opportunities_by_clause;
  std::uint64_t holds = 0;  ///< How often something was held back, opportunity or not.
  std::map<std::string, std::uint64_t>
      missed_holds;  ///< Holds that were no opportunity, by reason.
  std::optional<results::incidence> incidence;
  std::string replay;               ///< Command line with its environment, for a shell.
  std::vector<std::string> stacks;  ///< Lines of the stacks that the watchdog took.
  std::string stdout_tail;          ///< The last that the child printed; bounded by the writer.
  std::string stderr_tail;
  std::optional<results::failure> failure;

  bool operator==(const case_record&) const = default;
};

/// Columns and rows of an observation that is more than one value.
struct table {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;

  bool operator==(const table&) const = default;
};

/// Something worth knowing of a driver that no clause judges: a line of observations.jsonl.
struct observation {
  std::string name;     ///< One line, as shown: "CUDA calls inside a host function".
  std::string case_id;  ///< The case that saw it; empty for the run as a whole.
  std::vector<std::string> clauses;
  std::string value;     ///< Empty where there is a table.
  results::table table;  ///< Empty where there is a value.
  std::string note;
  bool differs_from_documentation = false;

  bool operator==(const observation&) const = default;
};

}  // namespace streamcts::results
