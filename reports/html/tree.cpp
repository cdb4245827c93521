// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/html/tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "reports/results/printable.h"

namespace streamcts::reports {
namespace {

// A line feed in front of these changes nothing for a reader and lets the file be compared by
// lines.
constexpr std::array<std::string_view, 26> on_a_line_of_their_own{
    "head", "meta", "title", "style", "script", "body",    "header",  "main",  "footer",
    "nav",  "h1",   "h2",    "h3",    "h4",     "section", "article", "p",     "div",
    "ul",   "li",   "dl",    "dt",    "table",  "tr",      "details", "figure"};

pugi::xml_node append(pugi::xml_node parent, const char* name,
                      std::initializer_list<attribute> attributes) {
  if (std::find(on_a_line_of_their_own.begin(), on_a_line_of_their_own.end(), name) !=
      on_a_line_of_their_own.end()) {
    parent.append_child(pugi::node_pcdata).set_value("\n");
  }
  pugi::xml_node node = parent.append_child(name);
  for (const auto& [key, value] : attributes) set(node, key, value);
  return node;
}

class string_writer : public pugi::xml_writer {
 public:
  void write(const void* data, std::size_t size) override {
    text.append(static_cast<const char*>(data), size);
  }
  std::string text;
};

}  // namespace

pugi::xml_node add(pugi::xml_node parent, const char* name, std::string_view text,
                   std::initializer_list<attribute> attributes) {
  pugi::xml_node node = append(parent, name, attributes);
  add_text(node, text);
  return node;
}

pugi::xml_node add(pugi::xml_node parent, const char* name,
                   std::initializer_list<attribute> attributes) {
  return add(parent, name, {}, attributes);
}

pugi::xml_node add_void(pugi::xml_node parent, const char* name,
                        std::initializer_list<attribute> attributes) {
  return append(parent, name, attributes);
}

void add_text(pugi::xml_node parent, std::string_view text) {
  parent.append_child(pugi::node_pcdata).set_value(results::to_printable(text).c_str());
}

void set(pugi::xml_node node, const char* name, std::string_view value) {
  node.append_attribute(name).set_value(results::to_printable(value).c_str());
}

std::string serialised(const pugi::xml_document& document) {
  string_writer writer;
  document.save(writer, "", pugi::format_raw | pugi::format_no_declaration, pugi::encoding_utf8);
  return std::move(writer.text);
}

std::string number(double value) {
  const double rounded = std::round(value * 10) / 10;
  if (rounded == std::floor(rounded)) return fmt::format("{:.0f}", rounded == 0 ? 0.0 : rounded);
  return fmt::format("{:.1f}", rounded);
}

}  // namespace streamcts::reports
