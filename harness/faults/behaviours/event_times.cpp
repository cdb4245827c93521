// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class C: the times of events, and events that were to be refused.

#include <map>
#include <memory>
#include <mutex>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/streams.h"
#include "harness/faults/tools/trail.h"

namespace streamcts::faults {
namespace {

/// No time has passed between events that are not complete.
class zero_time : public behaviour {
 public:
  CUresult elapsed_time(float* milliseconds, CUevent, CUevent, forward_call forward) override {
    const CUresult result = forward();
    if (result != CUDA_ERROR_NOT_READY || !milliseconds) return result;
    hit();
    *milliseconds = 0;
    return CUDA_SUCCESS;
  }
};

/// An event recorded directly behind host calls has the time of their start.
class time_without_calls : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call && calls_.at_end_of(op.stream).length == 0) {
      const timing_event start = record_time(op.stream);
      starts_.with(op.stream.key(), [&](timing_event& s) { s = start; });
    }
    if (op.is(operation_kind::record)) {
      const bool behind_calls = calls_.at_end_of(op.stream).length > 0;
      const timing_event start = starts_.with(op.stream.key(), [](timing_event& s) { return s; });
      const std::lock_guard lock(mutex_);
      times_[op.event] = behind_calls ? start : nullptr;
    }
    calls_.follow(op);
    return op.forward();
  }
  CUresult elapsed_time(float* milliseconds, CUevent begin, CUevent end,
                        forward_call forward) override {
    const CUresult result = forward();
    timing_event start;
    {
      const std::lock_guard lock(mutex_);
      const auto known = times_.find(end);
      if (known != times_.end()) start = known->second;
    }
    if (result == CUDA_SUCCESS && start) {
      hit();
      real().event_elapsed_time(milliseconds, begin, start.get());
    }
    return result;
  }

 private:
  using timing_event = std::shared_ptr<CUevent_st>;

  static timing_event record_time(const stream_ref& stream) {
    const capture_exemption exempt;
    CUevent event = nullptr;
    if (real().event_create(&event, CU_EVENT_DEFAULT) != CUDA_SUCCESS) return nullptr;
    timing_event owned(event, [](CUevent e) { real().event_destroy(e); });
    real().event_record[stream.mode](event, stream.handle);
    return owned;
  }

  trail calls_{is_host_call};
  per_stream<timing_event> starts_;
  std::mutex mutex_;
  std::map<CUevent, timing_event> times_;
};

/// A record in a stream of another context is accepted and does nothing.
class foreign_record_accepted : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    const CUresult result = op.forward();
    if (!op.is(operation_kind::record) || result != CUDA_ERROR_INVALID_HANDLE) return result;
    hit();
    return CUDA_SUCCESS;
  }
};

/// An interprocess event may be made with timing, and exported: it is made without, in silence.
class timed_ipc_event_accepted : public behaviour {
 public:
  CUresult create_event(CUevent*, unsigned& flags, forward_call forward) override {
    if ((flags & CU_EVENT_INTERPROCESS) != 0 && (flags & CU_EVENT_DISABLE_TIMING) == 0) {
      hit();
      flags |= CU_EVENT_DISABLE_TIMING;
    }
    return forward();
  }
};

}  // namespace

std::unique_ptr<behaviour> make::elapsed_time_of_pending_event_is_zero() {
  return std::make_unique<zero_time>();
}
std::unique_ptr<behaviour> make::elapsed_time_excludes_callback() {
  return std::make_unique<time_without_calls>();
}
std::unique_ptr<behaviour> make::record_in_another_context_is_accepted() {
  return std::make_unique<foreign_record_accepted>();
}
std::unique_ptr<behaviour> make::timed_interprocess_event_is_accepted() {
  return std::make_unique<timed_ipc_event_accepted>();
}

}  // namespace streamcts::faults
