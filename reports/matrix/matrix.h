// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What the suite noticed of the faults of the catalogue: one run of the kill matrix.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/results/run.h"

namespace streamcts::reports {

/// Value of `schema` in matrix.json. The number grows when old readers would misread.
inline constexpr std::string_view matrix_schema = "streamcts-matrix/1";

/// What became of one fault, or of one legal oddity.
enum class fault_outcome {
  killed,       ///< a case was red under it
  survived,     ///< it took effect, and no case was red
  not_reached,  ///< it never took effect: nothing is known of it
  /// Neither killed nor known to survive: what checks one of its promises was red without any fault, and
  /// was left out. Where the driver itself breaks a promise, nobody can say whether a fault adds to it.
  masked,
  green,        ///< an oddity, and no case was red
  false_alarm,  ///< an oddity, and a case was red although all of this is allowed
};

inline constexpr fault_outcome all_fault_outcomes[] = {
    fault_outcome::survived, fault_outcome::not_reached, fault_outcome::masked,
    fault_outcome::false_alarm, fault_outcome::killed, fault_outcome::green};

std::string_view to_string(fault_outcome value);  ///< "killed", "not_reached"
std::optional<fault_outcome> fault_outcome_from_string(std::string_view text);

/// A case that was red under a fault.
struct fault_kill {
  std::string case_id;
  results::verdict verdict = results::verdict::fail;
  /// Of the check that failed; empty where the case hung or crashed without one.
  std::string clause;
  std::string kind;      ///< of the failure: "early", "stale"
  std::string expected;  ///< or the reason, where no check failed
  std::string seen;
  /// The clause of the failed check is one of the fault's; without a check, one of the case's is.
  bool right_clause = false;
  double seconds = 0;  ///< from the start of the fault's first process

  bool operator==(const fault_kill&) const = default;
};

/// How often the case that noticed a fault noticed it again.
struct fault_repeats {
  std::uint64_t killed = 0;
  std::uint64_t runs = 0;

  bool operator==(const fault_repeats&) const = default;
};

/// A line of matrix.jsonl.
struct fault_record {
  std::string id;
  std::string fault_class;           ///< "A" to "J"
  std::vector<std::string> clauses;  ///< that it breaks
  std::string sentence;
  bool benign = false;
  fault_outcome outcome = fault_outcome::not_reached;
  /// In the order of time. Without --all-kills: up to the first of a right clause.
  std::vector<fault_kill> kills;
  std::uint64_t reached = 0;       ///< how often the fault took effect
  std::uint64_t cases = 0;         ///< how many cases were run
  std::uint64_t inconclusive = 0;  ///< of these
  std::uint64_t errors = 0;        ///< of these
  double seconds = 0;              ///< all of it
  std::optional<fault_repeats> repeats;
  /// Of a masked fault: those of its clauses of which a check was red in the baseline.
  std::vector<std::string> masked_by;
  std::string note;  ///< what a reader must know of it; usually empty

  /// The kill that counts: the first of a right clause, else the first. Null where there is none.
  const fault_kill* killed_by() const;
  bool right_clause() const;

  bool operator==(const fault_record&) const = default;
};

/// A case of the baseline: the faulty driver without a fault.
struct baseline_case {
  std::string id;
  std::vector<std::string> clauses;
  results::verdict verdict = results::verdict::pass;
  double seconds = 0;
  std::string reason;
  std::string clause;  ///< of the check that failed, if one did

  /// Whether it says that the driver itself breaks something, or that the suite does: it was left out.
  bool red() const;
  /// The clauses of which nothing can be said with it left out: that of the failed check, or all of the
  /// case's where there was no check. None where it is not red.
  std::vector<std::string> masks() const;

  bool operator==(const baseline_case&) const = default;
};

/// One run of the matrix.
struct matrix {
  results::run_info info;
  std::string holds = "gates";         ///< how victims were held: gates, none, equal, random
  std::vector<std::string> planned;    ///< ids of the faults, in their order
  std::vector<baseline_case> baseline;
  std::vector<fault_record> faults;
  std::vector<results::damage> damages;  ///< what could not be read
};

/// Counts of some faults: of all, or of a class.
struct fault_counts {
  std::size_t killed = 0;
  std::size_t right_clause = 0;  ///< of the killed
  std::size_t survived = 0;
  std::size_t not_reached = 0;
  std::size_t masked = 0;
  std::size_t green = 0;
  std::size_t false_alarms = 0;

  void add(const fault_record& record);
  std::size_t reached() const { return killed + survived; }
};

struct matrix_summary {
  fault_counts all;
  std::map<std::string, fault_counts> by_class;  ///< oddities left out
  std::size_t left = 0;                          ///< planned and not done
  std::size_t baseline_red = 0;
  double median_seconds_to_kill = 0;
  double p90_seconds_to_kill = 0;
  double max_seconds_to_kill = 0;
  /// A further fault of the same kind is killed with at least this probability (95 % confidence).
  double lower_bound = 0;
  std::size_t repeated = 0;         ///< faults with repeats
  std::size_t always_repeated = 0;  ///< of these: killed in every repeat
  std::vector<std::string> masking;  ///< clauses that mask a fault, sorted
  int exit_code = 0;
  std::string sentence;  ///< "184 of 189 faults killed"
};

matrix_summary summarize(const matrix& all);

/// The least p for which @p killed or more of @p reached come with a probability of 5 %: the lower
/// end of a one-sided Clopper-Pearson interval; 0.05^(1/n) where all were killed.
double detection_lower_bound(std::size_t killed, std::size_t reached);

}  // namespace streamcts::reports
