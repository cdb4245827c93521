// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What concerns whole contexts: copies between two of them, and events of all their streams.

#include <set>

#include "harness/reference/capture.h"
#include "harness/reference/copy_description.h"
#include "harness/reference/entry.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/transfer.h"

using namespace streamcts::reference;

namespace {

// MD-PEER-002: behind all work of the contexts involved, and in front of all their later work.
CUresult copy_and_serialize(default_stream mode, CUcontext to, CUcontext from,
                            const copy_operation& o) {
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, nullptr, mode);
  require(s->capture == nullptr, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  const item_ptr item = make_item(lock, s->owner.lock(), operation{o});
  const std::set<std::shared_ptr<context>> involved{
      s->owner.lock(), contexts().get(to, CUDA_ERROR_INVALID_CONTEXT),
      contexts().get(from, CUDA_ERROR_INVALID_CONTEXT)};
  for (const auto& c : involved) {
    for (const item_ptr& earlier : frontier(lock, *c)) order(lock, earlier, item);
    order(lock, c->barrier, item);
    c->barrier = item;
  }
  s->last = item;
  s->last_action = item;
  submit(lock, item);
  return CUDA_SUCCESS;
}

copy_operation bytes(CUdeviceptr to, CUdeviceptr from, size_t n) {
  copy_operation o;
  o.to = device_place(to, n).address;
  o.from = device_place(from, n).address;
  o.width = n;
  return o;
}

described_copy box(const CUDA_MEMCPY3D_PEER* p) {
  require(p != nullptr);
  CUDA_MEMCPY3D d{};
  d.srcXInBytes = p->srcXInBytes;
  d.srcY = p->srcY;
  d.srcZ = p->srcZ;
  d.srcMemoryType = p->srcMemoryType;
  d.srcHost = p->srcHost;
  d.srcDevice = p->srcDevice;
  d.srcPitch = p->srcPitch;
  d.srcHeight = p->srcHeight;
  d.dstXInBytes = p->dstXInBytes;
  d.dstY = p->dstY;
  d.dstZ = p->dstZ;
  d.dstMemoryType = p->dstMemoryType;
  d.dstHost = p->dstHost;
  d.dstDevice = p->dstDevice;
  d.dstPitch = p->dstPitch;
  d.dstHeight = p->dstHeight;
  d.WidthInBytes = p->WidthInBytes;
  d.Height = p->Height;
  d.Depth = p->Depth;
  return describe(d);
}

void require_contexts(CUcontext a, CUcontext b) {
  driver_lock lock;
  contexts().get(a, CUDA_ERROR_INVALID_CONTEXT);
  contexts().get(b, CUDA_ERROR_INVALID_CONTEXT);
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuMemcpyPeer, _ptds,
                       (CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                        CUcontext from_context, size_t n),
                       (to, to_context, from, from_context, n)) {
  return copy_and_serialize(mode, to_context, from_context, bytes(to, from, n));
}

STREAMCTS_STREAM_ENTRY(cuMemcpyPeerAsync, _ptsz,
                       (CUdeviceptr to, CUcontext to_context, CUdeviceptr from,
                        CUcontext from_context, size_t n, CUstream s),
                       (to, to_context, from, from_context, n, s)) {
  require_contexts(to_context, from_context);
  return transfer_bytes(mode, s, call_form::asynchronous, device_place(from, n),
                        device_place(to, n), n);
}

STREAMCTS_STREAM_ENTRY(cuMemcpy3DPeer, _ptds, (const CUDA_MEMCPY3D_PEER* p), (p)) {
  const described_copy c = box(p);
  return copy_and_serialize(mode, p->dstContext, p->srcContext, c.operation);
}

STREAMCTS_STREAM_ENTRY(cuMemcpy3DPeerAsync, _ptsz, (const CUDA_MEMCPY3D_PEER* p, CUstream s),
                       (p, s)) {
  const described_copy c = box(p);
  require_contexts(p->dstContext, p->srcContext);
  return transfer(mode, s, call_form::asynchronous, c.from, c.to, c.operation);
}

// GC-002: captures all work of the context. A capture in the context does not survive it.
STREAMCTS_ENTRY(cuCtxRecordEvent, (CUcontext handle, CUevent event), (handle, event)) {
  driver_lock lock;
  const auto c = contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
  const event_ptr e = events().get(event);
  require(fault() == CUDA_SUCCESS, fault());
  require(e->owner.lock() == c, CUDA_ERROR_INVALID_HANDLE);
  refuse_synchronization_during_capture(lock, *c);
  const item_ptr marker = make_item(lock, c, executor::nobody);
  for (const item_ptr& item : frontier(lock, *c)) order(lock, item, marker);
  order(lock, c->barrier, marker);
  set_record(lock, *e, marker);
  submit(lock, marker);
  return CUDA_SUCCESS;
}

// GC-002: holds back all later work of the context.
STREAMCTS_ENTRY(cuCtxWaitEvent, (CUcontext handle, CUevent event), (handle, event)) {
  driver_lock lock;
  const auto c = contexts().get(handle, CUDA_ERROR_INVALID_CONTEXT);
  const event_ptr e = events().get(event);
  require(fault() == CUDA_SUCCESS, fault());
  refuse_captured_event(lock, *e);
  refuse_synchronization_during_capture(lock, *c);
  const item_ptr marker = make_item(lock, c, executor::nobody);
  order(lock, c->barrier, marker);
  order(lock, e->record, marker);
  c->barrier = marker;
  submit(lock, marker);
  return CUDA_SUCCESS;
}
