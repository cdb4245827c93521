// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace streamcts::runner {

/// An entry of harness/faults/catalogue.json.
struct fault {
  std::string id;
  std::string fault_class;           ///< "A" to "J"
  std::vector<std::string> clauses;  ///< that it breaks, at most three
  std::string sentence;
  std::vector<std::string> carriers;  ///< "reference", "system"
  std::vector<std::string> needs;
  std::string analogue;  ///< where a real driver did the like; may be empty
  std::string witness;
  bool benign = false;  ///< a legal oddity: nothing may be red under it
};

/// @throws usage_error naming @p name and the entry where the text is no catalogue
std::vector<fault> parse_catalogue(std::string_view text, std::string_view name);

/// Which faults are wanted.
struct fault_selection {
  std::vector<std::string> filters;  ///< globs over ids; several are added up
  std::vector<std::string> classes;  ///< several are added up
  /// So many faults of each class, spread over what the others leave of it; no legal oddities. 0: all.
  std::size_t per_class = 0;
};

/// The faults of @p all that both kinds of filter take (an absent kind takes all), in their order.
/// @throws usage_error naming a filter or a class that takes none
std::vector<fault> select_faults(const std::vector<fault>& all, const fault_selection& wanted);

}  // namespace streamcts::runner
