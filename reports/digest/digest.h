// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What all reports say of a run, worked out once: the sentence on top, what became of each clause,
// and what could not be tried.

#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results/clauses.h"
#include "reports/results/run.h"

namespace streamcts::reports {

/// What a run says of one clause.
enum class clause_state {
  broken,         ///< A case proved it broken, or hung or crashed while checking it.
  error,          ///< The suite failed on it and no case passed.
  waived,         ///< Broken, and covered by a waiver.
  held,           ///< A case passed, and none was red.
  inconclusive,   ///< Tried, and could not have failed.
  not_supported,  ///< Nothing here can do what its cases need.
  skipped,
  not_reached,  ///< Planned; the run ended before.
  no_case,      ///< A guarantee without a planned case.
  not_judged,   ///< A permission, a prohibition on the user, or undefined, without a case.
};

/// The state in words: "broken", "held", "not supported", ...
std::string_view to_string(clause_state value);

struct clause_row {
  std::string id;
  const results::clause* clause = nullptr;  ///< Null where the catalogue does not know the id.
  clause_state state = clause_state::no_case;
  results::verdict_counts counts;
  std::size_t not_reached = 0;
  results::opportunities opportunities;
  std::string reason;  ///< Why there is no verdict; empty where there is one.

  std::size_t cases() const { return counts.total() + not_reached; }
};

/// Cases that gave no verdict for the same reason.
struct reason_group {
  results::verdict verdict = results::verdict::inconclusive;
  std::string reason;
  std::vector<const results::case_record*> cases;
};

/// Everything that the reports share. Refers to the run and the catalogue, which must outlive it.
struct digest {
  digest() = default;
  digest(digest&&) = default;
  digest& operator=(digest&&) = default;

  const results::run* run = nullptr;
  const results::clause_catalogue* catalogue = nullptr;
  results::run_summary summary;
  std::vector<results::case_record> cases;  ///< Folded, in the order of the plan.
  std::vector<results::planned_case> not_reached;
  /// Guarantees and whatever a case speaks of, in the order of the catalogue; then the rest.
  std::vector<clause_row> clauses;
  std::vector<reason_group> untried;  ///< Inconclusive, NotSupported, Skipped; largest first.
  std::size_t broken_promises = 0;    ///< Clauses whose state is broken.
  std::size_t held_promises = 0;
  std::size_t waived_promises = 0;
  std::size_t open_promises = 0;  ///< Guarantees without a verdict of this run.

  std::string sentence;  ///< The verdict: "2 promises broken on NVIDIA H200".
  std::string promises;  ///< After it: what became of the other promises.
  std::string detail;    ///< How many cases ended in which way.
  bool reference = false;
  /// Things that a reader must know before believing anything else, a sentence each: an interrupted
  /// run, a faulty driver or a variant in front, damage of the folder.
  std::vector<std::string> warnings;
};

digest make_digest(const results::run& run, const results::clause_catalogue& catalogue);
digest make_digest(results::run&& run, const results::clause_catalogue& catalogue) = delete;
digest make_digest(const results::run& run, results::clause_catalogue&& catalogue) = delete;

/// What a reference driver's report says above everything else.
inline constexpr std::string_view reference_notice =
    "This ran on the reference driver. It proves nothing about hardware.";

/// True where @p record is to blame on @p clause: its failure names it, or it is red and names
/// none.
bool blames(const results::case_record& record, std::string_view clause);

/// "1 case", "2 cases".
std::string counted(std::size_t count, std::string_view singular, std::string_view plural = {});

/// "340 ms", "12.3 s", "4 min 05 s".
std::string duration_text(double seconds);

/// The part of an id before its first slash: the family.
std::string_view family_of(std::string_view id);

/// One line on a clause's origin: document, locator, and whether it is derived.
std::string source_text(const results::clause& clause);

}  // namespace streamcts::reports
