// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/case/registry.h"

namespace streamcts::runner {

/// Whether @p pattern, in which * stands for any text and ? for one character, covers @p text.
bool glob_matches(std::string_view pattern, std::string_view text);

/// Whether a filter takes a case: its id by a glob; the front of its id up to a slash, such as a
/// family; or one of its clauses by a glob (what has a capital letter is about clauses).
bool filter_matches(std::string_view pattern, const case_instance& instance);

/// The cases of @p all that a run takes, in their order: those of @p up_to and the tiers before it
/// that any filter takes; all of these where there is no filter.
/// @throws usage_error naming a filter that takes no case of any tier.
std::vector<const case_instance*> select_cases(const std::vector<case_instance>& all, tier up_to,
                                               const std::vector<std::string>& filters);

/// The lowest tier in which @p filters take a case; stress where they take none.
tier lowest_tier(const std::vector<case_instance>& all, const std::vector<std::string>& filters);

}  // namespace streamcts::runner
