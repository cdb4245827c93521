// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The catalogue of promises, as data (conformance/clauses/clauses.json).

#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts::results {

enum class clause_strength {
  guarantee,    ///< Promised: judged.
  permission,   ///< Allowed: never judged.
  prohibition,  ///< Forbidden to the user: the suite keeps to it.
  undefined,    ///< Left open: never judged.
};

std::string_view to_string(clause_strength value);  ///< As in the catalogue.
std::optional<clause_strength> clause_strength_from_string(std::string_view text);

struct clause {
  std::string id;         ///< "CB-ORDER-001"
  std::string family;     ///< "callback.ordering"
  std::string statement;  ///< One sentence.
  clause_strength strength = clause_strength::guarantee;
  std::string source_document;
  std::string source_locator;
  std::vector<std::string> api;
  std::vector<std::string> needs;
  std::string isolation;  ///< "in-process" or "own-process"
  /// The promise is not one sentence of the documentation but follows from several: whoever reads
  /// of it in red is told so.
  bool derived = false;

  bool operator==(const clause&) const = default;
};

/// The clauses in the order of their file, found by id.
class clause_catalogue {
 public:
  clause_catalogue() = default;
  /// @throws results_error where an id occurs twice.
  explicit clause_catalogue(std::vector<clause> clauses);

  const std::vector<clause>& clauses() const { return clauses_; }
  /// The clause with this id, or nullptr. Valid as long as the catalogue.
  const clause* find(std::string_view id) const;

 private:
  std::vector<clause> clauses_;
  std::map<std::string, std::size_t, std::less<>> by_id_;
};

/// Reads the text of a catalogue; @p name stands in messages.
/// @throws results_error with the place and the remedy.
clause_catalogue parse_clauses(std::string_view text, std::string_view name);

/// Reads the file of a catalogue.
/// @throws results_error
clause_catalogue load_clauses(const std::filesystem::path& path);

}  // namespace streamcts::results
