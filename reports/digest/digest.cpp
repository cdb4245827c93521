// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/digest/digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace streamcts::reports {
namespace {

using results::verdict;

// What the cases of one clause add up to.
class clause_tally {
 public:
  void add(const results::case_record& record, std::string_view clause) {
    const bool red = results::is_red(record.verdict) || record.verdict == verdict::waived;
    row.counts.add(record.verdict);
    if (red && !blames(record, clause)) return;
    blamed_.add(record.verdict);
    first_reason_.emplace(record.verdict, record.reason);
    const auto own = record.opportunities_by_clause.find(std::string(clause));
    const bool apart = own != record.opportunities_by_clause.end();
    if (!apart && !record.opportunities_by_clause.empty()) return;
    const results::opportunities& more = apart ? own->second : record.opportunities;
    row.opportunities.canary += more.canary;
    row.opportunities.calibrated += more.calibrated;
  }

  void settle(const std::map<std::string, std::string>& uncovered) {
    row.state = state();
    switch (row.state) {
      case clause_state::broken:
      case clause_state::held:
        return;
      case clause_state::error:
        row.reason = first_reason_[verdict::error];
        return;
      case clause_state::waived:
        row.reason = first_reason_[verdict::waived];
        return;
      case clause_state::not_supported:
        row.reason = first_reason_[verdict::not_supported];
        return;
      case clause_state::skipped:
        row.reason = first_reason_[verdict::skipped];
        return;
      case clause_state::not_reached:
        row.reason = "the run ended before its cases";
        return;
      case clause_state::inconclusive:
        row.reason = blamed_[verdict::inconclusive] > 0 ? first_reason_[verdict::inconclusive]
                                                        : "its cases broke on another clause";
        return;
      case clause_state::no_case:
      case clause_state::not_judged:
        break;
    }
    if (const auto why = uncovered.find(row.id); why != uncovered.end()) {
      row.reason = why->second;
    } else if (row.state == clause_state::no_case) {
      row.reason = "no case of this run speaks of it";
    } else {
      row.reason = fmt::format("{}: not judged", to_string(row.clause->strength));
    }
  }

  clause_row row;

 private:
  clause_state state() const {
    if (blamed_.red() > 0) return clause_state::broken;
    if (blamed_[verdict::waived] > 0) return clause_state::waived;
    if (blamed_[verdict::pass] > 0) return clause_state::held;
    if (blamed_[verdict::error] > 0) return clause_state::error;
    if (row.counts.red() > 0 || row.counts[verdict::waived] > 0 ||
        blamed_[verdict::inconclusive] > 0) {
      return clause_state::inconclusive;
    }
    if (blamed_[verdict::not_supported] > 0) return clause_state::not_supported;
    if (blamed_[verdict::skipped] > 0) return clause_state::skipped;
    if (row.not_reached > 0) return clause_state::not_reached;
    const bool judged =
        row.clause == nullptr || row.clause->strength == results::clause_strength::guarantee;
    return judged ? clause_state::no_case : clause_state::not_judged;
  }

  results::verdict_counts blamed_;
  std::map<verdict, std::string> first_reason_;
};

std::vector<clause_row> clause_rows(const digest& all) {
  std::vector<clause_tally> tallies;
  std::map<std::string, std::size_t, std::less<>> place;
  const auto tally = [&](const std::string& id) -> clause_tally& {
    const auto [found, added] = place.emplace(id, tallies.size());
    if (added) {
      clause_row& row = tallies.emplace_back().row;
      row.id = id;
      row.clause = all.catalogue->find(id);
    }
    return tallies[found->second];
  };
  for (const results::clause& each : all.catalogue->clauses()) tally(each.id);
  for (const results::case_record& record : all.cases) {
    for (const std::string& id : record.clauses) tally(id).add(record, id);
    // A failure may name a clause that its case does not list.
    if (record.failure && !record.failure->clause.empty() &&
        std::count(record.clauses.begin(), record.clauses.end(), record.failure->clause) == 0) {
      tally(record.failure->clause).add(record, record.failure->clause);
    }
  }
  for (const results::planned_case& planned : all.not_reached) {
    for (const std::string& id : planned.clauses) ++tally(id).row.not_reached;
  }
  std::vector<clause_row> rows;
  for (clause_tally& each : tallies) {
    each.settle(all.run->info.uncovered_clauses);
    rows.push_back(std::move(each.row));
  }
  std::stable_partition(rows.begin(), rows.end(), [](const clause_row& row) {
    return row.state != clause_state::not_judged;
  });
  return rows;
}

bool is_open(clause_state state) {
  return state != clause_state::broken && state != clause_state::held &&
         state != clause_state::waived && state != clause_state::not_judged;
}

std::vector<reason_group> untried(const std::vector<results::case_record>& cases) {
  std::map<std::pair<verdict, std::string>, reason_group> groups;
  for (const results::case_record& record : cases) {
    if (record.verdict != verdict::inconclusive && record.verdict != verdict::not_supported &&
        record.verdict != verdict::skipped) {
      continue;
    }
    reason_group& group = groups[{record.verdict, record.reason}];
    group.verdict = record.verdict;
    group.reason = record.reason.empty() ? "no reason given" : record.reason;
    group.cases.push_back(&record);
  }
  std::vector<reason_group> result;
  for (auto& [key, group] : groups) result.push_back(std::move(group));
  std::stable_sort(result.begin(), result.end(), [](const reason_group& a, const reason_group& b) {
    return a.cases.size() > b.cases.size();
  });
  return result;
}

void say_verdict(digest& all) {
  const results::verdict_counts& counts = all.summary.counts;
  const std::string& name = all.run->info.device.name;
  const std::string where = name.empty() ? "" : " on " + name;
  if (counts.red() > 0) {
    all.sentence = fmt::format("{} broken{}", counted(all.broken_promises, "promise"), where);
  } else if (all.summary.exit_code == results::exit_held) {
    all.sentence =
        fmt::format("{} held and none was broken{}", counted(all.held_promises, "promise"), where);
  } else if (counts[verdict::pass] == 0) {
    all.sentence = fmt::format("No verdict{}: nothing passed", where);
  } else if (counts[verdict::error] > 0) {
    all.sentence = fmt::format("No verdict{}: the suite itself failed", where);
  } else {
    all.sentence = fmt::format("No verdict{}: the run did not reach its end", where);
  }

  std::vector<std::string> promises;
  if (counts.red() > 0) promises.push_back(fmt::format("{} held", all.held_promises));
  if (all.waived_promises > 0) promises.push_back(fmt::format("{} waived", all.waived_promises));
  promises.push_back(fmt::format("{} without a verdict", all.open_promises));
  all.promises = fmt::format("Other promises: {}.", fmt::join(promises, ", "));

  std::vector<std::string> parts;
  parts.push_back(fmt::format("{} of {} passed", counts[verdict::pass],
                              counted(counts.total() + all.summary.not_reached, "case")));
  const auto say = [&](std::size_t count, std::string_view words) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, words));
  };
  say(counts[verdict::fail], "failed");
  say(counts[verdict::hang], "hung");
  say(counts[verdict::crash], "crashed");
  say(counts[verdict::error], "ended in an error of the suite");
  say(counts[verdict::waived], "waived");
  say(counts[verdict::inconclusive], "inconclusive");
  say(counts[verdict::not_supported], "not supported here");
  say(counts[verdict::skipped], "skipped");
  say(all.summary.not_reached, "not reached");
  all.detail = fmt::format("{}.", fmt::join(parts, "; "));
}

