// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The parts of the page, in their order, and what they share. Private to reports/html.

#pragma once

#include <cstddef>
#include <pugixml.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reports/digest/digest.h"

namespace streamcts::reports {

/// An entry of the list of contents.
struct content {
  std::string id;
  std::string title;
  std::size_t count = 0;  ///< Zero: not shown.
};

/// The page while it is made.
struct page {
  const digest& all;
  pugi::xml_node main;
  std::vector<content> contents;
  std::set<std::string_view> with_card;  ///< Cases that a link can lead to.
  std::size_t cards = 0;                 ///< How many have pictures and stacks.
};

void add_broken_promises(page& into);
void add_bad_endings(page& into);
void add_untried(page& into);
void add_observations(page& into);
void add_clauses(page& into);
void add_cases(page& into);
void add_environment(page& into);

/// Starts a part with its heading and enters it into the contents.
pugi::xml_node add_part(page& into, std::string_view id, std::string_view title,
                        std::size_t count = 0);

/// The shapes of all verdicts, once a page.
void add_shapes(pugi::xml_node body);
/// A verdict as shape and word.
void add_badge(pugi::xml_node parent, results::verdict value);
void add_badge(pugi::xml_node parent, clause_state value);
/// Only the shape.
void add_shape(pugi::xml_node parent, results::verdict value);
/// Name of the CSS class of a verdict: "fail", "not-supported".
std::string css_class(results::verdict value);

/// An id for the page out of any text; different texts have different ids.
std::string anchor(std::string_view prefix, std::string_view text);

/// The id of a case, as a link to its card where it has one.
void add_case_link(pugi::xml_node parent, const page& from, std::string_view id);
/// The id of a clause, as a link into the table of clauses.
/// Only the id where the page has no row of that clause.
void add_clause_link(pugi::xml_node parent, const digest& all, std::string_view id);

/// A folded part. @return where its content goes.
pugi::xml_node add_fold(pugi::xml_node parent, std::string_view summary, bool open = false);

/// Text as it was printed.
void add_printed(pugi::xml_node parent, std::string_view text);

}  // namespace streamcts::reports
