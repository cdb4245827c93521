// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows from a program's text alone, before any question of order: its items, which of them
// have cells, and which calls of different host threads must keep the order of the lines.

#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "harness/program/item_set.h"
#include "harness/program/types.h"

namespace streamcts::program {

enum class item_kind : std::uint8_t {
  kernel,
  copy,
  memset,
  callback,
  host_function,  ///< also a graph's host node
  write_value,
  attach,
  fault,
  host_write,
};

/// One thing that starts and ends: an operation, or a graph node in one launch.
struct item {
  item_kind kind = item_kind::kernel;
  index op = none;
  index node = none;  ///< of the launched graph
  index stream = none;
  index read = none;
  index write = none;
  std::uint16_t repeat = 1;
};

constexpr bool is_host_item(item_kind kind) {
  return kind == item_kind::callback || kind == item_kind::host_function;
}

/// What a call that copies or fills may be assumed to have done when it returns (rule R12).
enum class return_promise : std::uint8_t {
  nothing,
  source_read,  ///< the source may be reused
  complete,
};

/// The items of a program in the order of its lines. Rebuilding keeps the memory.
class layout {
 public:
  layout() = default;
  explicit layout(const stream_program& program) { build(program); }
  /// @pre indices in @p program are in range (see structural_error()).
  void build(const stream_program& program);

  std::span<const item> items() const { return items_; }
  std::size_t size() const { return items_.size(); }
  /// First item of an operation; items of op i are [first_item(i), first_item(i + 1)).
  std::size_t first_item(std::size_t op) const { return first_item_[op]; }
  /// The item of an operation, or of node @p node of a launch; -1 where it makes none (a node that
  /// is empty or disabled).
  int item_of(index op, index node = none) const;

  /// Items that store a *begun* cell when they start (kernels, host calls).
  const item_set& begun_cells() const { return begun_cells_; }
  /// Items that store a *done* cell as their last deed (these and value writes).
  const item_set& done_cells() const { return done_cells_; }
  const item_set& host_calls() const { return host_calls_; }
  /// The item that faults, or -1.
  int fault() const { return fault_; }
  bool many_threads() const { return many_threads_; }

  /// For each thread the last operation that must have returned before @p op is called, by the rule
  /// that calls on one object keep the order of the lines, and by `handoff` lines.
  const std::array<index, limits::threads>& returned_before(std::size_t op) const {
    return returned_before_[many_threads_ ? op : 0];
  }

 private:
  void add_items(const stream_program& program, index op);
  void add(const item& i);
  void build_handoffs(const stream_program& program);

  std::vector<item> items_;
  std::vector<std::size_t> first_item_;
  std::vector<std::array<index, limits::threads>> returned_before_;
  item_set begun_cells_, done_cells_, host_calls_;
  int fault_ = -1;
  bool many_threads_ = false;
};

/// Whether two calls touch the same object, so that their order is part of the program's meaning.
bool conflict(const stream_program& program, const operation& a, const operation& b);

/// Rule R12 for an operation; `nothing` for those that neither copy nor fill.
return_promise promise_at_return(const stream_program& program, const operation& op);

/// Whether the calling thread looks at cells and buffers when the operation has returned (a query:
/// with success).
bool looks_at_return(const stream_program& program, const operation& op);

/// Name of an item: `K0`, or `G1.b` for a graph node.
std::string item_name(const stream_program& program, const item& i);

}  // namespace streamcts::program
