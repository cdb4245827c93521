// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Forks and joins that are captured, and what crosses the border of a capture.

#include <fmt/format.h>

#include "conformance/capture/capturing.h"
#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"

namespace streamcts {
namespace {

/// How the branches come back to the origin.
enum class join_shape {
  fan_in,   ///< the origin waits for each branch
  chain,    ///< each branch waits for the one before; the origin for the last
  through,  ///< a stream without work of its own waits for all, the origin for it
};
std::string_view name(join_shape what) {
  switch (what) {
    case join_shape::fan_in: return "fan_in";
    case join_shape::chain: return "chain";
    case join_shape::through: return "through";
  }
  return "unknown";
}

/// Puts the joins of @p branches into a capture that begins in @p origin.
void capture_joins(join_shape shape, lane& origin, std::deque<lane*>& branches,
                   std::vector<mark*>& ends, lane& between, mark& end) {
  lane& waits = shape == join_shape::through ? between : origin;
  if (shape == join_shape::through) waits.stream.wait(ends.back()->event);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    if (shape == join_shape::chain && i > 0) {
      branches[i]->stream.wait(ends[i - 1]->event);
    }
    ends[i]->event.record(branches[i]->get());
    if (shape != join_shape::chain) waits.stream.wait(ends[i]->event);
  }
  if (shape == join_shape::chain) origin.stream.wait(ends[branches.size() - 1]->event);
  if (shape == join_shape::through) {
    end.event.record(between.get());
    origin.stream.wait(end.event);
  }
}

// Promise:   JN-CAP-001. A host function captured behind joins runs, at every launch, after the work of
//            all joined branches, and of the origin.
// Defect:    an edge that a wait contributed is dropped: the first, the last, all but one. The host
//            function finds the sentinel in what that branch writes.
// Any speed: one branch after the other is held within the graph until the host function had its chance.
STREAMCTS_CASE(captured_join, {.arrangement = "capture/join",
                               .clauses = {clause::JN_CAP_001},
                               .axes = {make_axis<join_shape>("shape", {join_shape::fan_in,
                                                                        join_shape::chain,
                                                                        join_shape::through}),
                                        make_axis<capture_mode>("mode",
                                                                {capture_mode::thread_local_mode,
                                                                 {capture_mode::global,
                                                                  tier::standard},
                                                                 {capture_mode::relaxed,
                                                                  tier::standard}})},
                               .needs = {need::device_gate, need::mapped_memory}}) {
  require_capture(context);
  constexpr std::size_t branches = 4;  // and the origin
  const driver::kernel_set& kernels = context.kernels();
  const auto timeout = static_cast<std::uint64_t>(context.calibration().gate_timeout().count());
  arrangement scene(context);
  lane& origin = scene.stream(driver::stream_kind::blocking);
  lane& between = scene.stream(driver::stream_kind::non_blocking);
  const node_gates gates(context, branches + 1);
  std::deque<lane*> lanes;
  std::vector<product*> outs;
  std::vector<mark*> ends;
  for (std::size_t i = 0; i <= branches; ++i) {
    if (i < branches) lanes.push_back(&scene.stream(driver::stream_kind::non_blocking));
    ends.push_back(&scene.event());
    outs.push_back(&buffer_for(scene, node_kind::kernel));
  }
  mark& fork = scene.event();
  mark& end = scene.event();
  node_call host;
  const auto work = [&](lane& on, std::size_t i) {
    kernels.gate(on.get(), gates[i].word.device(), gates[i].begun.device(), 1, timeout);
    kernels.copy_words(on.get(), outs[i]->data.target(), outs[i]->source.address(),
                       outs[i]->data.words());
  };
  capture recording(context.cuda(), origin.get(), mode_of(context.get<capture_mode>("mode")));
  fork.event.record(origin.get());
  for (std::size_t i = 0; i < branches; ++i) {
    lanes[i]->stream.wait(fork.event);
    work(*lanes[i], i);
  }
  const auto shape = context.get<join_shape>("shape");
  if (shape == join_shape::through) ends.back()->event.record(origin.get());
  work(origin, branches);
  capture_joins(shape, origin, lanes, ends, between, end);
  const CUDA_HOST_NODE_PARAMS target = host.parameters();
  STREAMCTS_CHECK(context.cuda().cuLaunchHostFunc(origin.get(), target.fn, target.userData));
  const driver::graph made = recording.take();
  const driver::graph_exec graph(made);
  warm_up(context, graph, origin);
  const int rounds = static_cast<int>(branches) + 1;
  for (std::size_t held = 0; scene.next_round(rounds * context.by_tier(1, 2, 20)); ++held) {
    observer& call = scene.host_call(host_call::launch_host_func);
    for (product* each : outs) call.looks_at(*each);
    host.stands_for(call);
    operation victim{};
    gates.hold_next(scene, held % gates.size());
    scene.hold_work([&] {
      const operation launch = scene.note(origin, "graph launch");
      std::vector<operation> before;
      for (std::size_t i = 0; i < outs.size(); ++i) {
        before.push_back(scene.node(i < branches ? fmt::format("captured work of branch {}", i + 1)
                                                 : "captured work of the origin", {launch}));
        outs[i]->written = before.back();
      }
      victim = before[held % gates.size()];
      scene.node(call, before, "JN-CAP-001");
      graph.launch(origin.get());
    });
    scene.drain();
    host.rest();
    scene.expect_complete(clause::JN_CAP_001, victim, call);
  }
}

/// Of two forked streams, what is not joined back.
enum class unjoined { one_of_one, first_of_two, last_of_two, later_work };
std::string_view name(unjoined what) {
  switch (what) {
    case unjoined::one_of_one: return "one_of_one";
    case unjoined::first_of_two: return "first_of_two";
    case unjoined::last_of_two: return "last_of_two";
    case unjoined::later_work: return "later_work";
  }
  return "unknown";
}

// Promise:   JN-CAP-002. A capture cannot be ended while work of a forked stream is not joined back: the
//            call fails and yields no graph; the streams can be used afterwards.
// Defect:    the branch is silently dropped: the call succeeds, or fails and still writes a graph.
// Any speed: the code and the result of the call.
STREAMCTS_CASE(unjoined_fork, {.arrangement = "capture/unjoined_fork",
                               .clauses = {clause::JN_CAP_002},
                               .axes = {make_axis<unjoined>("unjoined", {unjoined::one_of_one,
                                                                         unjoined::first_of_two,
                                                                         unjoined::last_of_two,
                                                                         unjoined::later_work}),
                                        capture_modes()},
                               .needs = {need::mapped_memory},
                               .without_hold = "the code and the result of the call"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const auto what = context.get<unjoined>("unjoined");
  arrangement scene(context);
  lane& origin = scene.stream(driver::stream_kind::non_blocking);
  const std::array branches = {&scene.stream(driver::stream_kind::non_blocking),
                               &scene.stream(driver::stream_kind::non_blocking)};
  mark& fork = scene.event();
  const std::array ends = {&scene.event(), &scene.event()};
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(2, 4, 40))) {
    CUgraph made = reinterpret_cast<CUgraph>(std::uintptr_t{0x10});  // must be overwritten
    const std::size_t count = what == unjoined::one_of_one || what == unjoined::later_work ? 1 : 2;
    const auto work = [&](lane& on) {
      context.kernels().write_pattern(on.get(), out.data.target(), 64, kernels::ramp(1));
    };
    capture recording(cuda, origin.get(), mode_of(context.get<capture_mode>("mode")));
    fork.event.record(origin.get());
    for (std::size_t i = 0; i < count; ++i) {
      branches[i]->stream.wait(fork.event);
      work(*branches[i]);
      const bool joined = what == unjoined::later_work ||
                          (count == 2 && (what == unjoined::first_of_two) == (i == 1));
      if (!joined) continue;
      ends[i]->event.record(branches[i]->get());
      origin.stream.wait(ends[i]->event);
      if (what == unjoined::later_work) work(*branches[i]);
    }
    const CUresult code = recording.end(made);
    context.expect(clause::JN_CAP_002, failure_kind::status, "cuStreamEndCapture", code,
                   ::testing::Not(Succeeds()));
    context.expect(clause::JN_CAP_002, failure_kind::value, "the graph of cuStreamEndCapture",
                   static_cast<const void*>(made), ::testing::IsNull());
    for (lane* each : {&origin, branches[0], branches[1]}) {
      context.expect(clause::JN_CAP_002, failure_kind::status,
                     fmt::format("capture status of {} afterwards", each->name),
                     static_cast<int>(status_of(cuda, each->get())),
                     ::testing::Eq(static_cast<int>(CU_STREAM_CAPTURE_STATUS_NONE)));
    }
    if (context.failed()) return;
    expect_usable(scene, clause::JN_CAP_002, origin, out, host_call::launch_host_func);
  }
}

