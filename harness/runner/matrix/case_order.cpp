// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/matrix/case_order.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>

namespace streamcts::runner {

namespace {

/// A case of more clauses than this makes many points at once, as a random program does: which of them
/// fails first is a matter of chance.
constexpr std::size_t most_clauses_of_a_point = 6;

/// Arrangements take turns, each with its cheapest case first.
std::vector<const case_instance*> interleaved(std::vector<timed_case> cases) {
  std::stable_sort(cases.begin(), cases.end(), [](const timed_case& a, const timed_case& b) {
    return a.seconds < b.seconds;
  });
  std::map<std::string_view, std::size_t> turns;
  std::vector<std::pair<std::size_t, const case_instance*>> placed;
  for (const timed_case& each : cases) {
    placed.emplace_back(turns[each.instance->definition->arrangement]++, each.instance);
  }
  // The cost of a whole round is known no better than by its first case: keep that order.
  std::stable_sort(placed.begin(), placed.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<const case_instance*> made;
  for (const auto& [turn, instance] : placed) made.push_back(instance);
  return made;
}

void append(const std::vector<timed_case>& part, std::vector<const case_instance*>& to) {
  std::vector<timed_case> shared, alone;
  for (const timed_case& each : part) {
    (each.instance->where == isolation::own_process ? alone : shared).push_back(each);
  }
  for (auto* cases : {&shared, &alone}) {
    for (const case_instance* each : interleaved(std::move(*cases))) to.push_back(each);
  }
}

}  // namespace

bool carries_clause_of(const case_instance& instance, const fault& of) {
  return std::any_of(instance.clauses.begin(), instance.clauses.end(), [&](const clause_id each) {
    return std::find(of.clauses.begin(), of.clauses.end(), each.text) != of.clauses.end();
  });
}

case_queue order_cases(const fault& of, const std::vector<timed_case>& usable) {
  std::set<std::string_view> families;
  std::vector<timed_case> own, broad, near, far;
  for (const timed_case& each : usable) {
    if (!carries_clause_of(*each.instance, of)) continue;
    (each.instance->clauses.size() > most_clauses_of_a_point ? broad : own).push_back(each);
    families.insert(each.instance->family());
  }
  for (const timed_case& each : usable) {
    if (carries_clause_of(*each.instance, of)) continue;
    (families.contains(each.instance->family()) ? near : far).push_back(each);
  }
  case_queue made;
  append(own, made.cases);
  append(broad, made.cases);
  made.own = made.cases.size();
  append(near, made.cases);
  append(far, made.cases);
  return made;
}

std::vector<std::string> masked_clauses(const fault& of, const std::set<std::string>& red) {
  std::vector<std::string> made;
  std::copy_if(of.clauses.begin(), of.clauses.end(), std::back_inserter(made),
               [&](const std::string& each) { return red.contains(each); });
  return made;
}

std::vector<timed_case> cover_of(const fault& of, const std::vector<timed_case>& usable) {
  std::map<std::string_view, const timed_case*> cheapest;
  for (const timed_case& each : usable) {
    const timed_case*& best = cheapest[each.instance->definition->arrangement];
    if (best == nullptr || each.seconds < best->seconds) best = &each;
  }
  std::vector<timed_case> made;
  for (const timed_case& each : usable) {
    if (carries_clause_of(*each.instance, of) ||
        cheapest[each.instance->definition->arrangement] == &each) {
      made.push_back(each);
    }
  }
  return made;
}

}  // namespace streamcts::runner
