// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/clause.h"
#include "harness/case/outcome.h"

namespace streamcts {

/// An operation of an arrangement, by its number within the round.
using operation = std::size_t;

/// The operations of one round and the promised order between them, for the reader of a failure. It
/// judges nothing: what must hold is said by the case.
class operation_graph {
 public:
  void clear() { operations_.clear(); }

  operation add(std::string name);
  /// @p from has ended before @p to begins, by @p clause (empty: program order).
  void order(operation from, operation to, std::string_view clause);

  const std::string& name(operation which) const { return operations_.at(which).name; }
  std::size_t size() const { return operations_.size(); }

  /// The shortest chain of promised edges from @p from to @p to. The last edge carries @p broken as
  /// its clause and is marked. Where the graph has no chain, that edge alone.
  std::vector<failure_edge> chain(operation from, operation to, clause_id broken) const;

 private:
  struct predecessor {
    operation from;
    std::string_view clause;
  };
  struct node {
    std::string name;
    std::vector<predecessor> before;
  };
  std::deque<node> operations_;  ///< the event log holds views of the names: they must not move
};

}  // namespace streamcts
