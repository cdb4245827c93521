// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <compare>
#include <cstdint>

#include "harness/faults/layer/stream_mode.h"

namespace streamcts::faults {

/// Which stream a handle means: NULL, 0x1, 0x2 and the mode of the entry point resolved.
enum class stream_type { created, legacy, per_thread };

/// Names a stream in tables. Default streams are told apart by context, per-thread ones by thread.
struct stream_key {
  std::uintptr_t handle = 0;
  std::uintptr_t context = 0;
  std::uint64_t thread = 0;
  auto operator<=>(const stream_key&) const = default;
};

/// A stream as a caller names it: the handle and what NULL means there. A default stream is the one
/// of the calling thread's current context.
struct stream_ref {
  CUstream handle = nullptr;
  stream_mode mode = stream_mode::legacy;

  stream_type type() const;
  bool is_legacy() const { return type() == stream_type::legacy; }
  stream_key key() const;
  /// The context that the stream belongs to, or null.
  CUcontext context() const;
  /// False for streams that take no part in the legacy stream's barrier. The legacy stream itself
  /// counts as blocking.
  bool is_blocking() const;
  /// 0 where there are no priorities.
  int priority() const;
  /// True while the stream is being captured, and where that cannot be told (the legacy stream while
  /// another stream is being captured): nothing may then be added to what the program asked for.
  bool is_capturing() const;
  /// The same for calls that wait or ask: false where the context is lost. A driver then answers every
  /// question with the error, and what such calls report of it is the matter of faults.
  bool is_waited_for_in_capture() const;
  /// A handle that means this stream in every entry point (on this thread).
  CUstream explicit_handle() const;
};

/// A number for the calling thread, never reused in this process.
std::uint64_t thread_number();

/// While one lives, calls of this thread that a capture elsewhere would refuse are allowed.
class capture_exemption {
 public:
  capture_exemption();
  ~capture_exemption();
  capture_exemption(const capture_exemption&) = delete;
  capture_exemption& operator=(const capture_exemption&) = delete;

 private:
  CUstreamCaptureMode previous_ = CU_STREAM_CAPTURE_MODE_RELAXED;
  bool exchanged_ = false;
};

}  // namespace streamcts::faults
