// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams and host calls. Handles are the driver's own, so that both APIs share them.

#include "harness/reference/runtime/entry.h"

RUNTIME_ENTRY(cudaStreamCreate, (cudaStream_t * stream), (stream)) {
  return driver.cuStreamCreate(stream, CU_STREAM_DEFAULT);
}
RUNTIME_ENTRY(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags)) {
  return driver.cuStreamCreate(stream, flags);
}
RUNTIME_ENTRY(cudaStreamCreateWithPriority, (cudaStream_t * stream, unsigned flags, int priority),
              (stream, flags, priority)) {
  return driver.cuStreamCreateWithPriority(stream, flags, priority);
}
RUNTIME_ENTRY(cudaStreamDestroy, (cudaStream_t stream), (stream)) {
  return driver.cuStreamDestroy(stream);
}

RUNTIME_STREAM_ENTRY(cudaStreamSynchronize, _ptsz, (cudaStream_t stream), (stream)) {
  return driver.cuStreamSynchronize(stream);
}
RUNTIME_STREAM_ENTRY(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream)) {
  return driver.cuStreamQuery(stream);
}
RUNTIME_STREAM_ENTRY(cudaStreamWaitEvent, _ptsz,
                     (cudaStream_t stream, cudaEvent_t event, unsigned flags),
                     (stream, event, flags)) {
  return driver.cuStreamWaitEvent(stream, event, flags);
}

// The two types of callback differ in the type of the status alone, and the codes have the same
// numbers: the driver calls the user's function, with the stream as it was given.
RUNTIME_STREAM_ENTRY(cudaStreamAddCallback, _ptsz,
                     (cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                      unsigned flags),
                     (stream, callback, data, flags)) {
  return driver.cuStreamAddCallback(stream, reinterpret_cast<CUstreamCallback>(callback), data,
                                    flags);
}
RUNTIME_STREAM_ENTRY(cudaLaunchHostFunc, _ptsz,
                     (cudaStream_t stream, cudaHostFn_t function, void* data),
                     (stream, function, data)) {
  return driver.cuLaunchHostFunc(stream, function, data);
}

RUNTIME_STREAM_ENTRY(cudaStreamGetFlags, _ptsz, (cudaStream_t stream, unsigned* flags),
                     (stream, flags)) {
  return driver.cuStreamGetFlags(stream, flags);
}
RUNTIME_STREAM_ENTRY(cudaStreamGetPriority, _ptsz, (cudaStream_t stream, int* priority),
                     (stream, priority)) {
  return driver.cuStreamGetPriority(stream, priority);
}
RUNTIME_STREAM_ENTRY(cudaStreamGetId, _ptsz, (cudaStream_t stream, unsigned long long* id),
                     (stream, id)) {
  return driver.cuStreamGetId(stream, id);
}
RUNTIME_STREAM_ENTRY(cudaStreamGetDevice, _ptsz, (cudaStream_t stream, int* device),
                     (stream, device)) {
  return driver.cuStreamGetDevice(stream, device);
}
RUNTIME_STREAM_ENTRY(cudaStreamGetAttribute, _ptsz,
                     (cudaStream_t stream, cudaLaunchAttributeID attribute,
                      cudaLaunchAttributeValue* value),
                     (stream, attribute, value)) {
  return driver.cuStreamGetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                     reinterpret_cast<CUstreamAttrValue*>(value));
}
RUNTIME_STREAM_ENTRY(cudaStreamSetAttribute, _ptsz,
                     (cudaStream_t stream, cudaLaunchAttributeID attribute,
                      const cudaLaunchAttributeValue* value),
                     (stream, attribute, value)) {
  return driver.cuStreamSetAttribute(stream, static_cast<CUstreamAttrID>(attribute),
                                     reinterpret_cast<const CUstreamAttrValue*>(value));
}
RUNTIME_STREAM_ENTRY(cudaStreamCopyAttributes, _ptsz,
                     (cudaStream_t destination, cudaStream_t source), (destination, source)) {
  return driver.cuStreamCopyAttributes(destination, source);
}

/// A length of 0 is the whole allocation.
RUNTIME_STREAM_ENTRY(cudaStreamAttachMemAsync, _ptsz,
                     (cudaStream_t stream, void* memory, size_t length, unsigned flags),
                     (stream, memory, length, flags)) {
  return driver.cuStreamAttachMemAsync(stream, reinterpret_cast<CUdeviceptr>(memory), length,
                                       flags);
}
