// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>

namespace streamcts::results {
namespace {

void add(opportunities& sum, const opportunities& more) {
  sum.canary += more.canary;
  sum.calibrated += more.calibrated;
}

// Adds up the repeats of one case. Each of them stands for itself already.
case_record combined(const std::vector<case_record>& repeats) {
  verdict worst = verdict::pass;
  for (const case_record& one : repeats) worst = worse(worst, one.verdict);
  const auto has_worst = [&](const case_record& one) { return one.verdict == worst; };
  case_record result = *std::find_if(repeats.begin(), repeats.end(), has_worst);
  if (repeats.size() == 1) return result;

  result.seconds = 0;
  result.rounds = 0;
  result.opportunities = {};
  result.opportunities_by_clause.clear();
  result.holds = 0;
  result.missed_holds.clear();
  incidence all;
  for (const case_record& one : repeats) {
    result.seconds += one.seconds;
    result.rounds += one.rounds;
    add(result.opportunities, one.opportunities);
    for (const auto& [clause, count] : one.opportunities_by_clause) {
      add(result.opportunities_by_clause[clause], count);
    }
    result.holds += one.holds;
    for (const auto& [reason, count] : one.missed_holds) result.missed_holds[reason] += count;
    const bool retested = one.incidence && one.incidence->runs > 0;
    all.runs += retested ? one.incidence->runs : 1;
    all.failed += retested ? one.incidence->failed : (is_red(one.verdict) ? 1 : 0);
  }
  if (is_red(worst)) {
    if (result.incidence) all.note = result.incidence->note;
    result.incidence = std::move(all);
  } else if (const auto count = std::count_if(repeats.begin(), repeats.end(), has_worst);
             static_cast<std::size_t>(count) < repeats.size()) {
    result.reason = fmt::format("{}{}in {} of {} repeats", result.reason,
                                result.reason.empty() ? "" : ", ", count, repeats.size());
  }
  return result;
}

}  // namespace

bool is_reference(const device_info& device) {
  return device.name.starts_with("streamcts reference");
}

std::vector<case_record> folded_cases(const run& value) {
  std::unordered_map<std::string_view, std::map<std::uint64_t, const case_record*>> groups;
  for (const case_record& record : value.records) groups[record.id][record.repeat] = &record;

  std::vector<case_record> result;
  std::set<std::string_view> done;
  const auto take = [&](std::string_view id) {
    const auto found = groups.find(id);
    if (found == groups.end() || !done.insert(id).second) return;
    std::vector<case_record> repeats;
    for (const auto& [repeat, record] : found->second) repeats.push_back(*record);
    result.push_back(combined(repeats));
  };
  for (const planned_case& planned : value.planned) take(planned.id);
  for (const case_record& record : value.records) take(record.id);
  return result;
}

std::vector<planned_case> not_reached(const run& value) {
  std::set<std::string_view> reached;
  for (const case_record& record : value.records) reached.insert(record.id);
  std::vector<planned_case> result;
  for (const planned_case& planned : value.planned) {
    if (!reached.contains(planned.id)) result.push_back(planned);
  }
  return result;
}

run_summary summarise(const run& value) {
  run_summary result;
  for (const case_record& record : folded_cases(value)) result.counts.add(record.verdict);
  result.planned = value.planned.size();
  result.not_reached = not_reached(value).size();
  result.exit_code = exit_code(result.counts, result.not_reached);
  return result;
}

}  // namespace streamcts::results