void warn(digest& all) {
  const results::run_info& info = all.run->info;
  if (!info.interrupted.empty()) {
    all.warnings.push_back(fmt::format("The run was interrupted ({}).", info.interrupted));
  } else if (info.finished.empty()) {
    all.warnings.push_back("The run did not come to its end; this is what it had recorded.");
  }
  static constexpr std::pair<std::string_view, std::string_view> meddlers[] = {
      {"STREAMCTS_FAULT", "A faulty driver stood in front of the driver under test"},
      {"STREAMCTS_VARIANT", "A legal variant of the driver was asked for"},
      {"LD_PRELOAD", "A library was loaded in front of the driver under test"}};
  for (const auto& [variable, meaning] : meddlers) {
    const auto found = info.environment.variables.find(std::string(variable));
    if (found == info.environment.variables.end() || found->second.empty()) continue;
    all.warnings.push_back(fmt::format("{} ({}={}).", meaning, variable, found->second));
  }
  for (const results::damage& each : all.run->damages) {
    all.warnings.push_back(each.line == 0
                               ? fmt::format("{}: {}.", each.file, each.what)
                               : fmt::format("{}, line {}: {}.", each.file, each.line, each.what));
  }
}

}  // namespace

std::string_view to_string(clause_state value) {
  switch (value) {
    case clause_state::broken:
      return "broken";
    case clause_state::error:
      return "error";
    case clause_state::waived:
      return "waived";
    case clause_state::held:
      return "held";
    case clause_state::inconclusive:
      return "inconclusive";
    case clause_state::not_supported:
      return "not supported";
    case clause_state::skipped:
      return "skipped";
    case clause_state::not_reached:
      return "not reached";
    case clause_state::no_case:
      return "no case";
    case clause_state::not_judged:
      break;
  }
  return "not judged";
}

bool blames(const results::case_record& record, std::string_view clause) {
  if (!results::is_red(record.verdict) && record.verdict != verdict::waived) return false;
  if (!record.failure || record.failure->clause.empty()) return true;
  return record.failure->clause == clause;
}

digest make_digest(const results::run& run, const results::clause_catalogue& catalogue) {
  digest all;
  all.run = &run;
  all.catalogue = &catalogue;
  all.summary = results::summarise(run);
  all.cases = results::folded_cases(run);
  all.not_reached = results::not_reached(run);
  all.clauses = clause_rows(all);
  all.untried = untried(all.cases);
  for (const clause_row& row : all.clauses) {
    all.broken_promises += row.state == clause_state::broken ? 1 : 0;
    all.held_promises += row.state == clause_state::held ? 1 : 0;
    all.waived_promises += row.state == clause_state::waived ? 1 : 0;
    all.open_promises += is_open(row.state) ? 1 : 0;
  }
  all.reference = results::is_reference(run.info.device);
  say_verdict(all);
  warn(all);
  return all;
}

std::string counted(std::size_t count, std::string_view singular, std::string_view plural) {
  if (count == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", count, singular)
                        : fmt::format("{} {}", count, plural);
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0)) return "unknown";
  if (seconds < 0.0005) return "under 1 ms";
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1000);
  if (seconds < 99.95) return fmt::format("{:.1f} s", seconds);
  const double whole = std::floor(std::min(seconds, 1e12) + 0.5);
  const double minutes = std::floor(whole / 60);
  return fmt::format("{:.0f} min {:02.0f} s", minutes, whole - minutes * 60);
}

std::string_view family_of(std::string_view id) {
  return id.substr(0, id.find('/'));
}

std::string source_text(const results::clause& clause) {
  std::string result = clause.source_document;
  if (!clause.source_locator.empty()) {
    result += result.empty() ? clause.source_locator : ", " + clause.source_locator;
  }
  return result;
}

}  // namespace streamcts::reports
