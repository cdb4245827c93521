// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

namespace streamcts {

/// The stable id of a promise of the documentation, as in conformance/clauses/clauses.json. The
/// generated header <generated>/clauses.h has a constant for each: clause::CB_ORDER_001.
struct clause_id {
  std::string_view text;

  friend bool operator==(clause_id, clause_id) = default;
  friend auto operator<=>(clause_id a, clause_id b) { return a.text <=> b.text; }
};

}  // namespace streamcts
