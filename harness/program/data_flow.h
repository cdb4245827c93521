// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What buffers hold. Each buffer starts with a pattern of its own; kernels, memsets, host calls and
// host writes leave one of theirs; a copy, and a kernel with a source, carries on what it read.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/program/happens_before.h"

namespace streamcts::program {

/// Contents of a whole buffer, by who made them.
class buffer_value {
 public:
  constexpr buffer_value() = default;
  static constexpr buffer_value of_item(std::size_t item) {
    return buffer_value(static_cast<std::uint16_t>(item));
  }
  /// What @p buffer held before the program began.
  static constexpr buffer_value initial(std::size_t buffer) {
    return buffer_value(static_cast<std::uint16_t>(item_set::capacity + buffer));
  }
  /// Neither of these, or not one of them throughout: torn, or garbage.
  static constexpr buffer_value torn() { return buffer_value(0xFFFF); }
  /// Nobody looked.
  static constexpr buffer_value unread() { return buffer_value(0xFFFE); }

  constexpr bool is_torn() const { return code_ == 0xFFFF; }
  constexpr bool is_initial() const { return code_ >= item_set::capacity && code_ < 0xFFFE; }
  constexpr bool is_item() const { return code_ < item_set::capacity; }
  constexpr std::size_t item() const { return code_; }
  constexpr std::size_t buffer() const { return code_ - item_set::capacity; }
  friend constexpr bool operator==(buffer_value, buffer_value) = default;

 private:
  constexpr explicit buffer_value(std::uint16_t code) : code_(code) {}
  std::uint16_t code_ = 0xFFFF;
};

/// Two accesses of one buffer that nothing orders.
struct data_race {
  std::size_t buffer;
  std::size_t first, second;  ///< items
};

/// The data flow of one program. Rebuilding keeps the memory.
class data_flow {
 public:
  /// @pre @p order was built from @p program and @p items, without query outcomes.
  void build(const stream_program& program, const layout& items, const happens_before& order);

  /// What an item leaves in the buffer it writes.
  buffer_value written_by(std::size_t item) const { return written_[item]; }
  /// What an item reads, where it has a source.
  buffer_value read_by(std::size_t item) const { return read_[item]; }

  /// What an observer must find in @p buffer, if everything in @p ended has ended and nothing of
  /// @p not_begun has begun; nothing where some writer is in neither set.
  std::optional<buffer_value> contents(std::size_t buffer, const item_set& ended,
                                       const item_set& not_begun) const;
  /// The items that write @p buffer.
  const item_set& writers(std::size_t buffer) const { return writers_[buffer]; }

  /// The first unordered pair of accesses, one of them a write.
  std::optional<data_race> race(const stream_program& program, const layout& items,
                                const happens_before& order) const;

 private:
  buffer_value latest(std::size_t buffer, const item_set& ended) const;

  std::vector<buffer_value> written_, read_;
  std::vector<item_set> writers_, readers_;
};

}  // namespace streamcts::program
