// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string_view>

#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {

/// The mode that a capture is begun with.
enum class capture_mode { global, thread_local_mode, relaxed };
inline std::string_view name(capture_mode what) {
  switch (what) {
    case capture_mode::global: return "global";
    case capture_mode::thread_local_mode: return "thread_local";
    case capture_mode::relaxed: return "relaxed";
  }
  return "unknown";
}
inline CUstreamCaptureMode mode_of(capture_mode what) {
  switch (what) {
    case capture_mode::global: return CU_STREAM_CAPTURE_MODE_GLOBAL;
    case capture_mode::thread_local_mode: return CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    case capture_mode::relaxed: return CU_STREAM_CAPTURE_MODE_RELAXED;
  }
  return CU_STREAM_CAPTURE_MODE_GLOBAL;
}
inline axis capture_modes() {
  return make_axis<capture_mode>("mode", {capture_mode::global, capture_mode::thread_local_mode,
                                          capture_mode::relaxed});
}

/// A capture in one stream, ended by the destructor at the latest.
class capture {
 public:
  /// Begins it. @throws driver::call_error
  capture(const driver::function_table& cuda, CUstream stream,
          CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
          std::source_location site = std::source_location::current())
      : cuda_(cuda), stream_(stream) {
    driver::check(cuda.cuStreamBeginCapture(stream, mode), "cuStreamBeginCapture", site);
  }
  capture(const capture&) = delete;
  capture& operator=(const capture&) = delete;
  ~capture() {
    CUgraph made = nullptr;
    if (end(made) == CUDA_SUCCESS && made != nullptr) (void)cuda_.cuGraphDestroy(made);
  }

  /// Ends it: the code, and what the driver wrote to @p made. Success where it has ended already.
  CUresult end(CUgraph& made) {
    if (stream_ == ended()) return CUDA_SUCCESS;
    const CUresult code = cuda_.cuStreamEndCapture(stream_, &made);
    // A refusal that leaves the capture as it is would be met again.
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (cuda_.cuStreamIsCapturing(stream_, &status) == CUDA_SUCCESS &&
        status == CU_STREAM_CAPTURE_STATUS_NONE) {
      stream_ = ended();
    }
    return code;
  }
  /// Ends it and takes the graph. @throws driver::call_error
  driver::graph take(std::source_location site = std::source_location::current()) {
    CUgraph made = nullptr;
    driver::check(end(made), "cuStreamEndCapture", site);
    return driver::graph(cuda_, made);
  }

 private:
  static CUstream ended() { return CU_STREAM_LEGACY; }  // nothing can be captured there

  const driver::function_table& cuda_;
  CUstream stream_;
};

/// How far the capture in @p stream is. @throws driver::call_error
inline CUstreamCaptureStatus status_of(const driver::function_table& cuda, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  STREAMCTS_CHECK(cuda.cuStreamIsCapturing(stream, &status));
  return status;
}

/// Puts a normal round through @p stream, which must be usable: a kernel and a host call that looks.
inline void expect_usable(arrangement& scene, clause_id promise, lane& stream, product& out,
                          host_call how) {
  observer& call = scene.host_call(how);
  call.looks_at(out);
  const operation writer = scene.write(stream, out);
  scene.enqueue(stream, call);
  scene.drain();
  scene.expect_complete(promise, writer, call);
}

}  // namespace streamcts
