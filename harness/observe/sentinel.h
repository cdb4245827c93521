// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernels/pattern.h"

namespace streamcts {

/// What a word that should carry this round's pattern carries instead.
enum class word_origin {
  expected,        ///< this round's value: nothing wrong
  sentinel,        ///< what the host wrote before the round: the write is early or missing
  previous_epoch,  ///< the value of the round before: stale
  foreign,         ///< neither: torn, misplaced or written by something else
};

/// The outcome of one look at a payload.
struct sighting {
  std::size_t words = 0;       ///< how many words were looked at
  std::size_t mismatches = 0;  ///< how many of them were wrong; when `complete` is false, at least
  bool complete = true;        ///< whether the look went on after the first wrong word
  std::size_t first_index = 0;
  std::uint64_t first_expected = 0;
  std::uint64_t first_seen = 0;
  word_origin first_origin = word_origin::expected;

  bool good() const { return mismatches == 0; }
  /// True when no word at all is right: the write had not begun or is not visible.
  bool nothing_arrived() const { return complete && mismatches == words; }
};

/// Compares @p seen with @p expected and finds the first wrong word, at about the speed of memory.
///
/// Looks at the words in the order in which defects show: the last words first, since they are
/// written last, then all others from the front. Plain loads, no fence: visibility is what is under
/// test. Any thread; does not allocate, so a host call may use it.
///
/// @param previous the pattern of the round before, to tell stale words from foreign ones.
sighting look(std::span<const std::uint64_t> seen, kernels::pattern expected,
              kernels::pattern previous) noexcept;

/// As look(), shared out over @p threads threads. Not inside a host call.
sighting look_parallel(std::span<const std::uint64_t> seen, kernels::pattern expected,
                       kernels::pattern previous, unsigned threads);

/// Whether every word is still the sentinel; the first other word is reported as `foreign`.
sighting look_for_sentinel(std::span<const std::uint64_t> seen) noexcept;

/// Writes the sentinel into every word.
void fill_with_sentinel(std::span<std::uint64_t> words) noexcept;
/// Writes a pattern, as kernels do.
void fill_with_pattern(std::span<std::uint64_t> words, kernels::pattern what) noexcept;

/// One sentence: "word 8191 of 8192 is the sentinel 0xa6..., expected 0x..."
std::string describe(const sighting& what);

}  // namespace streamcts
