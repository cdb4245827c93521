// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Legal oddities of what enqueues: more order, more waiting and more delay than anybody asked for.

#include <set>
#include <thread>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/hold.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/live_streams.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

namespace {

/// Keeps count of captures: while one is under way, nothing is added to any stream and nothing is
/// synchronized, since that could break it.
class careful : public behaviour {
 public:
  CUresult begin_capture(const stream_ref&, CUstreamCaptureMode&, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) ++captures_;
    return result;
  }
  CUresult end_capture(const stream_ref&, CUgraph*, forward_call forward) override {
    const CUresult result = forward();
    if (captures_ > 0) --captures_;
    return result;
  }

 protected:
  bool is_capturing() const { return captures_ > 0; }

 private:
  std::atomic<int> captures_{0};
};

/// Everything of a context runs in the order in which it was enqueued, one after the other.
class one_queue : public careful {
 public:
  CUresult enqueue(operation& op) override {
    if (is_capturing()) return op.forward();
    const CUcontext context = op.stream.context();
    {
      const std::lock_guard lock(mutex_);
      const auto last = ends_.find(context);
      if (last != ends_.end()) {
        if (!is_complete(last->second)) hit();
        wait_in(op.stream, last->second);
      }
    }
    const CUresult result = op.forward();
    private_event end = record_in(op.stream);
    const std::lock_guard lock(mutex_);
    ends_[context] = std::move(end);
    return result;
  }

 private:
  std::mutex mutex_;
  std::map<CUcontext, private_event> ends_;
};

/// Enqueuing waits until what was enqueued has finished.
class enqueue_blocks : public careful {
 public:
  explicit enqueue_blocks(condition which) : which_(std::move(which)) {}

  CUresult enqueue(operation& op) override {
    const CUresult result = op.forward();
    if (result != CUDA_SUCCESS || is_capturing() || !which_(op)) return result;
    const private_event end = record_in(op.stream);
    if (!is_complete(end)) hit();
    // An error of the work itself shows in a later call, as always.
    if (end) real().event_synchronize(end.get());
    return result;
  }

 private:
  condition which_;
};

/// The legacy stream's barrier covers non-blocking streams too, by extra waits.
class barrier_for_all : public careful {
 public:
  CUresult create_stream(CUstream* stream, unsigned, int, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) streams_.created(*stream);
    return result;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    streams_.destroyed(stream);
    return forward();
  }
  CUresult enqueue(operation& op) override {
    if (!is_capturing()) join(op.stream);
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    if (!is_capturing()) join(t.stream);
    return t.forward();
  }

 private:
  void join(const stream_ref& stream) {
    if (stream.is_legacy()) {
      for (const live_streams::facts& each : streams_.of_context(stream.context())) {
        if (!each.blocking) add(stream, {each.stream});
      }
    } else if (!stream.is_blocking() && stream.context() == current()) {
      add(stream, {CU_STREAM_LEGACY});
    }
  }
  static void add(const stream_ref& waiter, const stream_ref& waited) {
    const private_event end = record_in(waited);
    if (is_complete(end)) return;
    hit();
    wait_in(waiter, end);
  }
  static CUcontext current() {
    CUcontext context = nullptr;
    real().ctx_get_current(&context);
    return context;
  }

  live_streams streams_;
};

/// A stream wait holds back for everything that the recording stream has been given until the wait,
/// not only for what the event captured.
class wide_joins : public careful {
 public:
  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::record)) {
      const std::lock_guard lock(mutex_);
      recorded_in_[op.event] = op.stream;
    }
    if (op.is(operation_kind::wait) && !is_capturing()) {
      stream_ref recorder;
      {
        const std::lock_guard lock(mutex_);
        const auto known = recorded_in_.find(op.event);
        if (known != recorded_in_.end()) recorder = known->second;
      }
      if (recorder.type() == stream_type::created &&
          recorder.context() == op.stream.context()) {
        const private_event end = record_in(recorder);
        if (!is_complete(end)) hit();
        wait_in(op.stream, end);
      }
    }
    return op.forward();
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      std::erase_if(recorded_in_, [&](const auto& each) { return each.second.handle == stream; });
    }
    return forward();
  }

 private:
  std::mutex mutex_;
  std::map<CUevent, stream_ref> recorded_in_;
};

/// Operations that satisfy a condition start late.
class late_start : public careful {
 public:
  late_start(condition which, std::chrono::milliseconds by) : which_(std::move(which)), by_(by) {}

  CUresult enqueue(operation& op) override {
    if (!is_capturing() && which_(op)) {
      slow_down(op.stream, by_);
      hit();
    }
    return op.forward();
  }

 private:
  condition which_;
  const std::chrono::milliseconds by_;
};

/// The first launch of a function synchronizes the context, as lazy loading may.
class first_launch_synchronizes : public careful {
 public:
  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::kernel) && !is_capturing() && is_new(op.function)) {
      hit();
      real().ctx_synchronize();
    }
    return op.forward();
  }

 private:
  bool is_new(CUfunction function) {
    const std::lock_guard lock(mutex_);
    return seen_.insert(function).second;
  }

  std::mutex mutex_;
  std::set<CUfunction> seen_;
};

/// Allocating and freeing synchronize the context.
class allocation_synchronizes : public careful {
 public:
  CUresult allocate(forward_call forward) override {
    synchronize_first();
    return forward();
  }
  CUresult release(void*, forward_call forward) override {
    synchronize_first();
    return forward();
  }

 private:
  void synchronize_first() {
    if (is_capturing() || stream_ref{CU_STREAM_LEGACY}.is_capturing()) return;
    hit();
    real().ctx_synchronize();
  }
};

/// Every seventh call takes 5 ms.
class slow_calls : public behaviour {
 public:
  CUresult admit() override {
    if (calls_.fetch_add(1) % 7 == 6 && !in_host_call()) {
      hit();
      std::this_thread::sleep_for(5ms);
    }
    return CUDA_SUCCESS;
  }

 private:
  std::atomic<unsigned> calls_{0};
};

bool is_work(const operation& op) {
  return !op.is(operation_kind::record) && !op.is(operation_kind::wait);
}

}  // namespace

std::unique_ptr<behaviour> make::legal_one_queue() { return std::make_unique<one_queue>(); }
std::unique_ptr<behaviour> make::legal_enqueue_blocks() {
  return std::make_unique<enqueue_blocks>(is_work);
}
std::unique_ptr<behaviour> make::legal_copies_block() {
  return std::make_unique<enqueue_blocks>(is_copy);
}
std::unique_ptr<behaviour> make::legal_copies_start_late() {
  return std::make_unique<late_start>(is_copy, 20ms);
}
std::unique_ptr<behaviour> make::legal_stream_starts_late() {
  return std::make_unique<late_start>(first_in_stream(), 30ms);
}
std::unique_ptr<behaviour> make::legal_barrier_covers_nonblocking_streams() {
  return std::make_unique<barrier_for_all>();
}
std::unique_ptr<behaviour> make::legal_joins_cover_later_work() {
  return std::make_unique<wide_joins>();
}
std::unique_ptr<behaviour> make::legal_first_launch_synchronizes() {
  return std::make_unique<first_launch_synchronizes>();
}
std::unique_ptr<behaviour> make::legal_allocation_synchronizes() {
  return std::make_unique<allocation_synchronizes>();
}
std::unique_ptr<behaviour> make::legal_slow_calls() { return std::make_unique<slow_calls>(); }

}  // namespace streamcts::faults
