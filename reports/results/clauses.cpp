// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/clauses.h"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "reports/results/error.h"
#include "reports/results/file.h"
#include "reports/results/json_reader.h"

namespace streamcts::results {
namespace {

// In the order of the enumerators.
constexpr std::array<std::string_view, 4> strength_names{"guarantee", "permission",
                                                         "prohibition on the user", "undefined"};
static_assert(static_cast<std::size_t>(clause_strength::undefined) + 1 == strength_names.size());

clause read_clause(const json_reader& in) {
  in.require("id");
  in.require("family");
  in.require("statement");
  in.require("strength");
  clause result;
  in.read("id", result.id);
  in.read("family", result.family);
  in.read("statement", result.statement);
  in.read_enum("strength", result.strength, &clause_strength_from_string);
  const json_reader source = in.object("source");
  source.read("doc", result.source_document);
  source.read("locator", result.source_locator);
  in.read("api", result.api);
  in.read("needs", result.needs);
  in.read("isolation", result.isolation);
  // ST-DEF-008 quotes a text that the headers don't have.
  result.derived =
      result.source_locator.find("derived") != std::string::npos || result.id == "ST-DEF-008";
  return result;
}

}  // namespace

std::string_view to_string(clause_strength value) {
  return strength_names[static_cast<std::size_t>(value)];
}

std::optional<clause_strength> clause_strength_from_string(std::string_view text) {
  for (std::size_t i = 0; i < strength_names.size(); ++i) {
    if (strength_names[i] == text) return static_cast<clause_strength>(i);
  }
  return std::nullopt;
}

clause_catalogue::clause_catalogue(std::vector<clause> clauses) : clauses_(std::move(clauses)) {
  for (std::size_t i = 0; i < clauses_.size(); ++i) {
    if (!by_id_.emplace(clauses_[i].id, i).second) {
      throw results_error(
          fmt::format("clause {} occurs twice; each id stands for one promise", clauses_[i].id));
    }
  }
}

const clause* clause_catalogue::find(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &clauses_[found->second];
}

clause_catalogue parse_clauses(std::string_view text, std::string_view name) {
  const json parsed = parse_json(text, name);
  if (!parsed.is_array()) {
    throw results_error(fmt::format("{}: no array of clauses; give a clauses.json", name));
  }
  std::vector<clause> clauses;
  for (const json& element : parsed) {
    const std::string place = fmt::format("[{}]", clauses.size());
    clauses.push_back(read_clause(json_reader(element, std::string(name), place)));
  }
  try {
    return clause_catalogue(std::move(clauses));
  } catch (const results_error& error) {
    throw results_error(fmt::format("{}: {}", name, error.what()));
  }
}

clause_catalogue load_clauses(const std::filesystem::path& path) {
  return parse_clauses(read_file(path), path.string());
}

}  // namespace streamcts::results
