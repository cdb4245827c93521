// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/matrix/catalogue.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/runner/errors.h"
#include "harness/runner/selection.h"

namespace streamcts::runner {

namespace {

using json = nlohmann::ordered_json;

fault read_fault(const json& value) {
  fault made;
  made.id = value.at("id");
  made.fault_class = value.at("class");
  made.clauses = value.at("clauses").get<std::vector<std::string>>();
  made.sentence = value.at("sentence");
  made.carriers = value.at("carriers").get<std::vector<std::string>>();
  made.needs = value.value("needs", std::vector<std::string>{});
  made.analogue = value.value("analogue", std::string());
  made.witness = value.value("witness", std::string());
  made.benign = value.at("benign");
  return made;
}

template <typename Matches>
bool any_matches(const std::vector<fault>& all, Matches matches) {
  return std::any_of(all.begin(), all.end(), matches);
}

std::string known_classes(const std::vector<fault>& all) {
  std::set<std::string> names;
  for (const fault& each : all) names.insert(each.fault_class);
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::vector<fault> parse_catalogue(std::string_view text, std::string_view name) {
  std::vector<fault> made;
  try {
    const json all = json::parse(text);
    if (!all.is_array()) throw usage_error(fmt::format("{}: is no list of faults", name));
    std::set<std::string> ids;
    for (const json& each : all) {
      made.push_back(read_fault(each));
      if (!ids.insert(made.back().id).second) {
        throw usage_error(fmt::format("{}: has '{}' twice", name, made.back().id));
      }
    }
  } catch (const json::exception& error) {
    throw usage_error(
        fmt::format("{}: fault {}: {}", name, made.size() + 1, error.what()));
  }
  return made;
}

namespace {

/// @p count of each class, from its first to its last at equal distances.
std::vector<fault> spread_by_class(const std::vector<fault>& all, std::size_t count) {
  std::map<std::string, std::vector<const fault*>> classes;
  for (const fault& each : all) {
    if (!each.benign) classes[each.fault_class].push_back(&each);
  }
  std::vector<fault> taken;
  for (const auto& [name, members] : classes) {
    const std::size_t wanted = std::min(count, members.size());
    for (std::size_t i = 0; i < wanted; ++i) taken.push_back(*members[i * members.size() / wanted]);
  }
  return taken;
}

}  // namespace

std::vector<fault> select_faults(const std::vector<fault>& all, const fault_selection& wanted) {
  for (const std::string& filter : wanted.filters) {
    if (!any_matches(all, [&](const fault& each) { return glob_matches(filter, each.id); })) {
      throw usage_error(
          fmt::format("--filter {}: takes no fault; 'streamcts faults list' shows the ids", filter));
    }
  }
  for (const std::string& name : wanted.classes) {
    if (!any_matches(all, [&](const fault& each) { return each.fault_class == name; })) {
      throw usage_error(
          fmt::format("--class {}: is none; the classes are {}", name, known_classes(all)));
    }
  }
  std::vector<fault> taken;
  for (const fault& each : all) {
    const auto matches = [&](const std::string& filter) { return glob_matches(filter, each.id); };
    const auto& filters = wanted.filters;
    const auto& classes = wanted.classes;
    if (!filters.empty() && std::none_of(filters.begin(), filters.end(), matches)) continue;
    if (!classes.empty() &&
        std::find(classes.begin(), classes.end(), each.fault_class) == classes.end()) {
      continue;
    }
    taken.push_back(each);
  }
  if (wanted.per_class > 0) taken = spread_by_class(taken, wanted.per_class);
  if (taken.empty()) {
    throw usage_error(
        "--filter, --class and --per-class together take no fault; leave one of them out");
  }
  return taken;
}

}  // namespace streamcts::runner