// Promise:   CAP-013. After a capture has ended, the next ordinary operation of its stream is still
//            behind what was enqueued before the capture began.
// Defect:    the end of the capture resets the stream's order. The operation takes the sentinel.
// Any speed: what is in front of the capture is held until what is behind it had its chance.
STREAMCTS_CASE(order_across_capture, {.arrangement = "capture/order_across",
                                      .clauses = {clause::CAP_013},
                                      .axes = {consumers(), created_streams()},
                                      .needs = {need::device_gate, need::mapped_memory}}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  const consumer kind = consumer_of(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& in = scene.buffer(input_of(kind));
  product& captured = scene.buffer(memory_kind::mapped);
  consumption use(context, scene, kind, in);
  for (int round = 0; scene.next_round(context.by_tier(2, 4, 40)); ++round) {
    operation victim{};
    std::optional<driver::graph> made;
    scene.hold_work([&] {
      victim = scene.victim(stream, in);
      capture recording(cuda, stream.get());
      // An empty capture in one round, one of a kernel in the other.
      if (round % 2 == 1) {
        context.kernels().write_pattern(stream.get(), captured.data.target(), 64, kernels::ramp(1));
      }
      made.emplace(recording.take());
      use.enqueue(stream);
    });
    scene.drain();
    use.expect_ordered(clause::CAP_013, victim);
  }
}

// Promise:   CAP-007. With the external flag a capturing stream may wait for an event of work outside:
//            the graph gets a wait node, which works at every launch.
// Defect:    the dependency across the border is dropped. The host node behind it finds the sentinel in
//            what the work outside writes.
// Any speed: the work outside is held until the graph had its chance.
STREAMCTS_CASE(external_wait, {.arrangement = "capture/external_wait",
                               .clauses = {clause::CAP_007},
                               .axes = {capture_modes()},
                               .needs = {need::device_gate, need::mapped_memory}}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  product& in = scene.buffer(memory_kind::mapped);
  mark& event = scene.event();
  node_call host;
  event.event.record(other.get());
  capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
  STREAMCTS_CHECK(cuda.cuStreamWaitEvent(stream.get(), event.get(), CU_EVENT_WAIT_EXTERNAL));
  const CUDA_HOST_NODE_PARAMS target = host.parameters();
  STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream.get(), target.fn, target.userData));
  const driver::graph made = recording.take();
  const driver::graph_exec graph(made);
  warm_up(context, graph, stream);
  while (scene.next_round(context.by_tier(2, 4, 40))) {
    observer& call = scene.host_call(host_call::launch_host_func);
    call.looks_at(in);
    host.stands_for(call);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(other, in);
      const operation record = scene.record(event, other);
      const operation launch = scene.note(stream, "graph launch");
      scene.node(call, {launch, record}, "CAP-007");
      graph.launch(stream.get());
    });
    scene.drain();
    host.rest();
    scene.expect_complete(clause::CAP_007, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
