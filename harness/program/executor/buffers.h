// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Memory for the buffers of programs, kept from run to run: allocating and freeing may synchronize.

#pragma once

#include <memory>
#include <vector>

#include "harness/driver/memory.h"
#include "harness/program/types.h"

namespace streamcts::program {

/// A buffer in memory. Either address may be null: the host's of device memory, the device's of
/// pageable memory.
struct placed_buffer {
  void* host = nullptr;
  CUdeviceptr device = 0;
  std::size_t bytes = 0;
  memory_kind kind = memory_kind::mapped;
};

/// Lends memory and takes it back. Not thread safe. Contents are what was left there.
class buffer_pool {
 public:
  explicit buffer_pool(const driver::function_table& cuda) : cuda_(cuda) {}

  /// @throws driver::call_error
  placed_buffer lend(memory_kind kind, std::size_t bytes);
  void take_back(const placed_buffer& buffer);
  /// Frees nothing any more, as after a hang.
  void release();

 private:
  struct piece {
    placed_buffer at;
    std::size_t capacity = 0;
    bool lent = false;
    driver::host_buffer pinned;
    driver::managed_buffer managed;
    driver::device_buffer device;
    std::unique_ptr<std::uint64_t[]> pageable;
  };
  std::unique_ptr<piece> make(memory_kind kind, std::size_t capacity) const;

  const driver::function_table& cuda_;
  std::vector<std::unique_ptr<piece>> pieces_;
};

}  // namespace streamcts::program
