// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <map>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace streamcts::reports {

/// A table with a caption and heads that say what they are heads of. The first cell of a row is the
/// head of the row.
class table_builder {
 public:
  struct column {
    std::string_view name;
    bool numeric = false;  ///< Set to the right, in figures of equal width.
  };

  table_builder(pugi::xml_node parent, std::string_view caption, std::vector<column> columns);

  /// Appends a row of texts.
  pugi::xml_node row(const std::vector<std::string>& texts, std::string_view css = {});
  /// Appends an empty row; fill it by cell().
  pugi::xml_node row(std::string_view css = {});
  /// Appends the next cell of the last row.
  pugi::xml_node cell(std::string_view text = {});
  /// A sentence across all columns, as last row.
  void note(std::string_view text);
  std::size_t rows() const { return rows_; }

 private:
  std::vector<column> columns_;
  pugi::xml_node body_;
  pugi::xml_node row_;
  std::size_t cells_ = 0;
  std::size_t rows_ = 0;
};

/// A table of names and values; empty values are left out, and so is an empty table.
void add_name_table(pugi::xml_node parent, std::string_view caption,
                    const std::vector<std::pair<std::string, std::string>>& values);
void add_map_table(pugi::xml_node parent, std::string_view caption,
                   const std::map<std::string, std::string>& values);

}  // namespace streamcts::reports
