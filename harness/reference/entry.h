// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// How entry points are written. cuda.h declares them; a mismatch does not compile.
//
//   STREAMCTS_ENTRY(cuEventQuery, (CUevent handle), (handle)) { ... return CUDA_SUCCESS; }
//
// defines the exported function, with the checks that every call makes, around the body. A function
// that takes a stream, or uses the default stream, has a second name under which NULL means the
// per-thread stream; its body sees which one in `mode`:
//
//   STREAMCTS_STREAM_ENTRY(cuStreamQuery, _ptsz, (CUstream handle), (handle)) { ... }

#pragma once

#include <new>

#include "harness/reference/cuda_api.h"
#include "harness/reference/refusal.h"
#include "harness/reference/stream.h"

namespace streamcts::reference {

bool initialized();
void set_initialized(bool value);

/// Refuses calls before cuInit, calls of a process that exits, and calls inside host calls where they are not permitted.
void before_call();
/// Waits until the context is idle, under the variant launch_blocking.
void after_call();

/// Turns a body into a call.
template <typename Body>
CUresult call(const Body& body) noexcept {
  try {
    before_call();
    const CUresult result = body();
    after_call();
    return result;
  } catch (const refusal& r) {
    return r.code;
  } catch (const std::bad_alloc&) {
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
}

}  // namespace streamcts::reference

#define STREAMCTS_EXPORT extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI
#define STREAMCTS_UNPACK(...) __VA_ARGS__

#define STREAMCTS_ENTRY(name, parameters, arguments)                       \
  static CUresult name##_body parameters;                                  \
  STREAMCTS_EXPORT name parameters {                                       \
    return ::streamcts::reference::call([&] { return name##_body arguments; }); \
  }                                                                        \
  static CUresult name##_body parameters

#define STREAMCTS_STREAM_ENTRY(name, suffix, parameters, arguments)                          \
  static CUresult name##_body(::streamcts::reference::default_stream mode,                   \
                              STREAMCTS_UNPACK parameters);                                  \
  STREAMCTS_EXPORT name parameters {                                                         \
    return ::streamcts::reference::call([&] {                                                \
      return name##_body(::streamcts::reference::default_stream::legacy,                     \
                         STREAMCTS_UNPACK arguments);                                        \
    });                                                                                      \
  }                                                                                          \
  STREAMCTS_EXPORT name##suffix parameters {                                                 \
    return ::streamcts::reference::call([&] {                                                \
      return name##_body(::streamcts::reference::default_stream::per_thread,                 \
                         STREAMCTS_UNPACK arguments);                                        \
    });                                                                                      \
  }                                                                                          \
  static CUresult name##_body([[maybe_unused]] ::streamcts::reference::default_stream mode,  \
                              STREAMCTS_UNPACK parameters)
