// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What follows from a program for whoever runs it: where which buffers may be read, and which calls
// wait for which held item.

#pragma once

#include <span>
#include <vector>

#include "harness/program/check.h"

namespace streamcts::program {

/// A buffer that an observer may read, since every writer has ended or not begun, and what it must
/// hold.
struct allowed_read {
  index buffer = none;
  buffer_value expected{};
};

/// Made once a program; constant from then on, and safe from any thread.
class reading_plan {
 public:
  /// @param m of a valid program, without outcomes
  void build(const model& m);

  /// Empty for observers that read nothing. Of a query: where it succeeded.
  std::span<const allowed_read> at(const observer& from) const;

  /// Whether an operation may wait, when it is called, for an item that is held: because its return
  /// promises the item's end, because it copies behind it, or because the thread is not that far.
  bool may_wait(std::size_t op, std::size_t held) const { return waits_[held].has(op); }

  /// The items that are worth holding: something comes after them, and no call has to be made behind
  /// them that may wait inside the driver.
  const item_set& holdable() const { return holdable_; }

  /// Whether the program may run beside others: nothing in it speaks of the whole context, and no
  /// call may wait for work of others.
  bool independent() const { return independent_; }

 private:
  struct op_bits {
    std::vector<bool> set;
    bool has(std::size_t op) const { return set[op]; }
  };

  void build_reads(const model& m);
  std::vector<allowed_read> reads(const model& m, const item_set& ended,
                                  const item_set& not_begun) const;
  void build_waits(const model& m);
  void build_holds(const model& m);

  std::vector<std::vector<allowed_read>> starts_, ends_, returns_, looks_;
  std::vector<allowed_read> finish_;
  std::vector<op_bits> waits_;
  item_set holdable_;
  bool independent_ = false;
};

}  // namespace streamcts::program
