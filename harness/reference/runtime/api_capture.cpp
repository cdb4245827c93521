// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream capture.

#include "harness/reference/runtime/entry.h"

static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData));

RUNTIME_STREAM_ENTRY(cudaStreamBeginCapture, _ptsz,
                     (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode)) {
  return driver.cuStreamBeginCapture(stream, static_cast<CUstreamCaptureMode>(mode));
}
RUNTIME_STREAM_ENTRY(cudaStreamBeginCaptureToGraph, _ptsz,
                     (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                      const cudaGraphEdgeData* edges, size_t count, cudaStreamCaptureMode mode),
                     (stream, graph, dependencies, edges, count, mode)) {
  return driver.cuStreamBeginCaptureToGraph(stream, graph, dependencies,
                                            reinterpret_cast<const CUgraphEdgeData*>(edges), count,
                                            static_cast<CUstreamCaptureMode>(mode));
}
RUNTIME_STREAM_ENTRY(cudaStreamEndCapture, _ptsz, (cudaStream_t stream, cudaGraph_t* graph),
                     (stream, graph)) {
  return driver.cuStreamEndCapture(stream, graph);
}

RUNTIME_STREAM_ENTRY(cudaStreamIsCapturing, _ptsz,
                     (cudaStream_t stream, cudaStreamCaptureStatus* status), (stream, status)) {
  if (status == nullptr) return cudaErrorInvalidValue;
  CUstreamCaptureStatus found = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver.cuStreamIsCapturing(stream, &found);
  if (result == CUDA_SUCCESS) *status = static_cast<cudaStreamCaptureStatus>(found);
  return result;
}

RUNTIME_STREAM_ENTRY(cudaStreamGetCaptureInfo, _ptsz,
                     (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                      cudaGraph_t* graph, const cudaGraphNode_t** dependencies,
                      const cudaGraphEdgeData** edges, size_t* count),
                     (stream, status, id, graph, dependencies, edges, count)) {
  if (status == nullptr) return cudaErrorInvalidValue;
  CUstreamCaptureStatus found = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t sequence = 0;
  const CUgraphEdgeData* found_edges = nullptr;
  const CUresult result =
      driver.cuStreamGetCaptureInfo(stream, &found, &sequence, graph, dependencies,
                                    edges == nullptr ? nullptr : &found_edges, count);
  if (result != CUDA_SUCCESS) return result;
  *status = static_cast<cudaStreamCaptureStatus>(found);
  if (id != nullptr) *id = sequence;
  if (edges != nullptr) *edges = reinterpret_cast<const cudaGraphEdgeData*>(found_edges);
  return CUDA_SUCCESS;
}

RUNTIME_STREAM_ENTRY(cudaStreamUpdateCaptureDependencies, _ptsz,
                     (cudaStream_t stream, cudaGraphNode_t* dependencies,
                      const cudaGraphEdgeData* edges, size_t count, unsigned flags),
                     (stream, dependencies, edges, count, flags)) {
  return driver.cuStreamUpdateCaptureDependencies(
      stream, dependencies, reinterpret_cast<const CUgraphEdgeData*>(edges), count, flags);
}

RUNTIME_ENTRY(cudaThreadExchangeStreamCaptureMode, (cudaStreamCaptureMode * mode), (mode)) {
  if (mode == nullptr) return cudaErrorInvalidValue;
  CUstreamCaptureMode exchanged = static_cast<CUstreamCaptureMode>(*mode);
  const CUresult result = driver.cuThreadExchangeStreamCaptureMode(&exchanged);
  if (result == CUDA_SUCCESS) *mode = static_cast<cudaStreamCaptureMode>(exchanged);
  return result;
}
