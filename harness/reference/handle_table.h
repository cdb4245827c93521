// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "harness/reference/refusal.h"

namespace streamcts::reference {

/// A value that no handle had before, so that a handle is recognised as destroyed for ever.
inline std::uint64_t next_handle_value() {
  static std::atomic<std::uint64_t> last{0x1000};
  return last.fetch_add(16, std::memory_order_relaxed) + 16;
}

/// Live objects of one kind by handle. Guarded by the driver lock.
template <typename Object, typename Handle>
class handle_table {
 public:
  Handle insert(std::shared_ptr<Object> object) {
    const auto handle = reinterpret_cast<Handle>(next_handle_value());
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /// Null if @p handle was destroyed or never existed.
  std::shared_ptr<Object> find(Handle handle) const {
    const auto at = objects_.find(handle);
    return at == objects_.end() ? nullptr : at->second;
  }
  std::shared_ptr<Object> get(Handle handle, CUresult otherwise = CUDA_ERROR_INVALID_HANDLE) const {
    std::shared_ptr<Object> object = find(handle);
    require(object != nullptr, otherwise);
    return object;
  }
  void erase(Handle handle) { objects_.erase(handle); }
  std::size_t size() const { return objects_.size(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  std::unordered_map<Handle, std::shared_ptr<Object>> objects_;
};

}  // namespace streamcts::reference
