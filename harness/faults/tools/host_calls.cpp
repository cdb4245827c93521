// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/host_calls.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

namespace streamcts::faults {
namespace {

struct wrapped {
  host_run run;
  std::function<void(host_run&)> around;
  bool keeps_handle = false;
};

/// Those that the driver has not called yet. Some it never calls (host functions after an error);
/// being listed here they are not leaks.
struct waiting_calls {
  std::mutex mutex;
  std::set<wrapped*> calls;
};
waiting_calls& waiting() {
  static waiting_calls& all = *new waiting_calls;
  return all;
}

thread_local int depth = 0;

void run_wrapped(wrapped* raw) {
  {
    const std::lock_guard lock(waiting().mutex);
    waiting().calls.erase(raw);
  }
  const std::unique_ptr<wrapped> owned(raw);
  ++depth;
  owned->around(owned->run);
  --depth;
}

void as_callback(CUstream stream, CUresult status, void* user_data) {
  auto* call = static_cast<wrapped*>(user_data);
  if (!call->keeps_handle) call->run.shown = stream;
  call->run.status = status;
  run_wrapped(call);
}

void as_function(void* user_data) { run_wrapped(static_cast<wrapped*>(user_data)); }

wrapped* listed(std::unique_ptr<wrapped> call) {
  const std::lock_guard lock(waiting().mutex);
  waiting().calls.insert(call.get());
  return call.release();
}

}  // namespace

void host_run::call() const {
  if (original.api == host_call::form::add_callback) {
    original.callback(shown, status, original.user_data);
  } else {
    original.function(original.user_data);
  }
}

void wrap_host_call(operation& op, std::function<void(host_run&)> around) {
  auto call = std::make_unique<wrapped>();
  call->run.original = *op.call;
  call->around = std::move(around);
  op.call->user_data = listed(std::move(call));
  op.call->callback = &as_callback;
  op.call->function = &as_function;
}

void show_stream(operation& op, CUstream handle) {
  if (op.call->api != host_call::form::add_callback) return;
  wrap_host_call(op, [](host_run& run) { run.call(); });
  auto* call = static_cast<wrapped*>(op.call->user_data);
  call->run.shown = handle;
  call->keeps_handle = true;
}

bool run_for_at_most(const host_run& run, std::chrono::milliseconds limit) {
  struct shared {
    std::mutex mutex;
    std::condition_variable changed;
    bool returned = false;
  };
  const auto state = std::make_shared<shared>();
  std::thread([state, run] {
    run.call();
    const std::lock_guard lock(state->mutex);
    state->returned = true;
    state->changed.notify_one();
  }).detach();
  std::unique_lock lock(state->mutex);
  return state->changed.wait_for(lock, limit, [&] { return state->returned; });
}

bool in_host_call() { return depth > 0; }

}  // namespace streamcts::faults
