// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <map>
#include <mutex>
#include <vector>

#include "harness/faults/layer/stream_ref.h"

namespace streamcts::faults {

/// The created streams that are alive.
class live_streams {
 public:
  struct facts {
    CUstream stream = nullptr;
    CUcontext context = nullptr;
    std::uint64_t thread = 0;  ///< that created it
    bool blocking = true;
  };

  void created(CUstream stream) {
    const stream_ref ref{stream};
    const facts made{stream, ref.context(), thread_number(), ref.is_blocking()};
    const std::lock_guard lock(mutex_);
    streams_[stream] = made;
  }
  void destroyed(CUstream stream) {
    const std::lock_guard lock(mutex_);
    streams_.erase(stream);
  }
  std::vector<facts> of_context(CUcontext context) {
    std::vector<facts> found;
    const std::lock_guard lock(mutex_);
    for (const auto& [stream, f] : streams_) {
      if (f.context == context) found.push_back(f);
    }
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<CUstream, facts> streams_;
};

}  // namespace streamcts::faults
