// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class H: how often host calls run and what they are told.

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/pending_calls.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

/// Host calls that satisfy a condition are handled in some way on the driver's thread.
class handled : public behaviour {
 public:
  handled(condition which, void (*handle)(host_run&)) : which_(std::move(which)), handle_(handle) {}

  CUresult enqueue(operation& op) override {
    if (op.call && which_(op)) wrap_host_call(op, handle_);
    return op.forward();
  }

 private:
  condition which_;
  void (*handle_)(host_run&);
};

void lost(host_run&) { hit(); }
void twice(host_run& run) {
  hit();
  run.call();
  run.call();
}

/// A host call added to a stream that is idle is lost.
class lost_in_idle_stream : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.call || !is_complete(record_in(op.stream))) return op.forward();
    hit();
    return CUDA_SUCCESS;
  }
};

/// With more than 64 host calls pending, further ones are lost.
class lost_beyond_64 : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call && pending_.count() >= 64) {
      hit();
      return CUDA_SUCCESS;
    }
    pending_.follow(op);
    return op.forward();
  }

 private:
  pending_calls pending_;
};

/// Destroying a stream drops its host calls that have not begun.
class lost_with_stream : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.call || op.stream.type() != stream_type::created) return op.forward();
    const auto destroyed = flags_.with(op.stream.key(), [](flag& f) {
      if (!f) f = std::make_shared<std::atomic<bool>>(false);
      return f;
    });
    wrap_host_call(op, [destroyed](host_run& run) { *destroyed ? hit() : run.call(); });
    return op.forward();
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    const stream_key key = stream_ref{stream}.key();
    flags_.with(key, [](flag& f) {
      if (f) *f = true;
    });
    flags_.forget(key);
    return forward();
  }

 private:
  using flag = std::shared_ptr<std::atomic<bool>>;
  per_stream<flag> flags_;
};

/// A host call is lost when the thread that added it has ended before it begins.
class lost_with_thread : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    struct owner {
      std::shared_ptr<std::atomic<bool>> ended = std::make_shared<std::atomic<bool>>(false);
      ~owner() { *ended = true; }
    };
    thread_local const owner mine;
    if (op.call) {
      wrap_host_call(op,
                     [ended = mine.ended](host_run& run) { *ended ? hit() : run.call(); });
    }
    return op.forward();
  }
};

/// A stream callback is told another handle than the one that it was added with.
class other_handle : public behaviour {
 public:
  using mapping = CUstream (*)(const stream_ref&);
  explicit other_handle(mapping handle) : handle_(handle) {}

  CUresult enqueue(operation& op) override {
    if (!is_add_callback(op)) return op.forward();
    const CUstream shown = handle_(op.stream);
    wrap_host_call(op, [shown, told = op.stream.handle](host_run& run) {
      if (shown != told) hit();
      run.shown = shown;
      run.call();
    });
    return op.forward();
  }

 private:
  const mapping handle_;
};

CUstream handle_of_private_stream(const stream_ref& stream) {
  const CUstream side = stream.type() == stream_type::created ? side_stream(stream) : nullptr;
  return side ? side : stream.handle;
}

std::unique_ptr<behaviour> handles(condition which, void (*handle)(host_run&)) {
  return std::make_unique<handled>(std::move(which), handle);
}

}  // namespace

std::unique_ptr<behaviour> make::callback_runs_twice() { return handles(is_add_callback, twice); }
std::unique_ptr<behaviour> make::host_function_runs_twice() {
  return handles(is_launch_host_func, twice);
}
std::unique_ptr<behaviour> make::third_callback_of_stream_runs_twice() {
  return handles(all_of(is_host_call, from_nth_in_stream(3)), twice);
}
std::unique_ptr<behaviour> make::third_callback_is_lost() {
  return handles(all_of(is_add_callback, every_nth(3)), lost);
}
std::unique_ptr<behaviour> make::third_host_function_is_lost() {
  return handles(all_of(is_launch_host_func, every_nth(3)), lost);
}
std::unique_ptr<behaviour> make::hundredth_callback_is_lost() {
  return handles(all_of(is_host_call, every_nth(100)), lost);
}
std::unique_ptr<behaviour> make::callback_in_idle_stream_is_lost() {
  return std::make_unique<lost_in_idle_stream>();
}
std::unique_ptr<behaviour> make::callback_beyond_64_pending_is_lost() {
  return std::make_unique<lost_beyond_64>();
}
std::unique_ptr<behaviour> make::callback_is_lost_with_its_stream() {
  return std::make_unique<lost_with_stream>();
}
std::unique_ptr<behaviour> make::callback_is_lost_with_its_thread() {
  return std::make_unique<lost_with_thread>();
}
std::unique_ptr<behaviour> make::callback_told_private_stream() {
  return std::make_unique<other_handle>(handle_of_private_stream);
}
std::unique_ptr<behaviour> make::callback_told_resolved_default_stream() {
  return std::make_unique<other_handle>(
      [](const stream_ref& stream) { return stream.explicit_handle(); });
}

}  // namespace streamcts::faults
