// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/case/clause.h"
#include "harness/observe/event_log.h"

namespace streamcts {

/// In which way a promise was broken.
enum class failure_kind {
  early,      ///< ran or was visible before what it must wait for
  late,       ///< not yet done where it must have been
  torn,       ///< some words new, some old
  stale,      ///< the value of an earlier round
  missing,    ///< the sentinel: nothing was written
  lost,       ///< a host call or operation that never ran
  duplicate,  ///< ran more often than it was enqueued
  order,      ///< two operations ran in the wrong order
  overlap,    ///< two operations ran at once that must not
  argument,   ///< a host call got a wrong argument
  status,     ///< a host call or a query got a wrong status
  refused,    ///< a call of the arrangement returned an error
  value,      ///< some other wrong value
  progress,   ///< waited for something that it must not wait for
  other,
};
std::string_view name(failure_kind kind);

/// A promised order between two operations of the arrangement.
struct failure_edge {
  std::string from;
  std::string to;
  std::string clause;
  bool broken = false;
};

/// An event_log entry that owns its text.
struct failure_event {
  std::uint64_t sequence = 0;
  std::string lane;
  std::string operation;
  log_phase phase = log_phase::mark;
  std::int64_t time_ns = 0;
};

/// How a promise was broken, in words and as evidence.
struct failure {
  std::string clause;
  failure_kind kind = failure_kind::other;
  std::string observer;
  std::string expected;
  std::string seen;
  std::string site;  ///< file:line of the check
  std::vector<failure_edge> edges;
  std::vector<failure_event> events;
};

/// Holds in which a check could have failed, by how that is known.
struct opportunity_count {
  std::uint64_t canary = 0;
  std::uint64_t calibrated = 0;
};

/// How a case ended, as far as the case itself can say.
enum class case_result { pass, fail, hang, inconclusive, not_supported, skipped, error };

/// All that a case leaves behind. The runner makes a record of it.
struct case_outcome {
  case_result result = case_result::pass;
  std::string reason;
  std::optional<failure> first_failure;
  std::uint64_t rounds = 0;
  std::map<std::string, opportunity_count> opportunities;  ///< by clause
  std::uint64_t holds = 0;              ///< how many holds were tried
  std::map<std::string, std::uint64_t> missed_holds;  ///< holds that were none, by reason
  struct observed {
    std::string name;
    std::string value;
    std::string note;
    /// A table instead of a value; each row as long as `columns`.
    std::vector<std::string> columns = {};
    std::vector<std::vector<std::string>> rows = {};
    bool differs_from_documentation = false;
  };
  std::vector<observed> observations;
};

}  // namespace streamcts
