// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "harness/reference/memory.h"

namespace streamcts::reference {

/// The plain stores of one kernel or copy to host-visible memory, kept from the host until
/// publish(). Loads of the same operation see them. Stores to device memory go straight there.
/// Used by one thread at a time.
///
/// Every access is checked: naturally aligned and inside one allocation, else device_fault with
/// MISALIGNED_ADDRESS or ILLEGAL_ADDRESS.
class write_buffer {
 public:
  /// @p size is 1, 2, 4, 8 or 16.
  void store(std::uintptr_t address, const void* value, std::size_t size);
  void load(std::uintptr_t address, void* value, std::size_t size);
  /// Checks an access that bypasses the buffer.
  void check(std::uintptr_t address, std::size_t size);

  /// Stores @p size bytes of any alignment.
  void store_range(std::uintptr_t address, const void* from, std::size_t size);

  /// Writes everything to memory. Aligned words of 4 and 8 bytes appear as single accesses
  /// (VS-MAP-005).
  void publish();
  bool empty() const { return dirty_pages_ == 0; }

 private:
  static constexpr std::size_t page_bytes = 4096;
  struct page {
    unsigned char data[page_bytes];
    unsigned char mask[page_bytes / 8];  // a bit a byte of data
  };
  // A stretch of addresses that one lookup answers for: a whole device allocation, or the part of a
  // host-visible one within one page.
  struct window {
    std::uintptr_t begin = 1, end = 0;
    bool direct = false;
    std::unique_ptr<page> stored;  // null until the first store
  };

  window& at(std::uintptr_t address, std::size_t size, window*& last);
  window& open(std::uintptr_t address, std::size_t size);
  void store_in(window& w, std::uintptr_t address, const void* value, std::size_t size);

  std::map<std::uintptr_t, window> windows_;  // by begin
  window* last_store_ = nullptr;
  window* last_load_ = nullptr;
  window* last_check_ = nullptr;
  std::size_t dirty_pages_ = 0;
};

}  // namespace streamcts::reference
