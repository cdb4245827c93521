// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace streamcts::program {

/// A set of items of one program: item numbers 0 to `capacity` - 1 as bits. A plain value; copying
/// it is how an event keeps what it captured.
class item_set {
 public:
  static constexpr std::size_t capacity = 256;

  constexpr item_set() = default;
  /// The set of the items 0 to @p count - 1.
  static constexpr item_set first(std::size_t count) {
    item_set s;
    for (std::size_t i = 0; i < count; ++i) s.add(i);
    return s;
  }

  constexpr void add(std::size_t item) { words_[item >> 6] |= bit(item); }
  constexpr void remove(std::size_t item) { words_[item >> 6] &= ~bit(item); }
  constexpr bool has(std::size_t item) const { return (words_[item >> 6] & bit(item)) != 0; }
  constexpr bool empty() const { return (words_[0] | words_[1] | words_[2] | words_[3]) == 0; }
  constexpr void clear() { words_ = {}; }
  constexpr std::size_t size() const {
    std::size_t n = 0;
    for (const auto w : words_) n += static_cast<std::size_t>(std::popcount(w));
    return n;
  }

  constexpr item_set& operator|=(const item_set& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= o.words_[i];
    return *this;
  }
  constexpr item_set& operator&=(const item_set& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= o.words_[i];
    return *this;
  }
  /// Removes the items of @p o.
  constexpr item_set& operator-=(const item_set& o) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~o.words_[i];
    return *this;
  }
  friend constexpr item_set operator|(item_set a, const item_set& b) { return a |= b; }
  friend constexpr item_set operator&(item_set a, const item_set& b) { return a &= b; }
  friend constexpr item_set operator-(item_set a, const item_set& b) { return a -= b; }
  friend constexpr bool operator==(const item_set&, const item_set&) = default;

  constexpr bool intersects(const item_set& o) const { return !(*this & o).empty(); }
  constexpr bool contains(const item_set& o) const { return (o - *this).empty(); }

  /// Calls @p visit with each item number, in rising order.
  template <typename Visit>
  constexpr void for_each(Visit visit) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (auto w = words_[i]; w != 0; w &= w - 1) {
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(w)));
      }
    }
  }
  /// The highest item number. @pre not empty.
  constexpr std::size_t last() const {
    std::size_t i = words_.size() - 1;
    while (words_[i] == 0) --i;
    return i * 64 + 63 - static_cast<std::size_t>(std::countl_zero(words_[i]));
  }
  /// The lowest item number. @pre not empty.
  constexpr std::size_t front() const {
    std::size_t i = 0;
    while (words_[i] == 0) ++i;
    return i * 64 + static_cast<std::size_t>(std::countr_zero(words_[i]));
  }

 private:
  static constexpr std::uint64_t bit(std::size_t item) { return std::uint64_t{1} << (item & 63); }
  std::array<std::uint64_t, capacity / 64> words_{};
};

}  // namespace streamcts::program
