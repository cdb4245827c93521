// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/host_call.h"

#include "harness/driver/result.h"

namespace streamcts {

std::string_view name(host_call call) {
  switch (call) {
    case host_call::add_callback: return "add_callback";
    case host_call::launch_host_func: return "launch_host_func";
  }
  return "unknown";
}

void host_call_slot::enqueue(const driver::function_table& cuda, host_call call, CUstream stream) {
  if (call == host_call::add_callback) {
    STREAMCTS_CHECK(cuda.cuStreamAddCallback(stream, &host_call_slot::callback, this, 0));
  } else {
    STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream, &host_call_slot::host_function, this));
  }
}

CUDA_HOST_NODE_PARAMS host_call_slot::as_host_node() {
  CUDA_HOST_NODE_PARAMS made{};  // newer headers add members: zero is their default
  made.fn = &host_call_slot::host_function;
  made.userData = this;
  return made;
}

void CUDA_CB host_call_slot::callback(CUstream stream, CUresult status, void* data) {
  auto* self = static_cast<host_call_slot*>(data);
  if (self->entered_.load(std::memory_order_acquire) == 0) {
    self->stream_ = stream;
    self->status_ = status;
  }
  self->run();
}

void CUDA_CB host_call_slot::host_function(void* data) {
  static_cast<host_call_slot*>(data)->run();
}

void host_call_slot::run() noexcept {
  if (log != nullptr) log->add("host call", label, log_phase::begin);
  if (counts != nullptr) {
    const std::int32_t running = counts->in_flight.fetch_add(1, std::memory_order_acq_rel) + 1;
    const std::uint64_t stamp = counts->sequence.fetch_add(1, std::memory_order_acq_rel);
    if (!begun()) {
      in_flight_ = running;
      begin_stamp_ = stamp;
    }
  }
  const bool first = entered_.fetch_add(1, std::memory_order_acq_rel) == 0;
  // A second, faulty execution only counts: the observations are those of the first.
  if (first) {
    if (at_start) at_start();
    if (hold != nullptr) hold->hold_this_thread();
    if (before_return) before_return();
  }
  if (counts != nullptr) {
    const std::uint64_t stamp = counts->sequence.fetch_add(1, std::memory_order_acq_rel);
    if (first) end_stamp_ = stamp;
    counts->in_flight.fetch_sub(1, std::memory_order_acq_rel);
  }
  if (log != nullptr) log->add("host call", label, log_phase::end);
  if (first) left_.store(1, std::memory_order_release);
}

}  // namespace streamcts
