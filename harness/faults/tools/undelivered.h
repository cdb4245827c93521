// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "harness/faults/tools/concealment.h"
#include "harness/faults/tools/host_ranges.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

/// What work enqueued in each stream is going to write to the host, with the old contents, from the
/// moment when it is enqueued until the program synchronizes with it. Follows joins by events, except
/// for ordinary memory: when that is freed nobody tells.
class undelivered {
 public:
  /// What is looked at before an operation is forwarded.
  struct watched {
    /// Kernels may write any allocation that satisfies this.
    std::function<bool(const host_memory&)> mapped = [](const host_memory&) { return false; };
    /// Of the operations that may write so: kernels and graph launches, those that satisfy this.
    std::function<bool(const operation&)> writer = [](const operation&) { return true; };
    /// Downloads and memsets count if their destination satisfies this. Null: ordinary memory.
    std::function<bool(const host_memory*)> destination = [](const host_memory*) { return false; };
    std::size_t at_least = smallest_payload;  ///< of a copy or memset
    bool copies = true;
    bool memsets = false;
  };

  explicit undelivered(watched what) : what_(std::move(what)) {}

  host_ranges& ranges() { return ranges_; }
  /// Call for each operation before it is forwarded.
  void follow(const operation& op);
  /// What is outstanding in @p stream, joined streams included.
  std::vector<old_view_ptr> in(const stream_ref& stream);
  /// The same, and it then counts as delivered there.
  std::vector<old_view_ptr> take(const stream_ref& stream);
  /// What @p event covers.
  std::vector<old_view_ptr> behind(CUevent event);
  /// Call when the program has synchronized with a stream, an event, everything.
  void delivered(const stream_ref& stream);
  void delivered(const std::vector<old_view_ptr>& views);
  void delivered_all();
  /// Call before memory is freed or unregistered.
  void forget(const void* begin);

 private:
  using views = std::vector<old_view_ptr>;
  void look_before_kernel(const stream_key& key);
  void look_before_write(const operation& op);
  void add(const stream_key& key, old_view_ptr view);
  void drop_overlapping(const stream_key& key, CUdeviceptr begin, std::size_t bytes);

  watched what_;
  host_ranges ranges_;
  per_stream<views> outstanding_;
  std::mutex mutex_;
  std::map<CUevent, views> recorded_;
};

}  // namespace streamcts::faults
