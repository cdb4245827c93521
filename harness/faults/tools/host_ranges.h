// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "harness/faults/layer/operation.h"

namespace streamcts::faults {

/// Smaller allocations hold control words and are left alone by faults of visibility.
inline constexpr std::size_t smallest_payload = std::size_t{64} << 10;

inline bool is_allocated(const host_memory& memory) {
  return memory.from == host_memory::source::allocated;
}
/// Null stands for ordinary memory.
inline bool is_pinned(const host_memory* memory) {
  return memory && memory->from != host_memory::source::managed;
}

/// The program's host-readable allocations of payload size.
class host_ranges {
 public:
  void add(const host_memory& memory) {
    if (memory.bytes < smallest_payload || !memory.begin) return;
    const std::lock_guard lock(mutex_);
    ranges_[memory.begin] = memory;
  }
  void remove(const void* address) {
    const std::lock_guard lock(mutex_);
    ranges_.erase(static_cast<std::byte*>(const_cast<void*>(address)));
  }
  std::vector<host_memory> all() {
    const std::lock_guard lock(mutex_);
    std::vector<host_memory> found;
    for (const auto& [begin, memory] : ranges_) found.push_back(memory);
    return found;
  }
  /// The allocation that @p address lies in.
  std::optional<host_memory> containing(CUdeviceptr address) {
    auto* const at = reinterpret_cast<std::byte*>(address);
    const std::lock_guard lock(mutex_);
    auto next = ranges_.upper_bound(at);
    if (next == ranges_.begin()) return std::nullopt;
    const host_memory& memory = std::prev(next)->second;
    if (at >= memory.begin + memory.bytes) return std::nullopt;
    return memory;
  }

 private:
  std::mutex mutex_;
  std::map<std::byte*, host_memory> ranges_;
};

}  // namespace streamcts::faults
