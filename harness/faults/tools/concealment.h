// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace streamcts::faults {

/// A range of host-readable memory as it once was.
struct old_view {
  std::byte* begin = nullptr;
  std::vector<std::byte> bytes;
};
using old_view_ptr = std::shared_ptr<const old_view>;

/// Copies the range. The device may be writing it meanwhile.
old_view_ptr look_at(std::byte* begin, std::size_t bytes);

/// Shows old bytes in place of those that have changed since, as a driver does that delivers late.
/// Touches changed words alone, so that what is written meanwhile survives.
class concealment {
 public:
  /// Puts the old words back, from byte @p from of the view on.
  void conceal(const old_view_ptr& view, std::size_t from = 0);
  /// Puts the new words in their place again, except where somebody has written since.
  void reveal();
  bool empty() const { return words_.empty(); }
  /// True where a concealed word lies in [begin, begin + bytes).
  bool touches(const std::byte* begin, std::size_t bytes) const;

 private:
  struct word {
    std::uint64_t* at;
    std::uint64_t shown;
    std::uint64_t hidden;
  };
  std::vector<word> words_;
};

}  // namespace streamcts::faults
