// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/sentinel.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace streamcts {

namespace {

/// Words compared between two branches: a page, so that a mismatch is found within a page.
constexpr std::size_t block_words = 512;
/// Independent lanes of the inner loop; the compiler turns them into vector registers.
constexpr std::size_t lanes = 8;

/// Or of all differences of @p count words; zero if all are right. @p count a multiple of `lanes`.
std::uint64_t difference(const std::uint64_t* words, std::size_t count, std::uint64_t base,
                         std::uint64_t step) noexcept {
  std::uint64_t expected[lanes];
  std::uint64_t differs[lanes] = {};
  for (std::size_t lane = 0; lane < lanes; ++lane) expected[lane] = base + lane * step;
  const std::uint64_t advance = lanes * step;
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      differs[lane] |= words[i + lane] ^ expected[lane];
      expected[lane] += advance;
    }
  }
  std::uint64_t all = 0;
  for (std::uint64_t each : differs) all |= each;
  return all;
}

word_origin origin_of(std::uint64_t seen, std::size_t index, kernels::pattern previous) noexcept {
  if (seen == kernels::sentinel) return word_origin::sentinel;
  if (seen == previous.word(index)) return word_origin::previous_epoch;
  return word_origin::foreign;
}

/// Adds the wrong words of [begin, end) to @p result.
void look_at(std::span<const std::uint64_t> seen, std::size_t begin, std::size_t end,
             kernels::pattern expected, kernels::pattern previous, sighting& result) noexcept {
  for (std::size_t at = begin; at < end;) {
    const std::size_t size = std::min(block_words, end - at);
    const std::size_t even = size - size % lanes;
    const bool clean = even == size && difference(seen.data() + at, size, expected.word(at),
                                                  expected.step) == 0;
    for (std::size_t i = at; !clean && i < at + size; ++i) {
      const std::uint64_t want = expected.word(i);
      const std::uint64_t got = seen[i];
      if (got == want) continue;
      if (result.mismatches++ == 0) {
        result.first_index = i;
        result.first_expected = want;
        result.first_seen = got;
        result.first_origin = origin_of(got, i, previous);
      }
    }
    at += size;
  }
}

}  // namespace

sighting look(std::span<const std::uint64_t> seen, kernels::pattern expected,
              kernels::pattern previous) noexcept {
  sighting result;
  result.words = seen.size();
  const std::size_t tail = seen.size() - std::min(seen.size(), lanes);
  look_at(seen, tail, seen.size(), expected, previous, result);
  look_at(seen, 0, tail, expected, previous, result);
  return result;
}

sighting look_parallel(std::span<const std::uint64_t> seen, kernels::pattern expected,
                       kernels::pattern previous, unsigned threads) {
  const std::size_t parts = std::max(1u, threads);
  const std::size_t each = (seen.size() / parts + block_words - 1) / block_words * block_words;
  std::vector<sighting> found(parts);
  std::vector<std::thread> workers;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = std::min(seen.size(), part * each);
    const std::size_t end = part + 1 == parts ? seen.size() : std::min(seen.size(), begin + each);
    auto work = [&, part, begin, end] {
      look_at(seen, begin, end, expected, previous, found[part]);
    };
    if (part + 1 == parts) {
      work();
    } else {
      workers.emplace_back(work);
    }
  }
  for (std::thread& worker : workers) worker.join();
  sighting result;
  for (const sighting& part : found) {
    const std::size_t before = result.mismatches;
    if (before == 0) result = part;
    result.mismatches = before + part.mismatches;
  }
  result.words = seen.size();
  return result;
}

sighting look_for_sentinel(std::span<const std::uint64_t> seen) noexcept {
  return look(seen, {kernels::sentinel, 0}, {kernels::sentinel, 0});
}

void fill_with_sentinel(std::span<std::uint64_t> words) noexcept {
  std::fill(words.begin(), words.end(), kernels::sentinel);
}

void fill_with_pattern(std::span<std::uint64_t> words, kernels::pattern what) noexcept {
  std::uint64_t value = what.base;
  for (std::uint64_t& word : words) {
    word = value;
    value += what.step;
  }
}

std::string describe(const sighting& what) {
  if (what.good()) return fmt::format("all {} words as expected", what.words);
  const char* origin = "a foreign value";
  switch (what.first_origin) {
    case word_origin::sentinel: origin = "the sentinel (not written)"; break;
    case word_origin::previous_epoch: origin = "the previous epoch (stale)"; break;
    default: break;
  }
  return fmt::format("{} of {} words wrong; word {} is {:#018x}, {}, expected {:#018x}",
                     what.mismatches, what.words, what.first_index, what.first_seen, origin,
                     what.first_expected);
}

}  // namespace streamcts
