// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <string>

#include "harness/runner/descriptor.h"

namespace streamcts::runner {

/// What a child prints, of which the last part is kept. Whatever comes is taken at once, so that a
/// child that prints gigabytes is neither held up nor fills the memory.
class output_tail {
 public:
  static constexpr std::size_t default_limit = 64 * 1024;

  output_tail() = default;
  /// Takes over the reading end of a pipe, which must not block.
  explicit output_tail(descriptor source, std::size_t limit = default_limit);

  /// For poll(); -1 after the end.
  int descriptor_to_poll() const { return source_.get(); }
  /// Reads what is there, at most @p bytes of it. @return false when there was nothing.
  bool drain(std::size_t bytes = std::size_t{1} << 20);
  /// The tail of what came since the last take(); where the front is missing it says so.
  std::string take();
  /// Bytes since the last take().
  std::size_t total() const { return total_; }
  void close() { source_.close(); }

 private:
  void keep(const char* data, std::size_t size);

  descriptor source_;
  std::size_t limit_ = default_limit;
  std::string kept_;
  std::size_t total_ = 0;
};

}  // namespace streamcts::runner
