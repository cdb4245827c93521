// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What capture refuses, and what can be asked of it.

#include <algorithm>
#include <set>

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

void begin(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) {
  MUST(cu().StreamBeginCapture(stream, mode));
}

/// Ends a capture; what came of it is let go.
CUresult end(CUstream stream) {
  CUgraph graph = nullptr;
  const CUresult result = cu().StreamEndCapture(stream, &graph);
  if (graph) cu().GraphDestroy(graph);
  return result;
}

void unjoined_fork_is_refused(scene& s) {
  CUstream stream = s.stream(), branch = s.stream();
  CUevent fork = s.event();
  begin(stream);
  MUST(cu().EventRecord(fork, stream));
  MUST(cu().StreamWaitEvent(branch, fork, 0));
  s.signal(branch, s.control_word());
  s.expect(end(stream) != CUDA_SUCCESS, "a capture ended although a fork was not joined");
}

void invalidated_capture_yields_nothing(scene& s) {
  CUstream stream = s.stream();
  begin(stream);
  (void)cu().StreamSynchronize(stream);
  s.expect(end(stream) != CUDA_SUCCESS, "a graph came of a capture that was invalid");
}

/// Calls @p what on another thread, in the same context.
template <typename F>
CUresult elsewhere(F what) {
  CUcontext context = nullptr;
  MUST(cu().CtxGetCurrent(&context));
  CUresult result = CUDA_SUCCESS;
  std::thread other([&] {
    cu().CtxSetCurrent(context);
    result = what();
  });
  other.join();
  return result;
}

void capture_belongs_to_its_thread(scene& s) {
  CUstream stream = s.stream();
  begin(stream);
  const CUresult result = elsewhere([&] { return end(stream); });
  (void)end(stream);
  s.expect(result != CUDA_SUCCESS, "a capture was ended by a thread that did not begin it");
}

void global_capture_concerns_all_threads(scene& s) {
  CUstream stream = s.stream();
  begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
  CUdeviceptr memory = 0;
  const CUresult result = elsewhere([&] { return cu().MemAlloc(&memory, 4096); });
  (void)end(stream);
  if (memory) cu().MemFree(memory);
  s.expect(result != CUDA_SUCCESS, "another thread allocated during a global capture");
}

void crossing_wait_is_refused(scene& s) {
  CUstream stream = s.stream(), outside = s.stream();
  CUevent event = s.event();
  s.signal(outside, s.control_word());
  MUST(cu().EventRecord(event, outside));
  begin(stream);
  const CUresult result = cu().StreamWaitEvent(stream, event, 0);
  (void)end(stream);
  s.expect(result != CUDA_SUCCESS, "a capturing stream may wait for work outside");
}

void external_wait_holds(scene& s) {
  CUstream stream = s.stream(), outside = s.stream();
  CUevent event = s.event();
  std::uint32_t* const begun = s.control_word();
  begin(stream);
  MUST(cu().StreamWaitEvent(stream, event, CU_EVENT_WAIT_EXTERNAL));
  s.signal(stream, begun);
  CUgraph graph = nullptr;
  MUST(cu().StreamEndCapture(stream, &graph));
  CUgraphExec executable = s.instantiate(graph);
  cu().GraphDestroy(graph);
  held& gate = s.hold(outside);
  MUST(cu().EventRecord(event, outside));
  MUST(cu().GraphLaunch(executable, stream));
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a graph did not wait for an external event");
}

void legacy_work_during_capture_is_refused(scene& s) {
  CUstream stream = s.stream(CU_STREAM_DEFAULT);
  const CUdeviceptr memory = s.device(4096);
  begin(stream);
  const CUresult result = cu().MemsetD32Async(memory, 1, 16, CU_STREAM_LEGACY);
  (void)end(stream);
  s.expect(result != CUDA_SUCCESS, "the legacy stream took work while a stream captured");
}

void capture_ids_differ(scene& s) {
  CUstream stream = s.stream();
  std::set<cuuint64_t> ids;
  bool again = false;
  for (int i = 0; i < 64; ++i) {
    CUstreamCaptureStatus status{};
    cuuint64_t id = 0;
    begin(stream);
    const CUresult asked = cu().StreamGetCaptureInfo(stream, &status, &id, nullptr, nullptr,
                                                     nullptr, nullptr);
    (void)end(stream);
    MUST(asked);
    again = again || !ids.insert(id).second;
  }
  s.expect(!again, "two captures had one id");
}

void capture_update_replaces(scene& s) {
  CUstream stream = s.stream();
  begin(stream);
  s.signal(stream, s.control_word());
  const CUresult updated = cu().StreamUpdateCaptureDependencies(
      stream, nullptr, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  CUstreamCaptureStatus status{};
  std::size_t count = 0;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  const CUresult asked =
      cu().StreamGetCaptureInfo(stream, &status, nullptr, nullptr, &nodes, &edges, &count);
  (void)end(stream);
  MUST(updated);
  MUST(asked);
  s.expect(count == 0, "dependencies that were replaced are still there");
}

const witness list[] = {
    {"unjoined_fork_is_refused", unjoined_fork_is_refused},
    {"invalidated_capture_yields_nothing", invalidated_capture_yields_nothing},
    {"capture_belongs_to_its_thread", capture_belongs_to_its_thread},
    {"global_capture_concerns_all_threads", global_capture_concerns_all_threads},
    {"crossing_wait_is_refused", crossing_wait_is_refused},
    {"external_wait_holds", external_wait_holds},
    {"legacy_work_during_capture_is_refused", legacy_work_during_capture_is_refused},
    {"capture_ids_differ", capture_ids_differ},
    {"capture_update_replaces", capture_update_replaces},
};

}  // namespace

std::span<const witness> capture_witnesses() { return list; }

}  // namespace streamcts::faults::witness
