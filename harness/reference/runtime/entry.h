// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// How entry points are written. cuda_runtime_api.h declares them; a mismatch does not compile.
//
//   RUNTIME_ENTRY(cudaEventQuery, (cudaEvent_t event), (event)) { return
//   driver.cuEventQuery(event); }
//
// defines the exported function around the body: a context is current, `driver` is the table of
// driver functions, and what the body returns becomes the thread's last error where it is one. A
// function that takes a stream, or uses the default stream, has a second name under which NULL
// means the per-thread stream; in its body, `driver` is the table of that mode:
//
//   RUNTIME_STREAM_ENTRY(cudaStreamQuery, _ptsz, (cudaStream_t stream), (stream)) { ... }
//
// RUNTIME_BARE_ENTRY is for functions that need the driver, but no context.

#pragma once

#include <cuda_runtime_api.h>

#include "harness/reference/runtime/contexts.h"
#include "harness/reference/runtime/driver_calls.h"

namespace streamcts::runtime {

/// A result of either API: the codes have the same numbers where both have the same meaning.
class outcome {
 public:
  outcome(CUresult code) : code_(static_cast<cudaError_t>(code)) {}  // NOLINT: meant to convert
  outcome(cudaError_t code) : code_(code) {}                         // NOLINT
  cudaError_t code() const { return code_; }
  bool failed() const { return code_ != cudaSuccess; }

 private:
  cudaError_t code_;
};

/// Keeps an error as this thread's last one and gives it back. cudaErrorNotReady is not an error
/// (CUDA Programming Guide, "Error Checking").
cudaError_t remember(outcome result);

enum class needs { driver, context };

/// cudaSuccess, or why no call can be made.
outcome prepare(needs what);

template <typename Body>
cudaError_t call(needs what, stream_mode mode, const Body& body) noexcept {
  const outcome ready = prepare(what);
  return remember(ready.failed() ? ready : outcome(body(driver().calls(mode))));
}

}  // namespace streamcts::runtime

#define RUNTIME_EXPORT extern "C" __attribute__((visibility("default")))
#define RUNTIME_AND(...) __VA_OPT__(, ) __VA_ARGS__

#define RUNTIME_WRAPPER(symbol, body_name, what, mode, parameters, arguments)                 \
  RUNTIME_EXPORT cudaError_t CUDARTAPI symbol parameters {                                    \
    return ::streamcts::runtime::call(::streamcts::runtime::needs::what,                      \
                                      ::streamcts::runtime::stream_mode::mode,                \
                                      [&](const ::streamcts::runtime::driver_calls& driver) { \
                                        return body_name(driver RUNTIME_AND arguments);       \
                                      });                                                     \
  }
#define RUNTIME_BODY(name, parameters)              \
  static ::streamcts::runtime::outcome name##_body( \
      [[maybe_unused]] const ::streamcts::runtime::driver_calls& driver RUNTIME_AND parameters)

#define RUNTIME_ENTRY(name, parameters, arguments)                           \
  RUNTIME_BODY(name, parameters);                                            \
  RUNTIME_WRAPPER(name, name##_body, context, legacy, parameters, arguments) \
  RUNTIME_BODY(name, parameters)

#define RUNTIME_BARE_ENTRY(name, parameters, arguments)                     \
  RUNTIME_BODY(name, parameters);                                           \
  RUNTIME_WRAPPER(name, name##_body, driver, legacy, parameters, arguments) \
  RUNTIME_BODY(name, parameters)

#define RUNTIME_STREAM_ENTRY(name, suffix, parameters, arguments)                        \
  RUNTIME_BODY(name, parameters);                                                        \
  RUNTIME_WRAPPER(name, name##_body, context, legacy, parameters, arguments)             \
  RUNTIME_WRAPPER(name##suffix, name##_body, context, per_thread, parameters, arguments) \
  RUNTIME_BODY(name, parameters)
