// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class E: synchronize calls that return too early and queries that say too much.

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/live_streams.h"
#include "harness/faults/tools/trail.h"

namespace streamcts::faults {
namespace {

using target = host_wait::target;

bool is_unfinished(const host_wait& w) {
  return w.of == target::event ? is_pending(w.event) : is_busy(w.stream);
}

/// Which of the two calls is wrong.
enum class calls { synchronize, query };

/// A stream's synchronize or query ignores the run of certain operations at its end.
class blind_to_trail : public behaviour {
 public:
  blind_to_trail(calls wrong, condition ignored) : wrong_(wrong), trail_(std::move(ignored)) {}

  CUresult enqueue(operation& op) override {
    trail_.follow(op);
    return op.forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (wrong_ != calls::synchronize || w.of != target::stream) return w.forward();
    const trail::run run = trail_.at_end_of(w.stream);
    if (run.length == 0 || !run.start) return w.forward();
    if (is_busy(w.stream)) hit();
    return real().event_synchronize(run.start.get());
  }
  CUresult query(host_wait& w) override {
    if (wrong_ != calls::query || w.of != target::stream) return w.forward();
    const CUresult truth = w.forward();
    const trail::run run = trail_.at_end_of(w.stream);
    if (truth != CUDA_ERROR_NOT_READY || run.length == 0 || !is_complete(run.start)) return truth;
    hit();
    return CUDA_SUCCESS;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    trail_.forget(stream_ref{stream}.key());
    return forward();
  }

 private:
  const calls wrong_;
  trail trail_;
};

/// Calls on one kind of target return at once, or say that it is complete.
class always_complete : public behaviour {
 public:
  always_complete(calls wrong, target of) : wrong_(wrong), of_(of) {}

  CUresult synchronize(host_wait& w) override {
    return wrong_ == calls::synchronize ? answer(w) : w.forward();
  }
  CUresult query(host_wait& w) override {
    return wrong_ == calls::query ? answer(w) : w.forward();
  }

 protected:
  virtual bool applies(const host_wait&) { return true; }

 private:
  CUresult answer(host_wait& w) {
    if (w.of != of_ || !applies(w)) return w.forward();
    if (is_unfinished(w)) hit();
    return CUDA_SUCCESS;
  }

  const calls wrong_;
  const target of_;
};

/// Stream synchronize returns at once on a thread that was not the last to use the stream.
class other_thread_not_held : public always_complete {
 public:
  other_thread_not_held() : always_complete(calls::synchronize, target::stream) {}

  CUresult enqueue(operation& op) override {
    threads_.with(op.stream.key(), [](std::uint64_t& thread) { thread = thread_number(); });
    return op.forward();
  }

 protected:
  bool applies(const host_wait& w) override {
    return threads_.with(w.stream.key(), [](std::uint64_t& thread) {
      return thread != 0 && thread != thread_number();
    });
  }

 private:
  per_stream<std::uint64_t> threads_;
};

/// Every hundredth stream synchronize of the process returns at once.
class hundredth_not_held : public always_complete {
 public:
  hundredth_not_held() : always_complete(calls::synchronize, target::stream) {}

 protected:
  bool applies(const host_wait&) override { return calls_.fetch_add(1) % 100 == 99; }

 private:
  std::atomic<unsigned> calls_{0};
};

/// The second synchronize of each stream returns at once.
class second_synchronize_not_held : public always_complete {
 public:
  second_synchronize_not_held() : always_complete(calls::synchronize, target::stream) {}

  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    counts_.forget(stream_ref{stream}.key());
    return forward();
  }

 protected:
  bool applies(const host_wait& w) override {
    return counts_.with(w.stream.key(), [](unsigned& count) { return ++count == 2; });
  }

 private:
  per_stream<unsigned> counts_;
};

/// Context synchronize done stream by stream, over those that it remembers.
class remembered_streams_only : public behaviour {
 public:
  using test = std::function<bool(const live_streams::facts&)>;
  explicit remembered_streams_only(test covered) : covered_(std::move(covered)) {}

  CUresult create_stream(CUstream* stream, unsigned, int, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) streams_.created(*stream);
    return result;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    streams_.destroyed(stream);
    return forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of != target::context || w.context != nullptr) return w.forward();
    CUcontext context = nullptr;
    real().ctx_get_current(&context);
    // An event in the legacy stream covers that stream and every blocking one.
    CUresult result = await({CU_STREAM_LEGACY});
    for (const live_streams::facts& each : streams_.of_context(context)) {
      if (result != CUDA_SUCCESS) return result;
      if (!each.blocking && covered_(each)) result = await({each.stream});
    }
    if (is_anything_left()) hit();
    return result;
  }
  CUresult enqueue(operation& op) override {
    const CUresult result = op.forward();
    // A blocking stream that was destroyed with work pending may be left out by the barrier too.
    if (!op.stream.is_legacy()) {
      private_event end = record_in(op.stream);
      const std::lock_guard lock(mutex_);
      ends_[op.stream.key()] = std::move(end);
    }
    return result;
  }

 private:
  static CUresult await(const stream_ref& stream) {
    const private_event end = record_in(stream);
    return end ? real().event_synchronize(end.get()) : CUDA_SUCCESS;
  }
  bool is_anything_left() {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, end] : ends_) {
      if (!is_complete(end)) return true;
    }
    return false;
  }

  test covered_;
  live_streams streams_;
  std::mutex mutex_;
  std::map<stream_key, private_event> ends_;
};

