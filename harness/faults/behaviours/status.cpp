// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class I: what host calls and host waits are told about errors.

#include <atomic>
#include <mutex>
#include <set>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/lost_context.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

/// Changes the status of stream callbacks on its way.
class status_changed : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!is_add_callback(op)) return op.forward();
    const stream_key key = op.stream.key();
    wrap_host_call(op, [this, key](host_run& run) {
      const CUresult before = run.status;
      if (!change(key, run)) return hit();
      if (run.status != before) hit();
      run.call();
    });
    return op.forward();
  }

 protected:
  /// @return false where the callback is not to run at all.
  virtual bool change(const stream_key& key, host_run& run) = 0;
};

class always_success : public status_changed {
 protected:
  bool change(const stream_key&, host_run& run) override {
    run.status = CUDA_SUCCESS;
    return true;
  }
};

/// The first callback to be told of an error is the last one.
class error_told_once : public status_changed {
 protected:
  bool change(const stream_key&, host_run& run) override {
    if (run.status != CUDA_SUCCESS && told_.exchange(true)) run.status = CUDA_SUCCESS;
    return true;
  }

 private:
  std::atomic<bool> told_{false};
};

/// Callbacks of other streams than the first to be told of the error are told of success.
class error_of_one_stream : public status_changed {
 protected:
  bool change(const stream_key& key, host_run& run) override {
    if (run.status == CUDA_SUCCESS) return true;
    const std::lock_guard lock(mutex_);
    if (!known_) {
      known_ = true;
      stream_ = key;
    }
    if (stream_ != key) run.status = CUDA_SUCCESS;
    return true;
  }

 private:
  std::mutex mutex_;
  bool known_ = false;
  stream_key stream_;
};

class dropped_after_error : public status_changed {
 protected:
  bool change(const stream_key&, host_run& run) override { return run.status == CUDA_SUCCESS; }
};

/// The first callback of each stream is told that it is not ready.
class first_not_ready : public status_changed {
 protected:
  bool change(const stream_key& key, host_run& run) override {
    const bool first = seen_.with(key, [](bool& seen) { return !std::exchange(seen, true); });
    if (first) run.status = CUDA_ERROR_NOT_READY;
    return true;
  }

 private:
  per_stream<bool> seen_;
};

/// The result of the program's last call of some kind becomes the status of the next callback.
class leaking_status : public status_changed {
 public:
  CUresult enqueue(operation& op) override {
    const CUresult result = status_changed::enqueue(op);
    note(result);
    return result;
  }
  CUresult query(host_wait& w) override {
    const CUresult result = w.forward();
    note(result);
    return result;
  }
  explicit leaking_status(bool (*leaks)(CUresult)) : leaks_(leaks) {}

 protected:
  bool change(const stream_key&, host_run& run) override {
    const CUresult leaked = last_.exchange(CUDA_SUCCESS);
    if (run.status == CUDA_SUCCESS) run.status = leaked;
    return true;
  }

 private:
  void note(CUresult result) {
    if (leaks_(result)) last_ = result;
  }
  bool (*const leaks_)(CUresult);
  std::atomic<CUresult> last_{CUDA_SUCCESS};
};

/// A call that is rejected takes the next host call with it.
class rejected_call_drops_next : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call && rejected_.exchange(false)) {
      wrap_host_call(op, [](host_run&) { hit(); });
      return op.forward();
    }
    const CUresult result = op.forward();
    if (result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_HANDLE) {
      rejected_ = true;
    }
    return result;
  }

 private:
  std::atomic<bool> rejected_{false};
};

/// Host functions are called after an error too: they are enqueued as callbacks.
class functions_after_error : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!is_launch_host_func(op) || op.stream.is_capturing()) return op.forward();
    struct pending {
      CUhostFn function;
      void* user_data;
    };
    auto call = std::make_unique<pending>(pending{op.call->function, op.call->user_data});
    const CUstreamCallback run = [](CUstream, CUresult status, void* data) {
      const std::unique_ptr<pending> mine(static_cast<pending*>(data));
      if (status != CUDA_SUCCESS) hit();
      mine->function(mine->user_data);
    };
    const CUresult result = real().stream_add_callback[op.stream.mode](op.stream.handle, run,
                                                                       call.get(), 0);
    if (result == CUDA_SUCCESS) call.release();
    return result;
  }
};

/// Synchronize calls and queries report an error, or the right error, only the first time.
class error_reported_once : public behaviour {
 public:
  explicit error_reported_once(CUresult afterwards) : afterwards_(afterwards) {}

  CUresult synchronize(host_wait& w) override { return answer(w.forward()); }
  CUresult query(host_wait& w) override { return answer(w.forward()); }

 private:
  CUresult answer(CUresult result) {
    if (!means_lost_context(result) || !reported_.exchange(true)) return result;
    hit();
    return afterwards_;
  }

  const CUresult afterwards_;
  std::atomic<bool> reported_{false};
};

/// Events count as complete after an error.
class events_complete_after_error : public behaviour {
 public:
  CUresult synchronize(host_wait& w) override { return answer(w, w.forward()); }
  CUresult query(host_wait& w) override { return answer(w, w.forward()); }

 private:
  static CUresult answer(const host_wait& w, CUresult result) {
    if (w.of != host_wait::target::event || !means_lost_context(result)) return result;
    hit();
    return CUDA_SUCCESS;
  }
};

bool is_rejection(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_INVALID_HANDLE;
}
bool is_not_ready(CUresult result) { return result == CUDA_ERROR_NOT_READY; }

}  // namespace

std::unique_ptr<behaviour> make::status_is_always_success() {
  return std::make_unique<always_success>();
}
std::unique_ptr<behaviour> make::only_first_callback_is_told_error() {
  return std::make_unique<error_told_once>();
}
std::unique_ptr<behaviour> make::error_stays_in_one_stream() {
  return std::make_unique<error_of_one_stream>();
}
std::unique_ptr<behaviour> make::callback_is_dropped_after_error() {
  return std::make_unique<dropped_after_error>();
}
std::unique_ptr<behaviour> make::first_callback_is_told_not_ready() {
  return std::make_unique<first_not_ready>();
}
std::unique_ptr<behaviour> make::query_result_leaks_into_status() {
  return std::make_unique<leaking_status>(is_not_ready);
}
std::unique_ptr<behaviour> make::rejection_leaks_into_status() {
  return std::make_unique<leaking_status>(is_rejection);
}
std::unique_ptr<behaviour> make::rejected_call_drops_next_callback() {
  return std::make_unique<rejected_call_drops_next>();
}
std::unique_ptr<behaviour> make::host_function_runs_after_error() {
  return std::make_unique<functions_after_error>();
}
std::unique_ptr<behaviour> make::error_is_reported_once() {
  return std::make_unique<error_reported_once>(CUDA_SUCCESS);
}
std::unique_ptr<behaviour> make::error_code_changes() {
  return std::make_unique<error_reported_once>(CUDA_ERROR_UNKNOWN);
}
std::unique_ptr<behaviour> make::event_is_complete_after_error() {
  return std::make_unique<events_complete_after_error>();
}

}  // namespace streamcts::faults
