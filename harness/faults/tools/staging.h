// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

/// Pinned buffers of this layer, lent for one copy each and kept for the next.
class staging {
 public:
  struct buffer {
    std::byte* bytes = nullptr;
    std::size_t size = 0;
  };
  /// A buffer of at least @p size bytes; null bytes where there is none.
  buffer take(std::size_t size);
  /// Lent until what is in @p stream now has finished.
  void give_back(const buffer& lent, const stream_ref& stream);

 private:
  struct returned {
    buffer lent;
    private_event end;
  };
  std::mutex mutex_;
  std::vector<returned> returned_;
};

}  // namespace streamcts::faults
