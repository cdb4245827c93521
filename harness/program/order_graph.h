// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Happens-before edge by edge, for explanations: why one thing must come before another, and which
// clause says so. Slower than happens_before, and checked against it.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/program/check.h"
#include "harness/program/rules.h"

namespace streamcts::program {

/// A point in the run of a program.
struct order_point {
  enum class type : std::uint8_t {
    start,     ///< of an item
    end,       ///< of an item
    call,      ///< of an operation
    returned,  ///< of an operation
    reached,   ///< a record, wait or launch takes its place in the stream
    left,      ///< a launch is over
    passed,    ///< a graph node that runs nothing
  };
  type at = type::start;
  index number = none;  ///< item or operation
  index node = none;    ///< of `passed`
};

/// One edge of a chain.
struct order_link {
  order_point from, to;
  rule by = rule::host_order;
  std::string_view clause;  ///< empty where none is needed
};

class order_graph {
 public:
  /// @param outcomes as for model::assume().
  explicit order_graph(const model& m, std::span<const call_outcome> outcomes = {});

  /// The shortest chain from one point to another; empty if there is none.
  std::vector<order_link> chain(const order_point& from, const order_point& to) const;
  /// The items whose start the end of @p item comes before.
  item_set starts_after(std::size_t item) const;
  /// The clauses of all edges behind the end of @p item: what holding it puts to the test.
  std::vector<std::string_view> clauses_behind(std::size_t item) const;

 private:
  struct out_edge {
    std::uint32_t to;
    rule by;
  };
  friend class order_builder;

  std::uint32_t id(const order_point& p) const;
  std::string_view clause(const order_link& link) const;

  const model& m_;
  std::vector<order_point> points_;
  std::vector<std::vector<out_edge>> edges_;
};

/// `K0.end`, `record e0 A`, `return of stream_sync A`, ...
std::string to_string(const stream_program& program, const layout& items, const order_point& p);

}  // namespace streamcts::program
