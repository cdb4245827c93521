// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class F: rules of capture that are not kept: what must be refused is accepted.

#include <mutex>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/captured_events.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

/// The end of a capture that the driver behind refuses for one reason yields a graph all the same.
class end_accepted : public behaviour {
 public:
  explicit end_accepted(CUresult refusal) : refusal_(refusal) {}
  bool sees_captures() const override { return true; }
  CUresult end_capture(const stream_ref&, CUgraph* graph, forward_call forward) override {
    const CUresult result = forward();
    if (result != refusal_ || !graph || !real().graph_create) return result;
    hit();
    return real().graph_create(graph, 0);
  }

 private:
  const CUresult refusal_;
};

/// Captures are begun in another mode than asked for.
class other_mode : public behaviour {
 public:
  other_mode(bool global_alone, CUstreamCaptureMode instead)
      : global_alone_(global_alone), instead_(instead) {}
  CUresult begin_capture(const stream_ref&, CUstreamCaptureMode& mode,
                         forward_call forward) override {
    if (mode != instead_ && (!global_alone_ || mode == CU_STREAM_CAPTURE_MODE_GLOBAL)) {
      mode = instead_;
      hit();
    }
    return forward();
  }

 private:
  const bool global_alone_;
  const CUstreamCaptureMode instead_;
};

/// A capturing stream's wait for what is outside the capture is dropped.
class crossing_wait_dropped : public behaviour {
 public:
  explicit crossing_wait_dropped(bool external) : external_(external) {}
  bool sees_captures() const override { return true; }
  CUresult enqueue(operation& op) override {
    const bool external = (op.event_flags & CU_EVENT_WAIT_EXTERNAL) != 0;
    if (!is_wait(op) || external != external_ || !op.stream.is_capturing() ||
        (!external && is_captured(op.event))) {
      return op.forward();
    }
    hit();
    return CUDA_SUCCESS;
  }

 private:
  const bool external_;
};

/// Work put into the legacy stream while a blocking stream captures runs at once, beside everything.
class legacy_work_accepted : public behaviour {
 public:
  bool sees_captures() const override { return true; }
  CUresult enqueue(operation& op) override {
    if (!op.stream.is_legacy() || !op.stream.is_capturing()) return op.forward();
    const capture_exemption exempt;
    const CUstream beside = side_stream(op.stream);
    if (!beside) return op.forward();
    hit();
    return op.send_to(beside);
  }
};

/// The ids of captures are taken from a handful.
class ids_repeat : public behaviour {
 public:
  bool sees_captures() const override { return true; }
  CUresult capture_info(const stream_ref&, cuuint64_t* id, forward_call forward) override {
    const CUresult result = forward();
    if (result == CUDA_SUCCESS && id && *id > 15) {
      *id = *id % 16 + 1;
      hit();
    }
    return result;
  }
};

/// A replacement of capture dependencies adds to what is there.
class update_adds : public behaviour {
 public:
  bool sees_captures() const override { return true; }
  CUresult update_capture_dependencies(const stream_ref&, unsigned& flags,
                                       forward_call forward) override {
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) {
      flags = CU_STREAM_ADD_CAPTURE_DEPENDENCIES;
      hit();
    }
    return forward();
  }
};

}  // namespace

std::unique_ptr<behaviour> make::capture_drops_unjoined_branch() {
  return std::make_unique<end_accepted>(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}
std::unique_ptr<behaviour> make::invalidated_capture_yields_graph() {
  return std::make_unique<end_accepted>(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}
std::unique_ptr<behaviour> make::capture_is_always_relaxed() {
  return std::make_unique<other_mode>(false, CU_STREAM_CAPTURE_MODE_RELAXED);
}
std::unique_ptr<behaviour> make::global_capture_is_thread_local() {
  return std::make_unique<other_mode>(true, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}
std::unique_ptr<behaviour> make::capture_drops_crossing_wait() {
  return std::make_unique<crossing_wait_dropped>(false);
}
std::unique_ptr<behaviour> make::capture_drops_external_wait() {
  return std::make_unique<crossing_wait_dropped>(true);
}
std::unique_ptr<behaviour> make::legacy_work_ignores_capture() {
  return std::make_unique<legacy_work_accepted>();
}
std::unique_ptr<behaviour> make::capture_ids_repeat() { return std::make_unique<ids_repeat>(); }
std::unique_ptr<behaviour> make::capture_update_adds() { return std::make_unique<update_adds>(); }

}  // namespace streamcts::faults
