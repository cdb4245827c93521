// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/streams.h"

#include <vector>

#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/host_calls.h"

namespace streamcts::faults {
namespace {

/// Events not in use, by context, and the private streams. Never destroyed: the driver behind may be
/// gone by then, and takes them with it.
struct resources {
  std::mutex mutex;
  std::map<CUcontext, std::vector<CUevent>> idle_events;
  std::map<stream_key, CUstream> side_streams;
};
resources& all() {
  static resources& instance = *new resources;
  return instance;
}

/// Makes @p context current while one lives.
class current_context {
 public:
  explicit current_context(CUcontext context)
      : pushed_(real().ctx_push_current(context) == CUDA_SUCCESS) {}
  ~current_context() {
    CUcontext ignored;
    if (pushed_) real().ctx_pop_current(&ignored);
  }
  current_context(const current_context&) = delete;
  current_context& operator=(const current_context&) = delete;

 private:
  bool pushed_;
};

CUevent make_event(CUcontext context) {
  const current_context current(context);
  const capture_exemption exempt;
  CUevent event = nullptr;
  if (real().event_create(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return nullptr;
  return event;
}

private_event take_event(CUcontext context) {
  CUevent event = nullptr;
  {
    const std::lock_guard lock(all().mutex);
    std::vector<CUevent>& idle = all().idle_events[context];
    if (!idle.empty()) {
      event = idle.back();
      idle.pop_back();
    }
  }
  if (!event) event = make_event(context);
  if (!event) return nullptr;
  return private_event(event, [context](CUevent back) {
    const std::lock_guard lock(all().mutex);
    all().idle_events[context].push_back(back);
  });
}

}  // namespace

private_event record_in(const stream_ref& stream) {
  const CUcontext context = stream.context();
  if (!context) return nullptr;
  private_event event = take_event(context);
  if (!event || real().event_record[stream.mode](event.get(), stream.handle) != CUDA_SUCCESS) {
    return nullptr;
  }
  return event;
}

bool is_complete(const private_event& event) { return !event || !is_pending(event.get()); }

bool is_pending(CUevent event) {
  const capture_exemption exempt;
  return real().event_query(event) == CUDA_ERROR_NOT_READY;
}

bool is_busy(const stream_ref& stream) {
  const capture_exemption exempt;
  return real().stream_query[stream.mode](stream.handle) == CUDA_ERROR_NOT_READY;
}

void wait_in(const stream_ref& stream, const private_event& event) {
  if (event) real().stream_wait_event[stream.mode](stream.handle, event.get(), 0);
}

CUstream side_stream(const stream_ref& stream) {
  const stream_key key = stream.key();
  {
    const std::lock_guard lock(all().mutex);
    const auto known = all().side_streams.find(key);
    if (known != all().side_streams.end()) return known->second;
  }
  const CUcontext context = stream.context();
  if (!context) return nullptr;
  CUstream made = nullptr;
  {
    const current_context current(context);
    const capture_exemption exempt;
    if (real().stream_create(&made, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return nullptr;
  }
  const std::lock_guard lock(all().mutex);
  // Two threads may have made one each: the first stays, so that one stream has one private stream.
  const auto [at, fresh] = all().side_streams.emplace(key, made);
  if (!fresh) real().stream_destroy(made);
  return at->second;
}

void forget_side_stream(const stream_key& key) {
  CUstream gone = nullptr;
  {
    const std::lock_guard lock(all().mutex);
    const auto known = all().side_streams.find(key);
    if (known == all().side_streams.end()) return;
    gone = known->second;
    all().side_streams.erase(known);
  }
  real().stream_destroy(gone);
}

CUresult enqueue_beside(operation& op, const private_event& after, private_event* end) {
  const CUstream side = side_stream(op.stream);
  if (!side) return op.forward();
  const stream_ref beside{side, stream_mode::legacy};
  wait_in(beside, after);
  if (op.call) show_stream(op, op.stream.handle);
  const CUresult result = op.send_to(side);
  if (end) *end = record_in(beside);
  return result;
}

}  // namespace streamcts::faults
