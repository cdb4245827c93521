// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Legal oddities of host calls and host waits.

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

using target = host_wait::target;

/// Host calls run in some other way.
class calls_run : public behaviour {
 public:
  explicit calls_run(std::function<void(host_run&)> how) : how_(std::move(how)) {}

  CUresult enqueue(operation& op) override {
    if (op.call) {
      wrap_host_call(op, [this](host_run& run) {
        hit();
        how_(run);
      });
    }
    return op.forward();
  }

 private:
  std::function<void(host_run&)> how_;
};

void on_fresh_thread(host_run& run) {
  std::thread([&] { run.call(); }).join();
}

/// One at a time in the whole process.
void one_at_a_time(host_run& run) {
  static std::mutex& turn = *new std::mutex;
  const std::lock_guard lock(turn);
  run.call();
}

/// After 0 to 8 ms, so that calls of different streams change places.
void after_a_while(host_run& run) {
  static std::atomic<std::uint64_t> state{0x9E3779B97F4A7C15};
  std::uint64_t x = state.fetch_add(0x9E3779B97F4A7C15);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  std::this_thread::sleep_for(std::chrono::microseconds((x >> 40) % 8000));
  run.call();
}

/// Host calls start 50 ms late, except where one follows another of its stream at once.
class late_calls : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.call) return op.forward();
    wrap_host_call(op, [this, key = op.stream.key()](host_run& run) {
      const auto last = ends_.with(key, [](steady_clock::time_point& end) { return end; });
      if (steady_clock::now() - last > 2ms) {
        hit();
        std::this_thread::sleep_for(50ms);
      }
      run.call();
      ends_.with(key, [](steady_clock::time_point& end) { end = steady_clock::now(); });
    });
    return op.forward();
  }

 private:
  per_stream<steady_clock::time_point> ends_;
};

/// Adding a host call waits for everything in front of it and runs it inline. Meanwhile a
/// placeholder keeps the stream busy, as the call itself would.
class inline_calls : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.call) return op.forward();
    const private_event before = record_in(op.stream);
    if (!before) return op.forward();
    auto state = std::make_shared<place>();
    const host_call original = *op.call;
    wrap_host_call(op, [state](host_run& run) {
      std::unique_lock lock(state->mutex);
      state->status = run.status;
      state->reached = true;
      state->changed.notify_all();
      state->changed.wait(lock, [&] { return state->returned; });
    });
    const CUresult result = op.forward();
    if (result != CUDA_SUCCESS) return result;
    hit();
    run_inline(op, original, *state, real().event_synchronize(before.get()));
    return result;
  }

 private:
  struct place {
    std::mutex mutex;
    std::condition_variable changed;
    CUresult status = CUDA_SUCCESS;
    bool reached = false;
    bool returned = false;
  };

  /// Waits for the placeholder, unless the context fails meanwhile.
  static bool is_reached(const operation& op, place& state) {
    std::unique_lock lock(state.mutex);
    while (!state.changed.wait_for(lock, 20ms, [&] { return state.reached; })) {
      const capture_exemption exempt;
      const CUresult now = real().stream_query[op.stream.mode](op.stream.handle);
      if (now != CUDA_SUCCESS && now != CUDA_ERROR_NOT_READY && !is_add_callback(op)) return false;
    }
    return true;
  }

  /// After an error a host function's placeholder is never reached, and the function not called.
  static void run_inline(const operation& op, const host_call& original, place& state,
                         CUresult in_front) {
    if ((in_front == CUDA_SUCCESS || is_add_callback(op)) && is_reached(op, state)) {
      host_run run;
      run.original = original;
      run.shown = op.stream.handle;
      {
        const std::lock_guard lock(state.mutex);
        run.status = state.status;
      }
      run.call();
    }
    const std::lock_guard lock(state.mutex);
    state.returned = true;
    state.changed.notify_all();
  }
};

/// Any call made while a host call runs waits until it has returned, but not for ever.
class calls_exclude : public behaviour {
 public:
  CUresult admit() override {
    if (in_host_call()) return CUDA_SUCCESS;
    std::unique_lock lock(mutex_);
    if (running_ > 0) hit();
    idle_.wait_for(lock, 100ms, [&] { return running_ == 0; });
    return CUDA_SUCCESS;
  }
  CUresult enqueue(operation& op) override {
    if (op.call) {
      wrap_host_call(op, [this](host_run& run) {
        change(+1);
        run.call();
        change(-1);
      });
    }
    return op.forward();
  }

