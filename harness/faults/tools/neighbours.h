// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <memory>
#include <mutex>

#include "harness/faults/tools/barrier_clock.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

/// Finds host calls that follow each other directly in one stream, so that the first, when it runs,
/// can know the second.
class neighbours {
 public:
  /// One host call in its stream. `next` and `spent` are guarded by `mutex`.
  struct call {
    std::mutex mutex;
    host_call original;
    CUstream handle = nullptr;      ///< as the program named the stream
    std::uint64_t thread = 0;       ///< that enqueued it
    std::shared_ptr<call> next;     ///< the one directly behind it, once enqueued
    bool spent = false;             ///< has run, or never will
  };

  /// Call for each operation before it is enqueued.
  /// @return what is known of @p op, where it is a host call; else null.
  std::shared_ptr<call> follow(const operation& op);

  /// Call at the start of a host call.
  /// @return false where it has already run.
  static bool begin(call& c);
  /// The call directly behind @p c, where it is enqueued, has not run and @p fits; it then counts as
  /// having run. Else null.
  template <typename F>
  static std::shared_ptr<call> take_next(call& c, F&& fits) {
    std::shared_ptr<call> next;
    {
      const std::lock_guard lock(c.mutex);
      next = c.next;
    }
    if (!next || !fits(*next) || !begin(*next)) return nullptr;
    return next;
  }
  /// Runs the program's function of @p c with the status of @p run.
  static void invoke(const call& c, const host_run& run);

 private:
  struct position {
    std::shared_ptr<call> last;
    unsigned long long stamp = 0;
  };
  per_stream<position> positions_;
  barrier_clock clock_;
};

}  // namespace streamcts::faults
