// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class C: events that capture too little or too much, and what they say of themselves.

#include <map>
#include <mutex>
#include <set>
#include <vector>

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

namespace {

/// A set of events, safe to use from any thread.
class event_set {
 public:
  bool insert(CUevent event) {
    const std::lock_guard lock(mutex_);
    return events_.insert(event).second;
  }
  bool erase(CUevent event) {
    const std::lock_guard lock(mutex_);
    return events_.erase(event) != 0;
  }
  bool contains(CUevent event) {
    const std::lock_guard lock(mutex_);
    return events_.count(event) != 0;
  }

 private:
  std::mutex mutex_;
  std::set<CUevent> events_;
};

/// The first record of an event stays; later ones do nothing.
class first_record_stays : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::record) || recorded_.insert(op.event)) return op.forward();
    if (!is_complete(record_in(op.stream))) hit();
    return CUDA_SUCCESS;
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    recorded_.erase(event);
    return forward();
  }

 private:
  event_set recorded_;
};

/// An event that has once been complete looks complete from the host ever after.
class complete_for_ever : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::record) && recorded_.contains(op.event) && !is_pending(op.event)) {
      completed_.insert(op.event);
    }
    if (op.is(operation_kind::record)) recorded_.insert(op.event);
    return op.forward();
  }
  CUresult synchronize(host_wait& w) override { return answer(w); }
  CUresult query(host_wait& w) override { return answer(w); }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    recorded_.erase(event);
    completed_.erase(event);
    return forward();
  }

 private:
  CUresult answer(host_wait& w) {
    if (w.of != host_wait::target::event || !completed_.contains(w.event)) return w.forward();
    if (is_pending(w.event)) hit();
    return CUDA_SUCCESS;
  }

  event_set recorded_, completed_;
};

/// An event that was never recorded is never ready.
class unrecorded_not_ready : public behaviour {
 public:
  CUresult create_event(CUevent* event, unsigned&, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) unrecorded_.insert(*event);
    return result;
  }
  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::record)) unrecorded_.erase(op.event);
    return op.forward();
  }
  CUresult query(host_wait& w) override {
    if (w.of != host_wait::target::event || !unrecorded_.contains(w.event)) return w.forward();
    hit();
    return CUDA_ERROR_NOT_READY;
  }

 private:
  event_set unrecorded_;
};

/// A kernel enqueued directly behind a record belongs to the event too.
class includes_next_kernel : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    const stream_key key = op.stream.key();
    const CUevent before =
        last_.with(key, [&](CUevent& last) { return std::exchange(last, nullptr); });
    const CUresult result = op.forward();
    if (op.is(operation_kind::record)) last_.with(key, [&](CUevent& last) { last = op.event; });
    if (op.is(operation_kind::kernel) && before && result == CUDA_SUCCESS) {
      hit();
      real().event_record[op.stream.mode](before, op.stream.handle);
    }
    return result;
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    last_.for_each([&](const stream_key&, CUevent& last) {
      if (last == event) last = nullptr;
    });
    return forward();
  }

 private:
  per_stream<CUevent> last_;
};

/// Destroyed events are given out again as new ones, with what they had recorded.
class recycled_events : public behaviour {
 public:
  CUresult create_event(CUevent* event, unsigned& flags, forward_call forward) override {
    CUcontext context = nullptr;
    real().ctx_get_current(&context);
    const kind wanted{context, flags};
    if (event && take_idle(wanted, event)) {
      if (is_pending(*event)) hit();
      return CUDA_SUCCESS;
    }
    const CUresult result = forward();
    if (result != CUDA_SUCCESS) return result;
    const std::lock_guard lock(mutex_);
    made_[*event] = wanted;
    return result;
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      const auto made = made_.find(event);
      if (made != made_.end()) {
        idle_[made->second].push_back(event);
        return CUDA_SUCCESS;
      }
    }
    return forward();
  }

 private:
  using kind = std::pair<CUcontext, unsigned>;

  bool take_idle(const kind& wanted, CUevent* event) {
    const std::lock_guard lock(mutex_);
    std::vector<CUevent>& idle = idle_[wanted];
    if (idle.empty()) return false;
    *event = idle.back();
    idle.pop_back();
    return true;
  }

  std::mutex mutex_;
  std::map<kind, std::vector<CUevent>> idle_;
  std::map<CUevent, kind> made_;
};

/// Synchronizing an event made with blocking synchronization returns at once.
class blocking_event_not_awaited : public behaviour {
 public:
  CUresult create_event(CUevent* event, unsigned& flags, forward_call forward) override {
    const CUresult result = forward();
    if (result != CUDA_SUCCESS) return result;
    if ((flags & CU_EVENT_BLOCKING_SYNC) != 0) {
      blocking_.insert(*event);
    } else {
      blocking_.erase(*event);
    }
    return result;
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of != host_wait::target::event || !blocking_.contains(w.event)) return w.forward();
    if (is_pending(w.event)) hit();
    return CUDA_SUCCESS;
  }

 private:
  event_set blocking_;
};

}  // namespace

std::unique_ptr<behaviour> make::record_misses_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_record});
}
std::unique_ptr<behaviour> make::record_misses_copy() {
  return overtakes({.ignored = is_copy, .victim = is_record, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::record_misses_graph_launch() {
  return overtakes({.ignored = is_graph, .victim = is_record});
}
std::unique_ptr<behaviour> make::record_drops_joins() {
  return overtakes({.ignored = is_wait, .victim = is_record});
}
std::unique_ptr<behaviour> make::second_record_is_ignored() {
  return std::make_unique<first_record_stays>();
}
std::unique_ptr<behaviour> make::completed_event_stays_complete() {
  return std::make_unique<complete_for_ever>();
}
std::unique_ptr<behaviour> make::unrecorded_event_is_not_ready() {
  return std::make_unique<unrecorded_not_ready>();
}
std::unique_ptr<behaviour> make::event_includes_next_kernel() {
  return std::make_unique<includes_next_kernel>();
}
std::unique_ptr<behaviour> make::recycled_event_keeps_its_record() {
  return std::make_unique<recycled_events>();
}
std::unique_ptr<behaviour> make::blocking_sync_event_is_not_awaited() {
  return std::make_unique<blocking_event_not_awaited>();
}

}  // namespace streamcts::faults
