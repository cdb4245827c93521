// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Whose capture it is, what its mode forbids to whom, and what can be asked of it.

#include <fmt/format.h>

#include <set>

#include "conformance/capture/capturing.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

// Promise:   CAP-008. A capture that was not begun in relaxed mode must be ended by the thread that began
//            it; ended by another, the call returns the wrong-thread error.
// Defect:    the owning thread is ignored. The call returns success.
// Any speed: the codes of calls.
STREAMCTS_CASE(other_thread_ends, {.arrangement = "capture/other_thread_ends",
                                   .clauses = {clause::CAP_008},
                                   .axes = {capture_modes()},
                                   .without_hold = "the codes of calls"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const auto mode = context.get<capture_mode>("mode");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  host_thread& other = scene.thread();
  while (scene.next_round(context.by_tier(2, 4, 20))) {
    capture recording(cuda, stream.get(), mode_of(mode));
    CUresult code = CUDA_SUCCESS;
    CUgraph made = nullptr;
    other.run([&] { code = recording.end(made); });
    if (code == CUDA_SUCCESS && made != nullptr) (void)cuda.cuGraphDestroy(made);
    const std::string who = "cuStreamEndCapture by a thread that did not begin it";
    if (mode == capture_mode::relaxed) {
      context.expect(clause::CAP_008, failure_kind::status, who, code, Succeeds());
    } else {
      context.expect(clause::CAP_008, failure_kind::status, who, code,
                     ::testing::Eq(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD));
    }
  }
}

/// The mode of the thread that makes the unsafe call.
enum class thread_mode { global, thread_local_mode, relaxed };
std::string_view name(thread_mode what) {
  return streamcts::name(static_cast<capture_mode>(what));
}
enum class who { own, other };
std::string_view name(who what) { return what == who::own ? "own_thread" : "other_thread"; }

/// Whether an allocation is refused (cuThreadExchangeStreamCaptureMode).
bool is_refused(capture_mode capture_is, thread_mode thread_is, who by) {
  if (capture_is == capture_mode::relaxed || thread_is == thread_mode::relaxed) return false;
  if (by == who::own) return true;
  return capture_is == capture_mode::global && thread_is == thread_mode::global;
}

struct attempt {
  CUresult code = CUDA_SUCCESS;
  CUstreamCaptureMode previous = CU_STREAM_CAPTURE_MODE_GLOBAL;
  CUstreamCaptureMode restored = CU_STREAM_CAPTURE_MODE_GLOBAL;
};

/// Allocates in the mode @p mode of the calling thread, and puts the mode back.
attempt allocate_in(const driver::function_table& cuda, CUstreamCaptureMode mode) {
  attempt made;
  made.previous = mode;
  STREAMCTS_CHECK(cuda.cuThreadExchangeStreamCaptureMode(&made.previous));
  CUdeviceptr memory = 0;
  made.code = cuda.cuMemAlloc(&memory, 64 * 1024);
  // Freed where nothing can forbid it.
  made.restored = CU_STREAM_CAPTURE_MODE_RELAXED;
  STREAMCTS_CHECK(cuda.cuThreadExchangeStreamCaptureMode(&made.restored));
  if (made.code == CUDA_SUCCESS) (void)cuda.cuMemFree(memory);
  CUstreamCaptureMode back = made.previous;
  STREAMCTS_CHECK(cuda.cuThreadExchangeStreamCaptureMode(&back));
  return made;
}

// Promise:   CAP-010. A plain allocation is refused during a capture as far as the modes of the capture
//            and of the calling thread reach, and allowed otherwise; changing the thread's mode returns
//            the one before.
// Defect:    global mode is applied to the capturing thread alone, or thread-local mode to all; the
//            exchange returns something else. Success and refusal differ from the rule.
// Any speed: the codes of calls.
STREAMCTS_CASE(unsafe_call, {.arrangement = "capture/unsafe_call",
                             .clauses = {clause::CAP_010},
                             .axes = {capture_modes(),
                                      make_axis<thread_mode>("thread_mode",
                                                             {thread_mode::global,
                                                              thread_mode::thread_local_mode,
                                                              thread_mode::relaxed})},
                             .without_hold = "the codes of calls"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const auto capture_is = context.get<capture_mode>("mode");
  const auto thread_is = context.get<thread_mode>("thread_mode");
  const CUstreamCaptureMode mode = mode_of(static_cast<capture_mode>(thread_is));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  host_thread& other = scene.thread();
  for (const who by : {who::own, who::other}) {
    attempt made;
    {
      capture recording(cuda, stream.get(), mode_of(capture_is));
      const auto attempt_it = [&] { made = allocate_in(cuda, mode); };
      if (by == who::own) {
        attempt_it();
      } else {
        other.run(attempt_it);
      }
    }
    const std::string observer = fmt::format("cuMemAlloc by the {} in {} mode during a {} capture",
                                             name(by), name(thread_is), name(capture_is));
    if (is_refused(capture_is, thread_is, by)) {
      context.expect(clause::CAP_010, failure_kind::status, observer, made.code,
                     ::testing::Not(Succeeds()));
    } else {
      context.expect(clause::CAP_010, failure_kind::status, observer, made.code, Succeeds());
    }
    context.expect(clause::CAP_010, failure_kind::value, "the mode before the first exchange",
                   static_cast<int>(made.previous),
                   ::testing::Eq(static_cast<int>(CU_STREAM_CAPTURE_MODE_GLOBAL)));
    context.expect(clause::CAP_010, failure_kind::value, "the mode before the second exchange",
                   static_cast<int>(made.restored), ::testing::Eq(static_cast<int>(mode)));
  }
}

struct capture_info {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  cuuint64_t id = 0;
  std::vector<CUgraphNode> dependencies;
};

capture_info info_of(const driver::function_table& cuda, CUstream stream) {
  capture_info made;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  std::size_t count = 0;
  STREAMCTS_CHECK(cuda.cuStreamGetCaptureInfo_v2(stream, &made.status, &made.id, &graph, &nodes,
                                                 &count));
  made.dependencies.assign(nodes, nodes + count);
  return made;
}

void require_capture_info(case_context& context) {
  require_capture(context);
  if (context.cuda().cuStreamGetCaptureInfo_v2 == nullptr ||
      context.cuda().cuStreamUpdateCaptureDependencies_v1 == nullptr) {
    context.not_supported("cuStreamGetCaptureInfo_v2 = absent");
  }
}

// Promise:   CAP-011. Every capture of the process has an id of its own, not zero, which all its streams
//            show; a stream that does not capture shows none.
// Defect:    an id is handed out again, or belongs to the stream. The same number is seen twice.
// Any speed: looks at numbers.
STREAMCTS_CASE(capture_ids, {.arrangement = "capture/ids",
                             .clauses = {clause::CAP_011},
                             .without_hold = "compares all ids"}) {
  require_capture_info(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  const std::array lanes = {&scene.stream(driver::stream_kind::non_blocking),
                            &scene.stream(driver::stream_kind::blocking)};
  lane& joined = scene.stream(driver::stream_kind::non_blocking);
  mark& fork = scene.event();
  std::set<cuuint64_t> ids;
  std::size_t captures = 0;
  while (scene.next_round(context.by_tier(100, 500, 5000))) {
    for (lane* each : lanes) {
      capture recording(cuda, each->get());
      fork.event.record(each->get());
      joined.stream.wait(fork.event);
      const capture_info origin = info_of(cuda, each->get());
      context.expect(clause::CAP_011, failure_kind::status, "capture status of the origin",
                     static_cast<int>(origin.status),
                     ::testing::Eq(static_cast<int>(CU_STREAM_CAPTURE_STATUS_ACTIVE)));
      context.expect(clause::CAP_011, failure_kind::value, "id seen in a stream that joined",
                     info_of(cuda, joined.get()).id, ::testing::Eq(origin.id));
      ids.insert(origin.id);
      ++captures;
    }
    context.expect(clause::CAP_011, failure_kind::status, "capture status after the end",
                   static_cast<int>(info_of(cuda, joined.get()).status),
                   ::testing::Eq(static_cast<int>(CU_STREAM_CAPTURE_STATUS_NONE)));
    context.expect(clause::CAP_011, failure_kind::duplicate, "number of different ids so far",
                   ids.size(), ::testing::Eq(captures));
  }
}

void capture_host_function(const driver::function_table& cuda, CUstream stream, node_call& call) {
  const CUDA_HOST_NODE_PARAMS target = call.parameters();
  STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream, target.fn, target.userData));
}

// Promise:   CAP-011. The query names the node just captured as what the next one depends on; after a
//            replacement the next captured node depends on the new set, after an addition on both.
// Defect:    the set is added to though it was to be replaced. The node captured next has another set of
//            dependencies.
// Any speed: looks at the graph, and at the code of an update outside a capture.
STREAMCTS_CASE(capture_dependencies, {.arrangement = "capture/dependencies",
                                      .clauses = {clause::CAP_011},
                                      .axes = {capture_modes()},
                                      .without_hold = "looks at the nodes of the graph"}) {
  require_capture_info(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  std::deque<node_call> calls(5);
  capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
  std::vector<CUgraphNode> nodes;
  const auto next = [&] {
    capture_host_function(cuda, stream.get(), calls[nodes.size()]);
    const capture_info now = info_of(cuda, stream.get());
    context.expect(clause::CAP_011, failure_kind::value, "dependencies after one captured node",
                   now.dependencies.size(), ::testing::Eq(1u));
    nodes.push_back(now.dependencies.empty() ? nullptr : now.dependencies.front());
  };
  const auto update = [&](std::vector<CUgraphNode> to, unsigned how) {
    STREAMCTS_CHECK(cuda.cuStreamUpdateCaptureDependencies_v1(stream.get(), to.data(), to.size(),
                                                              how));
  };
  next();
  next();
  update({nodes[0]}, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  next();  // beside the second
  update({nodes[1]}, CU_STREAM_ADD_CAPTURE_DEPENDENCIES);
  next();  // behind both
  update({}, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  next();  // a root
  // What is left unjoined would make the end fail.
  update({nodes[3], nodes[4]}, CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  const driver::graph made = recording.take();
  if (context.failed()) return;
  const auto behind = [&](std::size_t which) {
    std::size_t count = 8;
    std::vector<CUgraphNode> found(count);
    STREAMCTS_CHECK(cuda.cuGraphNodeGetDependencies(nodes[which], found.data(), &count));
    found.resize(std::min(count, found.size()));
    return found;
  };
  const auto expect = [&](std::size_t which, const std::vector<CUgraphNode>& what) {
    context.expect(clause::CAP_011, failure_kind::order,
                   fmt::format("dependencies of captured node {}", which + 1), behind(which),
                   ::testing::UnorderedElementsAreArray(what));
  };
  expect(0, {});
  expect(1, {nodes[0]});
  expect(2, {nodes[0]});
  expect(3, {nodes[1], nodes[2]});
  expect(4, {});
  context.expect(clause::CAP_011, failure_kind::status,
                 "cuStreamUpdateCaptureDependencies of a stream that does not capture",
                 cuda.cuStreamUpdateCaptureDependencies_v1(stream.get(), nodes.data(), 1,
                                                           CU_STREAM_SET_CAPTURE_DEPENDENCIES),
                 ::testing::Eq(CUDA_ERROR_ILLEGAL_STATE));
}

}  // namespace
}  // namespace streamcts
