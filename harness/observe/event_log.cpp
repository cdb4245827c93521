// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/event_log.h"

#include <algorithm>

namespace streamcts {

event_log::event_log() : slots_(capacity), start_(std::chrono::steady_clock::now()) {}

std::uint64_t event_log::add(std::string_view lane, std::string_view operation,
                             log_phase phase) noexcept {
  const std::uint64_t sequence = next_.fetch_add(1, std::memory_order_acq_rel);
  if (sequence < slots_.size()) {
    slot& mine = slots_[sequence];
    mine.entry = {sequence, lane, operation, phase, std::chrono::steady_clock::now() - start_};
    mine.ready.store(true, std::memory_order_release);
  }
  return sequence;
}

std::vector<log_entry> event_log::entries() const {
  std::vector<log_entry> all;
  const std::size_t used = std::min<std::size_t>(next_.load(), slots_.size());
  for (std::size_t i = 0; i < used; ++i) {
    if (slots_[i].ready.load(std::memory_order_acquire)) all.push_back(slots_[i].entry);
  }
  return all;
}

std::size_t event_log::dropped() const {
  const std::uint64_t total = next_.load();
  return total > slots_.size() ? total - slots_.size() : 0;
}

void event_log::clear() {
  for (slot& each : slots_) each.ready.store(false);
  next_.store(0);
  start_ = std::chrono::steady_clock::now();
}

}  // namespace streamcts
