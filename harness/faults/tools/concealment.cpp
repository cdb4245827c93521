// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/concealment.h"

#include <cstring>

namespace streamcts::faults {
namespace {

// The device, or the CPU implementation's threads, may write the same words at the same time: that
// is what this file is for.
#if defined(__GNUC__)
#define RACES_ON_PURPOSE __attribute__((no_sanitize("thread"), noinline))
#endif

RACES_ON_PURPOSE std::uint64_t load(const std::uint64_t* at) {
  return __atomic_load_n(at, __ATOMIC_RELAXED);
}
RACES_ON_PURPOSE void store(std::uint64_t* at, std::uint64_t value) {
  __atomic_store_n(at, value, __ATOMIC_RELAXED);
}

/// The whole words inside a range. Odd bytes at its ends are left alone.
struct word_range {
  std::uint64_t* first;
  std::size_t count;
  std::size_t offset;  ///< of the first word from the beginning of the range
};
word_range words_in(std::byte* begin, std::size_t bytes) {
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(begin) % sizeof(std::uint64_t);
  const std::size_t offset = misaligned == 0 ? 0 : sizeof(std::uint64_t) - misaligned;
  if (bytes < offset + sizeof(std::uint64_t)) return {nullptr, 0, 0};
  return {reinterpret_cast<std::uint64_t*>(begin + offset),
          (bytes - offset) / sizeof(std::uint64_t), offset};
}

}  // namespace

old_view_ptr look_at(std::byte* begin, std::size_t bytes) {
  auto view = std::make_shared<old_view>();
  view->begin = begin;
  view->bytes.resize(bytes);
  const word_range range = words_in(begin, bytes);
  for (std::size_t i = 0; i < range.count; ++i) {
    const std::uint64_t word = load(range.first + i);
    std::memcpy(view->bytes.data() + range.offset + i * sizeof(word), &word, sizeof(word));
  }
  return view;
}

void concealment::conceal(const old_view_ptr& view, std::size_t from) {
  const word_range range = words_in(view->begin, view->bytes.size());
  for (std::size_t i = 0; i < range.count; ++i) {
    const std::size_t at = range.offset + i * sizeof(std::uint64_t);
    if (at < from) continue;
    std::uint64_t old;
    std::memcpy(&old, view->bytes.data() + at, sizeof(old));
    const std::uint64_t now = load(range.first + i);
    if (now == old) continue;
    words_.push_back({range.first + i, old, now});
    store(range.first + i, old);
  }
}

void concealment::reveal() {
  // Backwards: a word concealed twice gets its newest value last.
  for (auto each = words_.rbegin(); each != words_.rend(); ++each) {
    if (load(each->at) == each->shown) store(each->at, each->hidden);
  }
  words_.clear();
}

bool concealment::touches(const std::byte* begin, std::size_t bytes) const {
  for (const word& each : words_) {
    const auto* at = reinterpret_cast<const std::byte*>(each.at);
    if (at >= begin && at < begin + bytes) return true;
  }
  return false;
}

}  // namespace streamcts::faults
