// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/html/table.h"

#include <algorithm>
#include <utility>

#include "reports/html/tree.h"

namespace streamcts::reports {

table_builder::table_builder(pugi::xml_node parent, std::string_view caption,
                             std::vector<column> columns)
    : columns_(std::move(columns)) {
  // Wide tables scroll within themselves, never the page.
  const pugi::xml_node box = add(parent, "div", {{"class", "scroll"}});
  const pugi::xml_node table = add(box, "table");
  add(table, "caption", caption);
  const pugi::xml_node head = add(add(table, "thead"), "tr");
  for (const column& each : columns_) {
    const pugi::xml_node cell = add(head, "th", each.name, {{"scope", "col"}});
    if (each.numeric) set(cell, "class", "n");
  }
  body_ = add(table, "tbody");
}

pugi::xml_node table_builder::row(std::string_view css) {
  row_ = add(body_, "tr");
  if (!css.empty()) set(row_, "class", css);
  cells_ = 0;
  ++rows_;
  return row_;
}

pugi::xml_node table_builder::row(const std::vector<std::string>& texts, std::string_view css) {
  row(css);
  for (const std::string& text : texts) cell(text);
  return row_;
}

pugi::xml_node table_builder::cell(std::string_view text) {
  const pugi::xml_node made =
      cells_ == 0 ? add(row_, "th", text, {{"scope", "row"}}) : add(row_, "td", text);
  if (cells_ < columns_.size() && columns_[cells_].numeric) set(made, "class", "n");
  ++cells_;
  return made;
}

void table_builder::note(std::string_view text) {
  row("note");
  add(row_, "td", text, {{"colspan", std::to_string(columns_.size())}});
}

void add_name_table(pugi::xml_node parent, std::string_view caption,
                    const std::vector<std::pair<std::string, std::string>>& values) {
  const auto empty = [](const auto& each) { return each.second.empty(); };
  if (std::all_of(values.begin(), values.end(), empty)) return;
  table_builder table(parent, caption, {{"name"}, {"value"}});
  for (const auto& [name, value] : values) {
    if (!value.empty()) table.row({name, value});
  }
}

void add_map_table(pugi::xml_node parent, std::string_view caption,
                   const std::map<std::string, std::string>& values) {
  add_name_table(parent, caption, {values.begin(), values.end()});
}

}  // namespace streamcts::reports
