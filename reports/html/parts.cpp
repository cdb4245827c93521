// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/html/parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "reports/html/tree.h"

namespace streamcts::reports {
namespace {

using results::verdict;

struct shape {
  verdict value;
  const char* css;
  const char* outline;  // Filled in the colour of the verdict.
  const char* sign;     // Drawn on it in the colour of the paper.
};

// 16 by 16. Each verdict has an outline or a sign of its own: colour only helps.
constexpr std::array<shape, 9> shapes{{
    {verdict::pass, "pass", "M8 1a7 7 0 1 1 0 14a7 7 0 1 1 0 -14z", "M4.8 8.3l2.3 2.3l4.2 -4.8"},
    {verdict::fail, "fail", "M5.1 1h5.8l4.1 4.1v5.8l-4.1 4.1h-5.8l-4.1 -4.1v-5.8z",
     "M5.4 5.4l5.2 5.2m0 -5.2l-5.2 5.2"},
    {verdict::hang, "hang",
     "M2.5 1h11v1.5c0 3 -2.6 4 -3.6 5.5c1 1.5 3.6 2.5 3.6 5.5v1.5h-11v-1.5c0 "
     "-3 2.6 -4 3.6 -5.5c-1 -1.5 -3.6 -2.5 -3.6 -5.5z",
     "M5.5 13h5"},
    {verdict::crash, "crash",
     "M8 0l1.9 3.6l3.8 -1.5l-1 4l3.3 1.9l-3.3 1.9l1 4l-3.8 -1.5l-1.9 3.6l-1.9 -3.6l-3.8 1.5l1 "
     "-4l-3.3 -1.9l3.3 -1.9l-1 -4l3.8 1.5z",
     "M8 5v3.4m0 2v.4"},
    {verdict::error, "error", "M8 1l7.4 13.5h-14.8z", "M8 6v4m0 2v.4"},
    {verdict::inconclusive, "inconclusive", "M8 1a7 7 0 1 1 0 14a7 7 0 1 1 0 -14z",
     "M5.9 6.2c.2 -2.9 4.4 -2.6 4.2 0c-.1 1.4 -2.1 1.5 -2.1 3m0 2v.4"},
    {verdict::not_supported, "not-supported",
     "M3 1h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 "
     "-2 -2v-10a2 2 0 0 1 2 -2z",
     "M4.6 8h6.8"},
    {verdict::skipped, "skipped",
     "M3 1h10a2 2 0 0 1 2 2v10a2 2 0 0 1 -2 2h-10a2 2 0 0 1 -2 -2v-10a2 "
     "2 0 0 1 2 -2z",
     "M4.6 5l3 3l-3 3m4 -6l3 3l-3 3"},
    {verdict::waived, "waived", "M8 .5l7.5 7.5l-7.5 7.5l-7.5 -7.5z", "M5.6 8.2l1.6 1.6l3.1 -3.4"},
}};

const shape& shape_of(verdict value) {
  for (const shape& each : shapes) {
    if (each.value == value) return each;
  }
  return shapes.front();
}

void add_badge(pugi::xml_node parent, verdict look, std::string_view word, std::string_view css) {
  const pugi::xml_node badge = add(parent, "span", {{"class", fmt::format("badge v-{}", css)}});
  add_shape(badge, look);
  add_text(badge, word);
}

}  // namespace

void add_shapes(pugi::xml_node body) {
  const pugi::xml_node svg = add(
      body, "svg", {{"class", "shapes"}, {"width", "0"}, {"height", "0"}, {"aria-hidden", "true"}});
  for (const shape& each : shapes) {
    const pugi::xml_node symbol =
        add(svg, "symbol", {{"id", fmt::format("s-{}", each.css)}, {"viewBox", "0 0 16 16"}});
    add_void(symbol, "path", {{"d", each.outline}, {"class", "outline"}});
    add_void(symbol, "path", {{"d", each.sign}, {"class", "sign"}});
  }
}

void add_shape(pugi::xml_node parent, verdict value) {
  const pugi::xml_node svg = add(parent, "svg", {{"class", "shape"}, {"aria-hidden", "true"}});
  add(svg, "use", {{"href", fmt::format("#s-{}", css_class(value))}});
}

std::string css_class(verdict value) {
  return shape_of(value).css;
}

void add_badge(pugi::xml_node parent, verdict value) {
  add_badge(parent, value, to_string(value), css_class(value));
}

void add_badge(pugi::xml_node parent, clause_state value) {
  static constexpr std::pair<clause_state, verdict> looks[] = {
      {clause_state::broken, verdict::fail},
      {clause_state::error, verdict::error},
      {clause_state::waived, verdict::waived},
      {clause_state::held, verdict::pass},
      {clause_state::inconclusive, verdict::inconclusive},
      {clause_state::not_supported, verdict::not_supported},
  };
  verdict look = verdict::skipped;
  for (const auto& [state, verdict] : looks) {
    if (state == value) look = verdict;
  }
  add_badge(parent, look, to_string(value), css_class(look));
}

std::string anchor(std::string_view prefix, std::string_view text) {
  std::string result = fmt::format("{}-", prefix);
  for (const char byte : text) {
    const auto value = static_cast<unsigned char>(byte);
    const bool plain = value < 0x80 && (std::isalnum(value) != 0 || byte == '.' || byte == '/' ||
                                        byte == '_' || byte == '-');
    result += plain ? std::string(1, byte) : fmt::format("~{:02x}", value);
  }
  return result;
}

void add_case_link(pugi::xml_node parent, const page& from, std::string_view id) {
  if (from.with_card.contains(id)) {
    add(parent, "a", id, {{"class", "id"}, {"href", "#" + anchor("t", id)}});
  } else {
    add(parent, "span", id, {{"class", "id"}});
  }
}

void add_clause_link(pugi::xml_node parent, const digest& all, std::string_view id) {
  const bool has_row = std::any_of(all.clauses.begin(), all.clauses.end(),
                                   [&](const clause_row& row) { return row.id == id; });
  if (has_row) {
    add(parent, "a", id, {{"class", "id"}, {"href", "#" + anchor("c", id)}});
  } else {
    add(parent, "span", id, {{"class", "id"}});
  }
}

pugi::xml_node add_part(page& into, std::string_view id, std::string_view title,
                        std::size_t count) {
  into.contents.push_back({std::string(id), std::string(title), count});
  const pugi::xml_node part =
      add(into.main, "section", {{"id", id}, {"aria-labelledby", fmt::format("{}-title", id)}});
  add(part, "h2", title, {{"id", fmt::format("{}-title", id)}});
  return part;
}

pugi::xml_node add_fold(pugi::xml_node parent, std::string_view summary, bool open) {
  const pugi::xml_node fold = add(parent, "details");
  if (open) set(fold, "open", "open");
  add(fold, "summary", summary);
  return fold;
}

void add_printed(pugi::xml_node parent, std::string_view text) {
  add(add(parent, "pre"), "code", text);
}

}  // namespace streamcts::reports
