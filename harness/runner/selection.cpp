// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/runner/errors.h"

namespace streamcts::runner {

bool glob_matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  // Where the last * was, and how much of the text it has swallowed.
  std::size_t star = std::string_view::npos;
  std::size_t swallowed = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      swallowed = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++swallowed;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

bool filter_matches(std::string_view pattern, const case_instance& instance) {
  const bool about_clauses = std::any_of(pattern.begin(), pattern.end(),
                                         [](char each) { return each >= 'A' && each <= 'Z'; });
  if (about_clauses) {
    return std::any_of(instance.clauses.begin(), instance.clauses.end(),
                       [&](clause_id each) { return glob_matches(pattern, each.text); });
  }
  const std::string_view id(instance.id);
  const bool in_front =
      id.size() > pattern.size() && id.starts_with(pattern) && id[pattern.size()] == '/';
  return in_front || glob_matches(pattern, id);
}

namespace {

bool any_matches(const std::vector<std::string>& filters, const case_instance& instance) {
  return filters.empty() || std::any_of(filters.begin(), filters.end(), [&](const auto& each) {
           return filter_matches(each, instance);
         });
}

}  // namespace

std::vector<const case_instance*> select_cases(const std::vector<case_instance>& all, tier up_to,
                                               const std::vector<std::string>& filters) {
  for (const std::string& filter : filters) {
    const bool takes_one = std::any_of(all.begin(), all.end(), [&](const case_instance& each) {
      return filter_matches(filter, each);
    });
    if (!takes_one) {
      throw usage_error(fmt::format(
          "--filter {}: matches no case of the catalogue; 'streamcts list' shows the ids",
          filter));
    }
  }
  std::vector<const case_instance*> some;
  for (const case_instance& each : all) {
    if (each.from <= up_to && any_matches(filters, each)) some.push_back(&each);
  }
  return some;
}

tier lowest_tier(const std::vector<case_instance>& all, const std::vector<std::string>& filters) {
  tier lowest = tier::stress;
  for (const case_instance& each : all) {
    if (any_matches(filters, each)) lowest = std::min(lowest, each.from);
  }
  return lowest;
}

}  // namespace streamcts::runner
