// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/record.h"

#include <algorithm>

namespace streamcts::runner {

namespace {

std::vector<std::string> clause_names(const case_instance& instance) {
  std::vector<std::string> names;
  for (const clause_id each : instance.clauses) names.emplace_back(each.text);
  return names;
}

results::event_phase phase_of(log_phase phase) {
  switch (phase) {
    case log_phase::enqueue: return results::event_phase::enqueue;
    case log_phase::begin: return results::event_phase::begin;
    case log_phase::end: return results::event_phase::end;
    case log_phase::mark: break;
  }
  return results::event_phase::mark;
}

results::failure failure_of(const failure& found) {
  results::failure made;
  made.clause = found.clause;
  made.kind = results::failure_kind_from_string(name(found.kind))
                  .value_or(results::failure_kind::other);
  made.observer = found.observer;
  made.expected = found.expected;
  made.seen = found.seen;
  made.site = found.site;
  for (const failure_edge& each : found.edges) {
    made.edges.push_back({each.from, each.to, each.clause, each.broken});
  }
  for (const failure_event& each : found.events) {
    made.events.push_back(
        {each.sequence, each.lane, each.operation, phase_of(each.phase), each.time_ns});
  }
  return made;
}

void add_outcome(const case_outcome& outcome, results::case_record& record) {
  record.rounds = outcome.rounds;
  record.holds = outcome.holds;
  record.missed_holds = outcome.missed_holds;
  for (const auto& [clause, count] : outcome.opportunities) {
    record.opportunities_by_clause[clause] = {count.canary, count.calibrated};
    // One hold counts for several clauses; the case as a whole has as many as the clause with most.
    record.opportunities.canary = std::max(record.opportunities.canary, count.canary);
    record.opportunities.calibrated = std::max(record.opportunities.calibrated, count.calibrated);
  }
  if (outcome.first_failure) record.failure = failure_of(*outcome.first_failure);
}

}  // namespace

results::case_record make_record(const job_case& of, const case_end& end, std::string replay) {
  results::case_record record;
  record.id = of.instance->id;
  record.clauses = clause_names(*of.instance);
  record.tier = name(of.instance->from);
  record.verdict = end.verdict;
  record.reason = end.reason;
  record.seconds = end.seconds;
  record.seed = of.seed;
  record.repeat = of.repeat;
  record.replay = std::move(replay);
  record.stacks = end.stacks;
  record.stdout_tail = end.stdout_tail;
  record.stderr_tail = end.stderr_tail;
  if (end.outcome) add_outcome(*end.outcome, record);
  return record;
}

std::vector<results::observation> make_observations(const job_case& of, const case_end& end) {
  std::vector<results::observation> made;
  if (!end.outcome) return made;
  for (const auto& each : end.outcome->observations) {
    results::observation observation;
    observation.name = each.name;
    observation.case_id = of.instance->id;
    observation.clauses = clause_names(*of.instance);
    observation.value = each.value;
    observation.note = each.note;
    observation.table = {each.columns, each.rows};
    observation.differs_from_documentation = each.differs_from_documentation;
    made.push_back(std::move(observation));
  }
  return made;
}

}  // namespace streamcts::runner
