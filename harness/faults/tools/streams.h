// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>

#include "harness/faults/layer/operation.h"

namespace streamcts::faults {

/// An event of this layer's own. Goes back to a pool with its last owner; a wait or record made with
/// it keeps its meaning, so it may go back at once. Null where none could be made.
using private_event = std::shared_ptr<CUevent_st>;

/// What @p stream holds now, recorded in an event of this layer.
private_event record_in(const stream_ref& stream);
/// False while something recorded is unfinished. A null event is finished.
bool is_complete(const private_event& event);
/// Makes everything later in @p stream wait for @p event. A null event adds nothing.
void wait_in(const stream_ref& stream, const private_event& event);

/// False where @p event of the program, or @p stream, has nothing unfinished or has failed.
bool is_pending(CUevent event);
bool is_busy(const stream_ref& stream);

/// The private non-blocking stream that stands beside a stream of the program; made on first use,
/// in that stream's context. Null where none can be made.
CUstream side_stream(const stream_ref& stream);
/// Lets it go with the stream it stands beside; what it holds still runs.
void forget_side_stream(const stream_key& key);

/// Enqueues @p op in the private stream beside its own, ordered behind @p after alone. A stream
/// callback is still told the program's handle.
/// @return the result, and what the private stream then holds in @p end.
CUresult enqueue_beside(operation& op, const private_event& after, private_event* end);

/// Something kept for each stream. Thread-safe; the value is handed out under the lock.
template <typename State>
class per_stream {
 public:
  template <typename F>
  auto with(const stream_key& key, F&& f) {
    const std::lock_guard lock(mutex_);
    return f(states_[key]);
  }
  template <typename F>
  void for_each(F&& f) {
    const std::lock_guard lock(mutex_);
    for (auto& [key, state] : states_) f(key, state);
  }
  void forget(const stream_key& key) {
    const std::lock_guard lock(mutex_);
    states_.erase(key);
  }

 private:
  std::mutex mutex_;
  std::map<stream_key, State> states_;
};

}  // namespace streamcts::faults
