// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class F: what capture makes of host calls, and what may be asked of a stream under capture.

#include <optional>
#include <utility>
#include <vector>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/captured_events.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using nodes = std::vector<CUgraphNode>;

/// Common to faults of what is captured.
class in_capture : public behaviour {
 public:
  bool sees_captures() const override { return true; }
};

class captured_call_runs : public in_capture {
 public:
  CUresult enqueue(operation& op) override {
    const CUresult result = op.forward();
    if (result == CUDA_SUCCESS && is_launch_host_func(op) && op.stream.is_capturing()) {
      hit();
      op.call->function(op.call->user_data);
    }
    return result;
  }
};

/// A captured host function loses dependencies; what is captured behind it keeps them.
class captured_call_loses_edges : public in_capture {
 public:
  explicit captured_call_loses_edges(bool keeps_first) : keeps_first_(keeps_first) {}

  CUresult enqueue(operation& op) override {
    if (!is_launch_host_func(op)) return op.forward();
    const std::optional<nodes> before = frontier(op.stream);
    const std::size_t keep = keeps_first_ ? 1 : 0;
    if (!before || before->size() <= keep) return op.forward();
    nodes kept(before->begin(), before->begin() + static_cast<std::ptrdiff_t>(keep));
    if (!set_frontier(op.stream, kept)) return op.forward();
    const CUresult result = op.forward();
    nodes after = *before;
    if (result == CUDA_SUCCESS) {
      hit();
      const std::optional<nodes> made = frontier(op.stream);
      if (made) after.insert(after.end(), made->begin(), made->end());
    }
    set_frontier(op.stream, after);
    return result;
  }

 private:
  /// What the next captured node would depend on; nothing where the stream is not under capture.
  static std::optional<nodes> frontier(const stream_ref& stream) {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode* first = nullptr;
    const CUgraphEdgeData* edges = nullptr;
    std::size_t count = 0;
    if (!real().stream_get_capture_info[stream.mode] ||
        real().stream_get_capture_info[stream.mode](stream.handle, &status, nullptr, nullptr,
                                                    &first, &edges, &count) != CUDA_SUCCESS ||
        status != CU_STREAM_CAPTURE_STATUS_ACTIVE) {
      return std::nullopt;
    }
    return nodes(first, first + count);
  }
  static bool set_frontier(const stream_ref& stream, nodes& wanted) {
    return real().stream_update_capture_dependencies[stream.mode] &&
           real().stream_update_capture_dependencies[stream.mode](
               stream.handle, wanted.data(), nullptr, wanted.size(),
               CU_STREAM_SET_CAPTURE_DEPENDENCIES) == CUDA_SUCCESS;
  }

  const bool keeps_first_;
};

/// A stream callback added to a stream under capture runs at once.
class callback_accepted : public in_capture {
 public:
  CUresult enqueue(operation& op) override {
    if (!is_add_callback(op) || !op.stream.is_capturing()) return op.forward();
    hit();
    op.call->callback(op.stream.handle, CUDA_SUCCESS, op.call->user_data);
    return CUDA_SUCCESS;
  }
};

/// Host waits on what is under capture succeed.
class wait_succeeds : public in_capture {
 public:
  explicit wait_succeeds(host_wait::target of) : of_(of) {}
  CUresult synchronize(host_wait& w) override { return answer(w); }
  CUresult query(host_wait& w) override { return answer(w); }

 private:
  CUresult answer(host_wait& w) {
    if (w.of != of_) return w.forward();
    const bool captured = w.of == host_wait::target::event
                              ? is_captured(w.event)
                              : w.stream.type() == stream_type::created && w.stream.is_capturing();
    if (!captured) return w.forward();
    hit();
    return CUDA_SUCCESS;
  }

  const host_wait::target of_;
};

/// The first kernel after a capture forgets what was in its stream before the capture.
class order_lost_by_capture : public behaviour {
 public:
  CUresult end_capture(const stream_ref& stream, CUgraph*, forward_call forward) override {
    const CUresult result = forward();
    captured_.with(stream.key(), [](bool& captured) { captured = true; });
    return result;
  }
  CUresult enqueue(operation& op) override {
    const bool captured = captured_.with(
        op.stream.key(), [](bool& flag) { return std::exchange(flag, false); });
    if (!captured || !op.is(operation_kind::kernel)) return op.forward();
    if (!is_complete(record_in(op.stream))) hit();
    private_event end;
    const CUresult result = enqueue_beside(op, nullptr, &end);
    if (result == CUDA_SUCCESS) wait_in(op.stream, end);
    return result;
  }

 private:
  per_stream<bool> captured_;
};

}  // namespace

std::unique_ptr<behaviour> make::captured_host_function_runs_at_capture() {
  return std::make_unique<captured_call_runs>();
}
std::unique_ptr<behaviour> make::captured_host_function_loses_dependencies() {
  return std::make_unique<captured_call_loses_edges>(false);
}
std::unique_ptr<behaviour> make::captured_host_function_keeps_first_join() {
  return std::make_unique<captured_call_loses_edges>(true);
}
std::unique_ptr<behaviour> make::capture_accepts_callback() {
  return std::make_unique<callback_accepted>();
}
std::unique_ptr<behaviour> make::waiting_for_capturing_stream_succeeds() {
  return std::make_unique<wait_succeeds>(host_wait::target::stream);
}
std::unique_ptr<behaviour> make::waiting_for_captured_event_succeeds() {
  return std::make_unique<wait_succeeds>(host_wait::target::event);
}
std::unique_ptr<behaviour> make::kernel_after_capture_forgets_stream() {
  return std::make_unique<order_lost_by_capture>();
}

}  // namespace streamcts::faults
