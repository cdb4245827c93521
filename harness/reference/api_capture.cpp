// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream capture.

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"

using namespace streamcts::reference;

namespace {

// What a query of a capture may ask for; null is not asked for.
struct capture_query {
  CUstreamCaptureStatus* status = nullptr;
  cuuint64_t* id = nullptr;
  CUgraph* target = nullptr;
  const CUgraphNode** dependencies = nullptr;
  const CUgraphEdgeData** edges = nullptr;
  size_t* count = nullptr;
};

CUresult begin(default_stream mode, CUstream handle, CUstreamCaptureMode capture_mode) {
  require(capture_mode >= CU_STREAM_CAPTURE_MODE_GLOBAL &&
          capture_mode <= CU_STREAM_CAPTURE_MODE_RELAXED);
  driver_lock lock;
  begin_capture(lock, find_stream(lock, handle, mode), capture_mode, nullptr, {});
  return CUDA_SUCCESS;
}

CUstreamCaptureStatus status_of(const stream& s) {
  if (s.capture == nullptr) return CU_STREAM_CAPTURE_STATUS_NONE;
  return s.capture->invalidated ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                : CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult get_info(default_stream mode, CUstream handle, const capture_query& q) {
  require(q.status != nullptr);
  driver_lock lock;
  const stream_ptr s = find_stream(lock, handle, mode);
  constexpr bool query = true;
  refuse_legacy_use_during_capture(lock, *s, query);
  *q.status = status_of(*s);
  if (*q.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  s->captured_handles.clear();
  for (const node_ptr& n : s->captured) s->captured_handles.push_back(n->handle);
  if (q.id != nullptr) *q.id = s->capture->id;
  if (q.target != nullptr) *q.target = s->capture->target->handle;
  if (q.dependencies != nullptr) *q.dependencies = s->captured_handles.data();
  if (q.edges != nullptr) *q.edges = nullptr;  // all edges are full dependencies
  if (q.count != nullptr) *q.count = s->captured_handles.size();
  return CUDA_SUCCESS;
}

CUresult update_dependencies(default_stream mode, CUstream handle, const CUgraphNode* dependencies,
                             size_t count, unsigned flags) {
  require(flags == CU_STREAM_ADD_CAPTURE_DEPENDENCIES ||
          flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  driver_lock lock;
  const stream_ptr s = find_stream(lock, handle, mode);
  require(s->capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
  require(!s->capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  const std::vector<node_ptr> given = nodes_of(lock, *s->capture->target, dependencies, count);
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) s->captured.clear();
  s->captured.insert(s->captured.end(), given.begin(), given.end());
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuStreamBeginCapture, _ptsz, (CUstream s), (s)) {
  return begin(mode, s, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

STREAMCTS_STREAM_ENTRY(cuStreamBeginCapture_v2, _ptsz, (CUstream s, CUstreamCaptureMode how),
                       (s, how)) {
  return begin(mode, s, how);
}

STREAMCTS_STREAM_ENTRY(cuStreamBeginCaptureToGraph, _ptsz,
                       (CUstream s, CUgraph target, const CUgraphNode* dependencies,
                        const CUgraphEdgeData* edges, size_t count, CUstreamCaptureMode how),
                       (s, target, dependencies, edges, count, how)) {
  require(edges == nullptr || count == 0 || edges->type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT,
          CUDA_ERROR_NOT_SUPPORTED);
  driver_lock lock;
  const graph_ptr g = graphs().get(target, CUDA_ERROR_INVALID_VALUE);
  begin_capture(lock, find_stream(lock, s, mode), how, g, nodes_of(lock, *g, dependencies, count));
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamEndCapture, _ptsz, (CUstream s, CUgraph* out), (s, out)) {
  require(out != nullptr);
  *out = nullptr;
  driver_lock lock;
  *out = end_capture(lock, *find_stream(lock, s, mode))->handle;
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuStreamIsCapturing, _ptsz, (CUstream s, CUstreamCaptureStatus* status),
                       (s, status)) {
  return get_info(mode, s, {.status = status});
}

STREAMCTS_STREAM_ENTRY(cuStreamGetCaptureInfo, _ptsz,
                       (CUstream s, CUstreamCaptureStatus* status, cuuint64_t* id),
                       (s, status, id)) {
  return get_info(mode, s, {.status = status, .id = id});
}

STREAMCTS_STREAM_ENTRY(cuStreamGetCaptureInfo_v2, _ptsz,
                       (CUstream s, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* target,
                        const CUgraphNode** dependencies, size_t* count),
                       (s, status, id, target, dependencies, count)) {
  return get_info(mode, s, {status, id, target, dependencies, nullptr, count});
}

STREAMCTS_STREAM_ENTRY(cuStreamGetCaptureInfo_v3, _ptsz,
                       (CUstream s, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* target,
                        const CUgraphNode** dependencies, const CUgraphEdgeData** edges,
                        size_t* count),
                       (s, status, id, target, dependencies, edges, count)) {
  return get_info(mode, s, {status, id, target, dependencies, edges, count});
}

STREAMCTS_STREAM_ENTRY(cuStreamUpdateCaptureDependencies, _ptsz,
                       (CUstream s, CUgraphNode* dependencies, size_t count, unsigned flags),
                       (s, dependencies, count, flags)) {
  return update_dependencies(mode, s, dependencies, count, flags);
}

STREAMCTS_STREAM_ENTRY(cuStreamUpdateCaptureDependencies_v2, _ptsz,
                       (CUstream s, CUgraphNode* dependencies,
                        [[maybe_unused]] const CUgraphEdgeData* edges, size_t count,
                        unsigned flags),
                       (s, dependencies, edges, count, flags)) {
  return update_dependencies(mode, s, dependencies, count, flags);
}

STREAMCTS_ENTRY(cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode * how), (how)) {
  require(how != nullptr && *how >= CU_STREAM_CAPTURE_MODE_GLOBAL &&
          *how <= CU_STREAM_CAPTURE_MODE_RELAXED);
  std::swap(*how, thread_capture_mode());
  return CUDA_SUCCESS;
}
