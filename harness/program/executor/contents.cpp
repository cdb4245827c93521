// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/contents.h"

#include <cstring>
#include <span>

#include "harness/observe/sentinel.h"

namespace streamcts::program {
namespace {

using kernels::pattern;

constexpr std::size_t sample_bytes = 16384, sampled_from = 65536;

/// Different for the memsets of one run: there are fewer than 255 of them that matter.
pattern of_byte_memset(std::uint32_t run, std::size_t item) {
  const std::uint64_t byte = 1 + (item * 7 + run * 31ull) % 255;
  return {byte * 0x0101010101010101ull, 0};
}

bool fits(const std::byte* from, std::size_t first_word, std::size_t bytes, pattern p) noexcept {
  const std::size_t words = bytes / 8;
  const pattern here{p.word(first_word), p.step};
  if (words != 0) {
    const auto* at = reinterpret_cast<const std::uint64_t*>(from + first_word * 8);
    if (!streamcts::look({at, words}, here, here).good()) return false;
  }
  const std::uint64_t last = here.word(words);
  return std::memcmp(from + (first_word + words) * 8, &last, bytes % 8) == 0;
}

bool holds(const void* from, std::size_t bytes, pattern p, bool sample) noexcept {
  const auto* at = static_cast<const std::byte*>(from);
  if (!sample || bytes <= sampled_from) return fits(at, 0, bytes, p);
  const std::size_t tail = (bytes - sample_bytes) / 8;
  return fits(at, tail, bytes - tail * 8, p) && fits(at, 0, sample_bytes, p);
}

}  // namespace

void contents_book::prepare(const model& m, std::uint32_t run) {
  const std::uint64_t epoch = std::uint64_t{run} << 10;
  items_.clear();
  for (std::size_t x = 0; x < m.items().size(); ++x) {
    const item& i = m.items().items()[x];
    if (i.kind != item_kind::memset) {
      items_.push_back(kernels::ramp(epoch + x));
    } else if (wide_memset(m.source().buffers[at(i.write)].bytes)) {
      items_.push_back(kernels::uniform(epoch + x));
    } else {
      items_.push_back(of_byte_memset(run, x));
    }
  }
  initial_.clear();
  for (std::size_t b = 0; b < m.source().buffers.size(); ++b) {
    initial_.push_back(kernels::ramp(epoch + item_set::capacity + b));
  }
}

kernels::pattern contents_book::of(buffer_value value) const {
  return value.is_item() ? items_[value.item()] : initial_[value.buffer()];
}

void contents_book::fill(void* to, std::size_t bytes, buffer_value value) const noexcept {
  const pattern p = of(value);
  const std::size_t words = bytes / 8;
  fill_with_pattern({static_cast<std::uint64_t*>(to), words}, p);
  const std::uint64_t last = p.word(words);
  std::memcpy(static_cast<std::byte*>(to) + words * 8, &last, bytes % 8);
}

buffer_value contents_book::identify(const void* from, std::size_t bytes, buffer_value expected,
                                     bool sample) const noexcept {
  if (!expected.is_torn() && holds(from, bytes, of(expected), sample)) return expected;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (holds(from, bytes, items_[i], sample)) return buffer_value::of_item(i);
  }
  for (std::size_t b = 0; b < initial_.size(); ++b) {
    if (holds(from, bytes, initial_[b], sample)) return buffer_value::initial(b);
  }
  return buffer_value::torn();
}

}  // namespace streamcts::program
