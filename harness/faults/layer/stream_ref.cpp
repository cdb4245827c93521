// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/layer/stream_ref.h"

#include <atomic>

#include "harness/faults/layer/lost_context.h"
#include "harness/faults/layer/real_driver.h"

namespace streamcts::faults {
namespace {

CUcontext current_context() {
  CUcontext context = nullptr;
  if (!real().ctx_get_current || real().ctx_get_current(&context) != CUDA_SUCCESS) return nullptr;
  return context;
}

}  // namespace

std::uint64_t thread_number() {
  static std::atomic<std::uint64_t> last{0};
  thread_local const std::uint64_t mine = last.fetch_add(1) + 1;
  return mine;
}

stream_type stream_ref::type() const {
  if (handle == CU_STREAM_LEGACY) return stream_type::legacy;
  if (handle == CU_STREAM_PER_THREAD) return stream_type::per_thread;
  if (handle != nullptr) return stream_type::created;
  return mode == stream_mode::per_thread ? stream_type::per_thread : stream_type::legacy;
}

stream_key stream_ref::key() const {
  switch (type()) {
    case stream_type::created: return {reinterpret_cast<std::uintptr_t>(handle), 0, 0};
    case stream_type::legacy:
      return {1, reinterpret_cast<std::uintptr_t>(current_context()), 0};
    case stream_type::per_thread: break;
  }
  return {2, reinterpret_cast<std::uintptr_t>(current_context()), thread_number()};
}

CUcontext stream_ref::context() const {
  CUcontext context = nullptr;
  if (type() != stream_type::created) return current_context();
  if (real().stream_get_ctx[mode](handle, &context) != CUDA_SUCCESS) return nullptr;
  return context;
}

bool stream_ref::is_blocking() const {
  if (type() != stream_type::created) return true;
  unsigned flags = 0;
  return real().stream_get_flags[mode](handle, &flags) != CUDA_SUCCESS ||
         (flags & CU_STREAM_NON_BLOCKING) == 0;
}

int stream_ref::priority() const {
  int priority = 0;
  if (type() != stream_type::created) return 0;
  return real().stream_get_priority[mode](handle, &priority) == CUDA_SUCCESS ? priority : 0;
}

namespace {

/// @p otherwise: the answer where the driver behind refuses the question by a given error.
template <typename F>
bool ask_for_capture(const stream_ref& stream, F&& otherwise) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const auto ask = real().stream_is_capturing[stream.mode];
  if (!ask) return false;
  const CUresult result = ask(stream.handle, &status);
  return result != CUDA_SUCCESS ? otherwise(result) : status != CU_STREAM_CAPTURE_STATUS_NONE;
}

}  // namespace

bool stream_ref::is_capturing() const {
  return ask_for_capture(*this, [](CUresult) { return true; });
}

bool stream_ref::is_waited_for_in_capture() const {
  return ask_for_capture(*this, [](CUresult result) { return !means_lost_context(result); });
}

CUstream stream_ref::explicit_handle() const {
  switch (type()) {
    case stream_type::legacy: return CU_STREAM_LEGACY;
    case stream_type::per_thread: return CU_STREAM_PER_THREAD;
    case stream_type::created: break;
  }
  return handle;
}

capture_exemption::capture_exemption() {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  if (!real().exchange_capture_mode) return;
  exchanged_ = real().exchange_capture_mode(&mode) == CUDA_SUCCESS;
  previous_ = mode;
}

capture_exemption::~capture_exemption() {
  if (exchanged_) real().exchange_capture_mode(&previous_);
}

}  // namespace streamcts::faults
