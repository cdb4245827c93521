// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams: creation, destruction, synchronization, queries of properties.

#include <algorithm>

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"

using namespace streamcts::reference;

namespace {

CUresult create(CUstream* out, unsigned flags, int priority) {
  require(out != nullptr && (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) == 0);
  driver_lock lock;
  *out = create_stream(lock, current_context(lock), stream_kind::created, flags, priority)->handle;
  return CUDA_SUCCESS;
}

// LT-STREAM-001: what is enqueued still runs. A synchronization of the context covers it too.
CUresult destroy(CUstream handle) {
  driver_lock lock;
  const stream_ptr s = streams().get(handle);
  if (active(variant::wait_covers_more)) wait(lock, synchronized_by(lock, *s));
  end_capture_of_destroyed_stream(lock, *s);
  const std::shared_ptr<context> c = s->owner.lock();
  streams().erase(handle);
  std::erase(c->streams, s);
  if (s->last != nullptr && !s->last->finished) c->orphans.push_back(s->last);
  return fault();
}

}  // namespace

STREAMCTS_ENTRY(cuStreamCreate, (CUstream * out, unsigned flags), (out, flags)) {
  return create(out, flags, least_priority);
}

STREAMCTS_ENTRY(cuStreamCreateWithPriority, (CUstream * out, unsigned flags, int priority),
                (out, flags, priority)) {
  return create(out, flags, priority);
}

STREAMCTS_ENTRY(cuStreamDestroy, (CUstream handle), (handle)) { return destroy(handle); }
STREAMCTS_ENTRY(cuStreamDestroy_v2, (CUstream handle), (handle)) { return destroy(handle); }

STREAMCTS_STREAM_ENTRY(cuStreamQuery, _ptsz, (CUstream handle), (handle)) {
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  refuse_synchronization_during_capture(lock, *s);
  for (const item_ptr& item : queried_by(lock, *s)) {
    if (!reported_finished(lock, item)) return CUDA_ERROR_NOT_READY;
  }
  return fault();
}

// Waits even after a fault, until what was enqueued has been abandoned, and then tells.
STREAMCTS_STREAM_ENTRY(cuStreamSynchronize, _ptsz, (CUstream handle), (handle)) {
  driver_lock lock;
  const stream_ptr s = find_stream(lock, handle, mode);
  refuse_legacy_use_during_capture(lock, *s);
  refuse_synchronization_during_capture(lock, *s);
  wait(lock, synchronized_by(lock, *s));
  return fault();
}

STREAMCTS_STREAM_ENTRY(cuStreamGetPriority, _ptsz, (CUstream handle, int* priority),
                       (handle, priority)) {
  require(priority != nullptr);
  driver_lock lock;
  *priority = find_stream(lock, handle, mode)->priority;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamGetFlags, _ptsz, (CUstream handle, unsigned* flags),
                       (handle, flags)) {
  require(flags != nullptr);
  driver_lock lock;
  *flags = find_stream(lock, handle, mode)->flags;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamGetId, _ptsz, (CUstream handle, unsigned long long* id),
                       (handle, id)) {
  require(id != nullptr);
  driver_lock lock;
  *id = find_stream(lock, handle, mode)->id;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamGetDevice, _ptsz, (CUstream handle, CUdevice* device),
                       (handle, device)) {
  require(device != nullptr);
  driver_lock lock;
  *device = find_stream(lock, handle, mode)->owner.lock()->device;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamGetCtx, _ptsz, (CUstream handle, CUcontext* out), (handle, out)) {
  require(out != nullptr);
  driver_lock lock;
  *out = find_stream(lock, handle, mode)->owner.lock()->handle;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamGetCtx_v2, _ptsz,
                       (CUstream handle, CUcontext* out, CUgreenCtx* green), (handle, out, green)) {
  require(out != nullptr);
  driver_lock lock;
  *out = find_stream(lock, handle, mode)->owner.lock()->handle;
  if (green != nullptr) *green = nullptr;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamGetAttribute, _ptsz,
                       (CUstream handle, CUstreamAttrID attribute, CUstreamAttrValue* value),
                       (handle, attribute, value)) {
  require(value != nullptr);
  driver_lock lock;
  const stream_ptr s = find_stream(lock, handle, mode);
  if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
    value->syncPolicy = s->sync_policy;
  } else if (attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
    value->accessPolicyWindow = s->access_window;
  } else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
    value->priority = s->priority;
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamSetAttribute, _ptsz,
                       (CUstream handle, CUstreamAttrID attribute, const CUstreamAttrValue* value),
                       (handle, attribute, value)) {
  require(value != nullptr);
  driver_lock lock;
  const stream_ptr s = find_stream(lock, handle, mode);
  if (attribute == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) {
    s->sync_policy = value->syncPolicy;
  } else if (attribute == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW) {
    s->access_window = value->accessPolicyWindow;
  } else if (attribute == CU_LAUNCH_ATTRIBUTE_PRIORITY) {
    s->priority = std::clamp(value->priority, greatest_priority, least_priority);
  } else {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamCopyAttributes, _ptsz, (CUstream to, CUstream from), (to, from)) {
  driver_lock lock;
  const stream_ptr target = find_stream(lock, to, mode), source = find_stream(lock, from, mode);
  target->sync_policy = source->sync_policy;
  target->access_window = source->access_window;
  return CUDA_SUCCESS;
}