/// Context synchronize waits for device work alone: the host calls at the end of each stream are
/// left out.
class context_without_calls : public behaviour {
 public:
  CUresult create_stream(CUstream* stream, unsigned, int, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS) streams_.created(*stream);
    return result;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    calls_.forget(stream_ref{stream}.key());
    streams_.destroyed(stream);
    return forward();
  }
  CUresult enqueue(operation& op) override {
    calls_.follow(op);
    if (op.stream.type() != stream_type::created) default_used_ = true;
    return op.forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of != target::context || w.context != nullptr) return w.forward();
    CUcontext context = nullptr;
    real().ctx_get_current(&context);
    bool left_out = false;
    for (const live_streams::facts& each : streams_.of_context(context)) {
      const CUresult result = await({each.stream}, &left_out);
      if (result != CUDA_SUCCESS) return result;
    }
    // Recording in the legacy stream would wait for the host calls of every blocking stream.
    if (default_used_ && !left_out) {
      const CUresult result = await({CU_STREAM_LEGACY}, &left_out);
      if (result != CUDA_SUCCESS) return result;
    }
    if (!left_out) return w.forward();
    hit();
    return CUDA_SUCCESS;
  }

 private:
  CUresult await(const stream_ref& stream, bool* left_out) {
    const trail::run run = calls_.at_end_of(stream);
    if (run.length > 0 && is_busy(stream)) *left_out = true;
    const private_event end = run.length > 0 ? run.start : record_in(stream);
    return end ? real().event_synchronize(end.get()) : CUDA_SUCCESS;
  }

  trail calls_{is_host_call};
  live_streams streams_;
  std::atomic<bool> default_used_{false};
};

}  // namespace

std::unique_ptr<behaviour> make::stream_sync_ignores_callbacks() {
  return std::make_unique<blind_to_trail>(calls::synchronize, is_host_call);
}
std::unique_ptr<behaviour> make::stream_sync_ignores_host_functions() {
  return std::make_unique<blind_to_trail>(calls::synchronize, is_launch_host_func);
}
std::unique_ptr<behaviour> make::stream_sync_ignores_joins() {
  return std::make_unique<blind_to_trail>(calls::synchronize, is_wait);
}
std::unique_ptr<behaviour> make::stream_sync_ignores_last_kernels() {
  return std::make_unique<blind_to_trail>(calls::synchronize, is_kernel);
}
std::unique_ptr<behaviour> make::stream_query_ignores_callbacks() {
  return std::make_unique<blind_to_trail>(calls::query, is_host_call);
}
std::unique_ptr<behaviour> make::stream_query_ignores_joins() {
  return std::make_unique<blind_to_trail>(calls::query, is_wait);
}
std::unique_ptr<behaviour> make::stream_query_ignores_last_kernels() {
  return std::make_unique<blind_to_trail>(calls::query, is_kernel);
}
std::unique_ptr<behaviour> make::stream_sync_returns_at_once() {
  return std::make_unique<always_complete>(calls::synchronize, target::stream);
}
std::unique_ptr<behaviour> make::event_sync_returns_at_once() {
  return std::make_unique<always_complete>(calls::synchronize, target::event);
}
std::unique_ptr<behaviour> make::stream_query_succeeds_at_once() {
  return std::make_unique<always_complete>(calls::query, target::stream);
}
std::unique_ptr<behaviour> make::event_query_succeeds_at_once() {
  return std::make_unique<always_complete>(calls::query, target::event);
}
std::unique_ptr<behaviour> make::stream_sync_of_another_thread_returns_at_once() {
  return std::make_unique<other_thread_not_held>();
}
std::unique_ptr<behaviour> make::hundredth_stream_sync_returns_at_once() {
  return std::make_unique<hundredth_not_held>();
}
std::unique_ptr<behaviour> make::second_stream_sync_returns_at_once() {
  return std::make_unique<second_synchronize_not_held>();
}
std::unique_ptr<behaviour> make::context_sync_skips_nonblocking_streams() {
  return std::make_unique<remembered_streams_only>(
      [](const live_streams::facts&) { return false; });
}
std::unique_ptr<behaviour> make::context_sync_skips_destroyed_streams() {
  return std::make_unique<remembered_streams_only>(
      [](const live_streams::facts&) { return true; });
}
std::unique_ptr<behaviour> make::context_sync_skips_streams_of_other_threads() {
  return std::make_unique<remembered_streams_only>(
      [](const live_streams::facts& f) { return f.thread == thread_number(); });
}
std::unique_ptr<behaviour> make::context_sync_ignores_callbacks() {
  return std::make_unique<context_without_calls>();
}

}  // namespace streamcts::faults
