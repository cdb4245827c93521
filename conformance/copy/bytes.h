// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ostream>
#include <span>

#include "harness/case/outcome.h"
#include "kernels/pattern.h"

// Payloads of any length at any address, with guards on both sides: what words cannot tell.

namespace streamcts {

/// Byte @p index of a pattern, as kernels lay it out.
inline std::uint8_t byte_of(kernels::pattern what, std::size_t index) {
  return static_cast<std::uint8_t>(what.word(index / 8) >> (index % 8 * 8));
}

/// What a look at bytes found.
struct byte_sighting {
  bool good = true;
  bool in_guard = false;  ///< the wrong byte lies beside the payload
  std::ptrdiff_t index = 0;  ///< of the first wrong byte, from the payload's first
  std::size_t length = 0;
  unsigned expected = 0;
  unsigned seen = 0;
};

inline void PrintTo(const byte_sighting& what, std::ostream* out) {
  if (what.good) {
    *out << what.length << " bytes as expected";
    return;
  }
  *out << (what.in_guard ? "guard byte " : "byte ") << what.index << " of " << what.length
       << " is " << what.seen << ", expected " << what.expected;
}

MATCHER(HasAllBytes, negation ? "some wrong byte"
                              : "this round's pattern in every byte, and nothing beside it") {
  return arg.good;
}

inline failure_kind kind_of(const byte_sighting& what) {
  if (what.in_guard) return failure_kind::value;
  return what.seen == kernels::sentinel_byte ? failure_kind::missing : failure_kind::torn;
}

/// A stretch of bytes in host memory, with sentinels around it. `space` outlives it.
class byte_field {
 public:
  static constexpr std::size_t guard = 64;

  /// How large a space has to be for @p length bytes at @p offset.
  static constexpr std::size_t space_for(std::size_t offset, std::size_t length) {
    return guard + offset + length + guard;
  }
  /// The first byte lies `guard` + @p offset bytes behind the beginning of @p space.
  byte_field(std::span<std::uint8_t> space, std::size_t offset, std::size_t length)
      : space_(space), begin_(guard + offset), length_(length) {}

  /// Begins a round: everything is the sentinel.
  void begin_round(kernels::pattern expected) {
    expected_ = expected;
    std::memset(space_.data(), kernels::sentinel_byte, space_.size());
  }
  std::uint8_t* data() const { return space_.data() + begin_; }
  std::size_t offset() const { return begin_; }
  std::size_t length() const { return length_; }

  /// The bytes that arrive last first, then the guards, then all. Plain loads; any thread.
  byte_sighting look() const noexcept {
    const std::size_t tail = length_ < 64 ? length_ : 64;
    for (std::size_t i = length_; i-- > length_ - tail;) {
      if (wrong(i)) return found(i, byte_of(expected_, i));
    }
    for (std::size_t i = 0; i < guard; ++i) {
      if (data()[length_ + i] != kernels::sentinel_byte) return found_in_guard(length_ + i);
      if (data()[-1 - static_cast<std::ptrdiff_t>(i)] != kernels::sentinel_byte) {
        return found_in_guard(~i);
      }
    }
    for (std::size_t i = 0; i < length_; ++i) {
      if (wrong(i)) return found(i, byte_of(expected_, i));
    }
    return {.length = length_};
  }

 private:
  bool wrong(std::size_t i) const { return data()[i] != byte_of(expected_, i); }
  byte_sighting found(std::size_t i, unsigned expected) const {
    const auto at = static_cast<std::ptrdiff_t>(i);
    return {.good = false, .index = at, .length = length_, .expected = expected, .seen = data()[at]};
  }
  byte_sighting found_in_guard(std::size_t i) const {
    byte_sighting made = found(i, kernels::sentinel_byte);
    made.in_guard = true;
    return made;
  }

  std::span<std::uint8_t> space_;
  std::size_t begin_;
  std::size_t length_;
  kernels::pattern expected_{kernels::sentinel, 0};
};

}  // namespace streamcts
