// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events. The flags of both APIs have the same values.

#include <cstring>

#include "harness/reference/runtime/entry.h"

static_assert(cudaEventBlockingSync == CU_EVENT_BLOCKING_SYNC);
static_assert(cudaEventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(cudaEventInterprocess == CU_EVENT_INTERPROCESS);
static_assert(cudaEventRecordExternal == CU_EVENT_RECORD_EXTERNAL);
static_assert(sizeof(cudaIpcEventHandle_t) == sizeof(CUipcEventHandle));

RUNTIME_ENTRY(cudaEventCreate, (cudaEvent_t * event), (event)) {
  return driver.cuEventCreate(event, CU_EVENT_DEFAULT);
}
RUNTIME_ENTRY(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags)) {
  return driver.cuEventCreate(event, flags);
}
RUNTIME_ENTRY(cudaEventDestroy, (cudaEvent_t event), (event)) {
  return driver.cuEventDestroy(event);
}
RUNTIME_STREAM_ENTRY(cudaEventRecord, _ptsz, (cudaEvent_t event, cudaStream_t stream),
                     (event, stream)) {
  return driver.cuEventRecord(event, stream);
}
RUNTIME_STREAM_ENTRY(cudaEventRecordWithFlags, _ptsz,
                     (cudaEvent_t event, cudaStream_t stream, unsigned flags),
                     (event, stream, flags)) {
  return driver.cuEventRecordWithFlags(event, stream, flags);
}
RUNTIME_ENTRY(cudaEventQuery, (cudaEvent_t event), (event)) {
  return driver.cuEventQuery(event);
}
RUNTIME_ENTRY(cudaEventSynchronize, (cudaEvent_t event), (event)) {
  return driver.cuEventSynchronize(event);
}
RUNTIME_ENTRY(cudaEventElapsedTime, (float* milliseconds, cudaEvent_t start, cudaEvent_t end),
              (milliseconds, start, end)) {
  return driver.cuEventElapsedTime(milliseconds, start, end);
}

RUNTIME_ENTRY(cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event),
              (handle, event)) {
  return driver.cuIpcGetEventHandle(reinterpret_cast<CUipcEventHandle*>(handle), event);
}
RUNTIME_ENTRY(cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle),
              (event, handle)) {
  CUipcEventHandle same;
  std::memcpy(&same, &handle, sizeof same);
  return driver.cuIpcOpenEventHandle(event, same);
}
