// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace streamcts {

namespace {

using entry = parameters::entry;
/// Two axes and a value on each.
using value_pair = std::tuple<std::size_t, int, std::size_t, int>;

std::vector<value_pair> pairs_of(const std::vector<entry>& entries) {
  std::vector<value_pair> pairs;
  for (std::size_t a = 0; a < entries.size(); ++a) {
    for (std::size_t b = a + 1; b < entries.size(); ++b) {
      pairs.emplace_back(a, entries[a].value, b, entries[b].value);
    }
    // A case with a single axis has no pairs: every value is one.
    if (entries.size() == 1) pairs.emplace_back(0, entries[0].value, 0, entries[0].value);
  }
  return pairs;
}

/// Marks a pairwise cover of the combinations that are `quick`: takes, again and again, the first
/// combination that covers the most pairs not yet covered. The rest becomes `standard`.
void thin_out(std::vector<combination>& all) {
  std::vector<combination*> left;
  std::set<value_pair> open;
  for (combination& each : all) {
    if (each.from != tier::quick) continue;
    left.push_back(&each);
    for (const value_pair& pair : pairs_of(each.values.entries())) open.insert(pair);
  }
  auto gain = [&](const combination* candidate) {
    const auto pairs = pairs_of(candidate->values.entries());
    return std::count_if(pairs.begin(), pairs.end(),
                         [&](const value_pair& pair) { return open.count(pair) != 0; });
  };
  while (!open.empty()) {
    const auto best = std::max_element(left.begin(), left.end(), [&](auto* a, auto* b) {
      return gain(a) < gain(b);
    });
    for (const value_pair& pair : pairs_of((*best)->values.entries())) open.erase(pair);
    left.erase(best);
  }
  for (combination* each : left) {
    if (!each->values.entries().empty()) each->from = tier::standard;
  }
}

}  // namespace

std::string_view name(tier value) {
  switch (value) {
    case tier::quick: return "quick";
    case tier::standard: return "standard";
    case tier::stress: return "stress";
  }
  return "unknown";
}

tier parse_tier(std::string_view text) {
  for (const tier each : {tier::quick, tier::standard, tier::stress}) {
    if (name(each) == text) return each;
  }
  throw std::invalid_argument(
      fmt::format("'{}' is no tier; the tiers are quick, standard and stress", text));
}

std::string parameters::id() const {
  std::string joined;
  for (const entry& each : entries_) {
    if (!joined.empty()) joined += '.';
    joined += each.name;
  }
  return joined;
}

const parameters::entry* parameters::find(std::string_view axis) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const entry& each) { return each.axis == axis; });
  return found == entries_.end() ? nullptr : &*found;
}

std::vector<combination> expand(const std::vector<axis>& axes, bool (*valid)(const parameters&)) {
  std::vector<std::pair<std::vector<entry>, tier>> partial{{{}, tier::quick}};
  for (const axis& each : axes) {
    std::vector<std::pair<std::vector<entry>, tier>> longer;
    for (const auto& [entries, from] : partial) {
      for (const axis_value& value : each.values) {
        auto more = entries;
        more.push_back({each.name, value.name, value.value});
        longer.emplace_back(std::move(more), std::max(from, value.from));
      }
    }
    partial = std::move(longer);
  }
  std::vector<combination> all;
  for (auto& [entries, from] : partial) {
    parameters values(std::move(entries));
    if (valid == nullptr || valid(values)) all.push_back({std::move(values), from});
  }
  thin_out(all);
  return all;
}

}  // namespace streamcts