 private:
  void change(int by) {
    const std::lock_guard lock(mutex_);
    running_ += by;
    idle_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
};

/// CUDA calls from inside a host call are refused.
class calls_refused_inside : public calls_run {
 public:
  calls_refused_inside() : calls_run([](host_run& run) { run.call(); }) {}
  CUresult admit() override { return in_host_call() ? CUDA_ERROR_NOT_PERMITTED : CUDA_SUCCESS; }
};

/// For 30 ms after it was first seen complete, a stream or event still says that it is not ready.
class reluctant_queries : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    {
      const stream_key key = op.stream.key();
      const std::lock_guard lock(mutex_);
      streams_.erase(key);
      if (op.is(operation_kind::record)) {
        recorded_.insert(op.event);
        events_.erase(op.event);
      }
    }
    return op.forward();
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      recorded_.erase(event);
      events_.erase(event);
    }
    return forward();
  }
  CUresult query(host_wait& w) override {
    const CUresult result = w.forward();
    if (result != CUDA_SUCCESS) return result;
    const auto now = steady_clock::now();
    if (now - first_seen(w, now) > 30ms) return result;
    hit();
    return CUDA_ERROR_NOT_READY;
  }

 private:
  /// An event that was never recorded is complete since long.
  steady_clock::time_point first_seen(const host_wait& w, steady_clock::time_point now) {
    const stream_key key = w.of == target::stream ? w.stream.key() : stream_key{};
    const std::lock_guard lock(mutex_);
    if (w.of == target::stream) return streams_.try_emplace(key, now).first->second;
    if (recorded_.count(w.event) == 0) return {};
    return events_.try_emplace(w.event, now).first->second;
  }

  std::mutex mutex_;
  std::map<stream_key, steady_clock::time_point> streams_;
  std::map<CUevent, steady_clock::time_point> events_;
  std::set<CUevent> recorded_;
};

/// A host wait for a stream or an event waits for the whole context.
class wide_waits : public behaviour {
 public:
  CUresult synchronize(host_wait& w) override {
    if (w.of != target::context && !stream_ref{CU_STREAM_LEGACY}.is_capturing()) {
      hit();
      real().ctx_synchronize();
    }
    return w.forward();
  }
};

/// A host wait asks again and again, and sleeps in between.
class polling_waits : public behaviour {
 public:
  CUresult synchronize(host_wait& w) override {
    const capture_exemption exempt;
    while (w.of != target::context) {
      const CUresult state = w.of == target::event
                                 ? real().event_query(w.event)
                                 : real().stream_query[w.stream.mode](w.stream.handle);
      if (state != CUDA_ERROR_NOT_READY) break;
      hit();
      std::this_thread::sleep_for(2ms);
    }
    return w.forward();
  }
};

/// Destroying a stream or an event waits for what is pending in it.
class blocking_destroy : public behaviour {
 public:
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    if (!stream_ref{stream}.is_capturing()) {
      hit();
      real().stream_synchronize[stream_mode::legacy](stream);
    }
    return forward();
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    if (is_pending(event)) {
      hit();
      real().event_synchronize(event);
    }
    return forward();
  }
};

std::unique_ptr<behaviour> runs(std::function<void(host_run&)> how) {
  return std::make_unique<calls_run>(std::move(how));
}

}  // namespace

std::unique_ptr<behaviour> make::legal_fresh_thread_per_callback() {
  return runs(on_fresh_thread);
}
std::unique_ptr<behaviour> make::legal_callbacks_one_at_a_time() { return runs(one_at_a_time); }
std::unique_ptr<behaviour> make::legal_callbacks_in_any_order() { return runs(after_a_while); }
std::unique_ptr<behaviour> make::legal_late_callbacks() {
  return std::make_unique<late_calls>();
}
std::unique_ptr<behaviour> make::legal_inline_callbacks() {
  return std::make_unique<inline_calls>();
}
std::unique_ptr<behaviour> make::legal_calls_wait_for_callbacks() {
  return std::make_unique<calls_exclude>();
}
std::unique_ptr<behaviour> make::legal_calls_in_callbacks_are_refused() {
  return std::make_unique<calls_refused_inside>();
}
std::unique_ptr<behaviour> make::legal_reluctant_queries() {
  return std::make_unique<reluctant_queries>();
}
std::unique_ptr<behaviour> make::legal_waits_cover_the_context() {
  return std::make_unique<wide_waits>();
}
std::unique_ptr<behaviour> make::legal_polling_waits() {
  return std::make_unique<polling_waits>();
}
std::unique_ptr<behaviour> make::legal_blocking_destroy() {
  return std::make_unique<blocking_destroy>();
}

}  // namespace streamcts::faults
