// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/matrix/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "reports/digest/digest.h"

namespace streamcts::reports {

namespace {

/// ln of the number of ways to choose @p k of @p n.
double log_choose(std::size_t n, std::size_t k) {
  const auto gamma = [](std::size_t of) { return std::lgamma(static_cast<double>(of) + 1); };
  return gamma(n) - gamma(k) - gamma(n - k);
}

/// The probability of @p k or more successes of @p n.
double upper_tail(std::size_t k, std::size_t n, double p) {
  double sum = 0;
  for (std::size_t i = k; i <= n; ++i) {
    sum += std::exp(log_choose(n, i) + static_cast<double>(i) * std::log(p) +
                    static_cast<double>(n - i) * std::log1p(-p));
  }
  return sum;
}

double quantile(const std::vector<double>& sorted, double fraction) {
  if (sorted.empty()) return 0;
  const auto place = static_cast<std::size_t>(fraction * static_cast<double>(sorted.size()));
  return sorted[std::min(place, sorted.size() - 1)];
}

int exit_code_of(const matrix_summary& summary) {
  const fault_counts& all = summary.all;
  if (all.survived > 0 || all.false_alarms > 0 || summary.always_repeated < summary.repeated) {
    return results::exit_broken;
  }
  // A fault that never took effect says nothing either way.
  if (summary.baseline_red > 0 || summary.left > 0 || all.killed + all.green == 0) {
    return results::exit_no_verdict;
  }
  return results::exit_held;
}

std::string sentence_of(const matrix_summary& summary) {
  const fault_counts& all = summary.all;
  std::string text = fmt::format("{} of {} killed", all.killed,
                                 counted(all.reached(), "fault that took effect",
                                         "faults that took effect"));
  if (summary.always_repeated < summary.repeated) {
    text += fmt::format(", {} not in every repeat", summary.repeated - summary.always_repeated);
  }
  if (all.not_reached > 0) text += fmt::format(", {} not reached", all.not_reached);
  if (all.masked > 0) {
    text += fmt::format(", {} masked by cases of {} that are red without a fault", all.masked,
                        fmt::join(summary.masking, ", "));
  }
  if (all.green + all.false_alarms > 0) {
    text += fmt::format("; {} of {} green", all.green,
                        counted(all.green + all.false_alarms, "legal oddity", "legal oddities"));
  }
  if (summary.left > 0) text += fmt::format("; {} not tried", summary.left);
  return text;
}

}  // namespace

std::string_view to_string(fault_outcome value) {
  switch (value) {
    case fault_outcome::killed: return "killed";
    case fault_outcome::survived: return "survived";
    case fault_outcome::not_reached: return "not_reached";
    case fault_outcome::masked: return "masked";
    case fault_outcome::green: return "green";
    case fault_outcome::false_alarm: return "false_alarm";
  }
  return "unknown";
}

std::optional<fault_outcome> fault_outcome_from_string(std::string_view text) {
  for (const fault_outcome each : all_fault_outcomes) {
    if (to_string(each) == text) return each;
  }
  return std::nullopt;
}

const fault_kill* fault_record::killed_by() const {
  if (kills.empty()) return nullptr;
  const auto right = std::find_if(kills.begin(), kills.end(),
                                  [](const fault_kill& each) { return each.right_clause; });
  return right == kills.end() ? &kills.front() : &*right;
}

bool fault_record::right_clause() const {
  const fault_kill* by = killed_by();
  return by != nullptr && by->right_clause;
}

bool baseline_case::red() const {
  return results::is_red(verdict) || verdict == results::verdict::error;
}

std::vector<std::string> baseline_case::masks() const {
  if (!red()) return {};
  return clause.empty() ? clauses : std::vector<std::string>{clause};
}

void fault_counts::add(const fault_record& record) {
  switch (record.outcome) {
    case fault_outcome::killed:
      ++killed;
      if (record.right_clause()) ++right_clause;
      break;
    case fault_outcome::survived: ++survived; break;
    case fault_outcome::not_reached: ++not_reached; break;
    case fault_outcome::masked: ++masked; break;
    case fault_outcome::green: ++green; break;
    case fault_outcome::false_alarm: ++false_alarms; break;
  }
}

double detection_lower_bound(std::size_t killed, std::size_t reached) {
  constexpr double alpha = 0.05;
  if (killed == 0 || killed > reached) return 0;
  double low = 0;
  double high = 1;
  for (int step = 0; step < 50; ++step) {
    const double middle = (low + high) / 2;
    (upper_tail(killed, reached, middle) < alpha ? low : high) = middle;
  }
  return low;
}

matrix_summary summarize(const matrix& all) {
  matrix_summary made;
  std::vector<double> times;
  std::set<std::string> masking;
  for (const fault_record& each : all.faults) {
    made.all.add(each);
    if (!each.benign) made.by_class[each.fault_class].add(each);
    masking.insert(each.masked_by.begin(), each.masked_by.end());
    if (each.repeats) {
      ++made.repeated;
      if (each.repeats->killed == each.repeats->runs) ++made.always_repeated;
    }
    if (each.outcome == fault_outcome::killed && each.killed_by() != nullptr) {
      times.push_back(each.killed_by()->seconds);
    }
  }
  for (const baseline_case& each : all.baseline) {
    if (each.red()) ++made.baseline_red;
  }
  made.masking.assign(masking.begin(), masking.end());
  // In the other ways to hold, cases that lean on a gate are red by themselves; they kill nothing.
  if (all.holds != "gates") made.baseline_red = 0;
  made.left = all.planned.size() - std::min(all.planned.size(), all.faults.size());
  std::sort(times.begin(), times.end());
  made.median_seconds_to_kill = quantile(times, 0.5);
  made.p90_seconds_to_kill = quantile(times, 0.9);
  made.max_seconds_to_kill = times.empty() ? 0 : times.back();
  made.lower_bound = detection_lower_bound(made.all.killed, made.all.reached());
  made.exit_code = exit_code_of(made);
  made.sentence = sentence_of(made);
  return made;
}

}  // namespace streamcts::reports
