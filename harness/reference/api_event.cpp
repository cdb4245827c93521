// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events: creation, record, wait, synchronization, timing.

#include "harness/reference/event.h"

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"

using namespace streamcts::reference;

namespace {

// LT-EVENT-001: neither waits nor disturbs what refers to it.
CUresult destroy(CUevent handle) {
  driver_lock lock;
  events().get(handle);
  events().erase(handle);
  return fault();
}

CUresult record_in(default_stream mode, CUevent handle, CUstream stream_handle, unsigned flags) {
  require((flags & ~unsigned{CU_EVENT_RECORD_EXTERNAL}) == 0);
  driver_lock lock;
  const event_ptr e = events().get(handle);
  const stream_ptr s = stream_for_use(lock, stream_handle, mode);
  const bool external = flags == CU_EVENT_RECORD_EXTERNAL;
  if (capture_record(lock, e, *s, external)) return CUDA_SUCCESS;
  require(!external);  // the flag is for captures alone
  record(lock, *e, *s);
  return CUDA_SUCCESS;
}

CUresult elapsed(float* milliseconds, CUevent start, CUevent end) {
  require(milliseconds != nullptr);
  driver_lock lock;
  const event_ptr first = events().get(start), second = events().get(end);
  require(fault() == CUDA_SUCCESS, fault());
  for (const event_ptr& e : {first, second}) {
    require(e->timed() && e->recorded && e->owner.lock() == first->owner.lock(),
            CUDA_ERROR_INVALID_HANDLE);
  }
  for (const event_ptr& e : {first, second}) {
    if (!reported_finished(lock, e->record)) return CUDA_ERROR_NOT_READY;
  }
  *milliseconds = std::chrono::duration<float, std::milli>(second->record->finished_at -
                                                           first->record->finished_at)
                      .count();
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_ENTRY(cuEventCreate, (CUevent * out, unsigned flags), (out, flags)) {
  constexpr unsigned known =
      CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS;
  require(out != nullptr && (flags & ~known) == 0);
  // EV-FLAG-001: an interprocess event has no timing. This driver has no interprocess events.
  const bool interprocess = (flags & CU_EVENT_INTERPROCESS) != 0;
  require(!interprocess || (flags & CU_EVENT_DISABLE_TIMING) != 0);
  require(!interprocess, CUDA_ERROR_NOT_SUPPORTED);
  driver_lock lock;
  auto e = std::make_shared<event>();
  e->owner = current_context(lock);
  e->flags = flags;
  e->handle = *out = events().insert(e);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuEventDestroy, (CUevent handle), (handle)) { return destroy(handle); }
STREAMCTS_ENTRY(cuEventDestroy_v2, (CUevent handle), (handle)) { return destroy(handle); }

STREAMCTS_STREAM_ENTRY(cuEventRecord, _ptsz, (CUevent handle, CUstream in), (handle, in)) {
  return record_in(mode, handle, in, CU_EVENT_RECORD_DEFAULT);
}

STREAMCTS_STREAM_ENTRY(cuEventRecordWithFlags, _ptsz,
                       (CUevent handle, CUstream in, unsigned flags), (handle, in, flags)) {
  return record_in(mode, handle, in, flags);
}

STREAMCTS_STREAM_ENTRY(cuStreamWaitEvent, _ptsz, (CUstream handle, CUevent awaited, unsigned flags),
                       (handle, awaited, flags)) {
  require((flags & ~unsigned{CU_EVENT_WAIT_EXTERNAL}) == 0);
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  const event_ptr e = events().get(awaited);
  const bool external = flags == CU_EVENT_WAIT_EXTERNAL;
  if (capture_wait(lock, s, e, external)) return CUDA_SUCCESS;
  require(!external);
  wait_for_event(lock, *s, *e);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuEventQuery, (CUevent handle), (handle)) {
  driver_lock lock;
  const event_ptr e = events().get(handle);
  require(fault() == CUDA_SUCCESS, fault());
  refuse_captured_event(lock, *e);
  if (!reported_finished(lock, e->record)) return CUDA_ERROR_NOT_READY;
  return fault();
}

STREAMCTS_ENTRY(cuEventSynchronize, (CUevent handle), (handle)) {
  driver_lock lock;
  const event_ptr e = events().get(handle);
  refuse_captured_event(lock, *e);
  wait(lock, e->record);
  const std::shared_ptr<context> c = e->owner.lock();
  if (active(variant::wait_covers_more) && c != nullptr) wait(lock, frontier(lock, *c));
  return fault();
}

STREAMCTS_ENTRY(cuEventElapsedTime, (float* milliseconds, CUevent start, CUevent end),
                (milliseconds, start, end)) {
  return elapsed(milliseconds, start, end);
}

STREAMCTS_ENTRY(cuEventElapsedTime_v2, (float* milliseconds, CUevent start, CUevent end),
                (milliseconds, start, end)) {
  return elapsed(milliseconds, start, end);
}
