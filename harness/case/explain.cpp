// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/explain.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace streamcts {

operation operation_graph::add(std::string name) {
  operations_.push_back({std::move(name), {}});
  return operations_.size() - 1;
}

void operation_graph::order(operation from, operation to, std::string_view clause) {
  operations_.at(to).before.push_back({from, clause});
}

std::vector<failure_edge> operation_graph::chain(operation from, operation to,
                                                 clause_id broken) const {
  // Backwards and breadth first, so that the first way found is a shortest one.
  std::vector<std::optional<predecessor>> next(operations_.size());
  std::deque<operation> open{to};
  while (!open.empty() && !next[from]) {
    const operation at = open.front();
    open.pop_front();
    for (const predecessor& edge : operations_[at].before) {
      if (next[edge.from] || edge.from == to) continue;
      next[edge.from] = predecessor{at, edge.clause};
      open.push_back(edge.from);
    }
  }
  std::vector<failure_edge> edges;
  if (!next[from]) {
    edges.push_back({name(from), name(to), {}, false});
  } else {
    for (operation at = from; at != to; at = next[at]->from) {
      edges.push_back({name(at), name(next[at]->from), std::string(next[at]->clause), false});
    }
  }
  edges.back().clause = broken.text;
  edges.back().broken = true;
  return edges;
}

}  // namespace streamcts
