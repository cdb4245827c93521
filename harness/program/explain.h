// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Says in words why something seen must not be: the shortest chain of edges that was broken, each
// with its clause, and the observation that contradicts it.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/program/check.h"
#include "harness/program/order_graph.h"

namespace streamcts::program {

/// One edge of an explanation, as reports show it.
struct explained_edge {
  std::string from, to;
  std::string_view rule;
  std::string_view clause;  ///< empty where none is needed
};

/// A violation, explained.
struct explanation {
  std::string_view clause;  ///< the promise that was broken
  std::string headline;     ///< one line: what must hold, and where it did not
  std::string observer;     ///< `C1.start`, `return of stream_sync A`, ...
  std::string expected;
  std::string seen;
  std::vector<explained_edge> edges;  ///< empty where the promise is not about order
  std::string events;                 ///< the log of the run, one line

  /// All of it, several lines.
  std::string text() const;
};

/// @param m has taken in the outcomes of @p seen.
explanation explain(const model& m, const history& seen, const violation& v);

/// The clause that a violation breaks, without the words.
std::string_view broken_clause(const model& m, const history& seen, const violation& v);

/// Failures with the same key are likely one defect: kinds of operations, clause, place of the
/// observer. For programs that have been shrunk.
std::string bucket_of(const model& m, const history& seen, const violation& v);

/// A table of all observers of a program: what each must find done, what it must not find begun,
/// what is open, and what buffers must hold.
std::string describe(const model& m);

}  // namespace streamcts::program
