// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream callbacks and host functions.

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/host_calls.h"
#include "harness/reference/operations.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"

using namespace streamcts::reference;

namespace {

// CB-THREAD-001 allows the enqueuing thread to run the call itself, once the work in front is done.
void perform_inline(driver_lock& lock, stream& s, const host_operation& o) {
  require(inside_host_call() == host_call_kind::none, CUDA_ERROR_NOT_PERMITTED);
  const item_ptr item =
      make_item(lock, s.owner.lock(), executor::caller, [o] { run_host_call(o); });
  enqueue(lock, s, item);
  claim(lock, item);
}

CUresult enqueue_host_call(driver_lock& lock, stream& s, const host_operation& o) {
  if (active(variant::inline_host_calls) && s.capture == nullptr) {
    perform_inline(lock, s, o);
  } else {
    perform(lock, s, o);
  }
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuStreamAddCallback, _ptsz,
                       (CUstream handle, CUstreamCallback callback, void* data, unsigned flags),
                       (handle, callback, data, flags)) {
  require(callback != nullptr && flags == 0);
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  refuse_uncapturable(lock, *s);
  return enqueue_host_call(lock, *s, {.callback = callback, .stream = handle, .data = data});
}

STREAMCTS_STREAM_ENTRY(cuLaunchHostFunc, _ptsz, (CUstream handle, CUhostFn function, void* data),
                       (handle, function, data)) {
  require(function != nullptr);
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  return enqueue_host_call(lock, *s, {.function = function, .data = data});
}
