// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/entry.h"

#include <atomic>

#include "harness/reference/context.h"
#include "harness/reference/host_calls.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"

namespace streamcts::reference {
namespace {

std::atomic<bool> is_initialized{false};

// cuda.h says that a CUDA call inside a stream callback *will* fail with NOT_PERMITTED, and that one
// inside a host function *may*: there it succeeds unless it would have to wait for stream work.
bool permitted_here() {
  switch (inside_host_call()) {
    case host_call_kind::none:
      return true;
    case host_call_kind::callback:
      return false;
    case host_call_kind::function:
      return !active(variant::not_permitted_inside);
  }
  return true;
}

}  // namespace

bool initialized() { return is_initialized.load(std::memory_order_acquire); }
void set_initialized(bool value) { is_initialized = value; }

void before_call() {
  require(initialized(), CUDA_ERROR_NOT_INITIALIZED);
  require(!exiting(), CUDA_ERROR_DEINITIALIZED);  // nothing runs any more: a wait would hang
  require(permitted_here(), CUDA_ERROR_NOT_PERMITTED);
}

void after_call() {
  if (!active(variant::launch_blocking) || inside_host_call() != host_call_kind::none) return;
  driver_lock lock;
  const std::vector<CUcontext>& stack = context_stack();
  if (stack.empty()) return;
  if (const auto c = contexts().find(stack.back())) wait(lock, frontier(lock, *c));
}

}  // namespace streamcts::reference
