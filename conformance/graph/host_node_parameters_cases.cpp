// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host node calls: once a launch, with the function and data that it had when it counts.

#include <fmt/format.h>

#include <array>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// Counts the calls of a host node by the function that was called.
struct tally {
  std::array<std::atomic<std::uint32_t>, 2> calls{};

  static void CUDA_CB first(void* self) { static_cast<tally*>(self)->count(0); }
  static void CUDA_CB second(void* self) { static_cast<tally*>(self)->count(1); }
  void count(std::size_t which) { calls[which].fetch_add(1, std::memory_order_acq_rel); }
  std::uint32_t seen(std::size_t which) const { return calls[which].load(std::memory_order_acquire); }
};

CUhostFn function(std::size_t which) { return which == 0 ? &tally::first : &tally::second; }

CUDA_HOST_NODE_PARAMS target(std::size_t which, tally& data) {
  CUDA_HOST_NODE_PARAMS made{};
  made.fn = function(which);
  made.userData = &data;
  return made;
}

/// Waits until @p stream is empty; the counters are then complete.
void finish(case_context& context, lane& stream) {
  if (stream.stream.wait_idle(context.calibration().patience())) return;
  context.inconclusive("a stream with graph launches did not become empty");
}

void expect_calls(case_context& context, clause_id promise, const tally& of, std::size_t which,
                  std::uint32_t count, const std::string& who) {
  const std::uint32_t seen = of.seen(which);
  context.expect(promise,
                 seen < count ? failure_kind::lost : failure_kind::duplicate, who, seen,
                 ::testing::Eq(count));
}

/// How a graph comes to be.
enum class origin { by_hand, captured };
std::string_view name(origin what) { return what == origin::by_hand ? "by_hand" : "captured"; }

/// A graph of host nodes, one a tally, with alternating functions; every fourth depends on nothing.
driver::graph graph_of(case_context& context, origin how, std::deque<tally>& all, lane& stream) {
  const driver::function_table& cuda = context.cuda();
  if (how == origin::captured) {
    STREAMCTS_CHECK(cuda.cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    for (std::size_t i = 0; i < all.size(); ++i) {
      STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream.get(), function(i % 2), &all[i]));
    }
    CUgraph made = nullptr;
    STREAMCTS_CHECK(cuda.cuStreamEndCapture(stream.get(), &made));
    return driver::graph(cuda, made);
  }
  driver::graph made(cuda);
  CUgraphNode last = nullptr;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const driver::node_list none;
    last = made.add_host(function(i % 2), &all[i],
                         i % 4 == 0 ? none : driver::node_list(last));
  }
  return made;
}

// Promise:   GR-HOST-001. Each launch calls every host node once, with the function and the data that it
//            was made with.
// Defect:    a node is skipped from some launch on, called twice, or gets the data of its neighbour. A
//            counter differs from the number of launches.
// Any speed: counters, read when the stream is empty.
STREAMCTS_CASE(host_nodes_once, {.arrangement = "graph/host_nodes_once",
                                 .clauses = {clause::GR_HOST_001},
                                 .axes = {make_axis<origin>("origin", {origin::by_hand,
                                                                       origin::captured})},
                                 .without_hold = "counts all calls of all launches"}) {
  require_graphs(context);
  if (context.get<origin>("origin") == origin::captured) require_capture(context);
  constexpr std::size_t nodes = 50;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  std::deque<tally> all(nodes);
  const driver::graph_exec graph(graph_of(context, context.get<origin>("origin"), all, stream));
  std::uint32_t launches = 0;
  while (scene.next_round(context.by_tier(2, 5, 20))) {
    // The first and second launch are looked at alone, then many at once.
    const std::uint32_t more = launches < 2 ? 1 : 48;
    for (std::uint32_t i = 0; i < more; ++i) graph.launch(stream.get());
    launches += more;
    finish(context, stream);
    for (std::size_t i = 0; i < nodes; ++i) {
      const std::string who = fmt::format("host node {} after {} launches", i + 1, launches);
      expect_calls(context, clause::GR_HOST_001, all[i], i % 2, launches, who);
      expect_calls(context, clause::GR_HOST_001, all[i], 1 - i % 2, 0, who + ", other function");
    }
  }
}

/// What of a node is changed.
enum class change { function, data, both };
std::string_view name(change what) {
  switch (what) {
    case change::function: return "function";
    case change::data: return "data";
    case change::both: return "both";
  }
  return "unknown";
}
axis changes() {
  return make_axis<change>("change", {change::both, change::function, change::data});
}

/// A host node before and after a change.
class changed_node {
 public:
  explicit changed_node(change what) : what_(what) {}

  CUDA_HOST_NODE_PARAMS before() { return target(0, old_); }
  CUDA_HOST_NODE_PARAMS after() { return target(new_function(), new_data()); }
  void expect(case_context& context, clause_id promise, std::uint32_t calls_before,
              std::uint32_t calls_after, const std::string& who) {
    expect_calls(context, promise, old_, 0, calls_before, who + ", as it was");
    expect_calls(context, promise, new_data(), new_function(), calls_after,
                 who + ", as it was changed to");
  }

 private:
  std::size_t new_function() const { return what_ == change::data ? 0 : 1; }
  tally& new_data() { return what_ == change::function ? old_ : new_; }

  change what_;
  tally old_, new_;
};

void set_in_graph(case_context& context, CUgraphNode node, const CUDA_HOST_NODE_PARAMS& now) {
  STREAMCTS_CHECK(context.cuda().cuGraphHostNodeSetParams(node, &now));
}

// Promise:   GR-HOST-005. A change of a host node in the graph concerns only what is instantiated
//            afterwards.
// Defect:    graph and executable share the parameters, or the graph keeps the old ones. The launch of
//            the older executable reaches the new target, or that of the newer one the old.
// Any speed: counters, read when the stream is empty.
STREAMCTS_CASE(graph_change, {.arrangement = "graph/graph_change",
                              .clauses = {clause::GR_HOST_005},
                              .axes = {changes()},
                              .without_hold = "counts all calls of all launches"}) {
  require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  while (scene.next_round(context.by_tier(3, 10, 100))) {
    changed_node target(context.get<change>("change"));
    driver::graph made(context.cuda());
    const CUDA_HOST_NODE_PARAMS before = target.before();
    const CUgraphNode node = made.add_host(before.fn, before.userData);
    const driver::graph_exec older(made);
    set_in_graph(context, node, target.after());
    const driver::graph_exec newer(made);
    older.launch(stream.get());
    older.launch(stream.get());
    finish(context, stream);
    target.expect(context, clause::GR_HOST_005, 2, 0, "host node of the older executable");
    newer.launch(stream.get());
    finish(context, stream);
    target.expect(context, clause::GR_HOST_005, 2, 1, "host node of the newer executable");
  }
}

/// How an executable is changed.
enum class update { node, whole };
std::string_view name(update what) { return what == update::node ? "node" : "whole"; }
axis updates() { return make_axis<update>("update", {update::node, update::whole}); }

/// Changes the host node @p node of @p graph, made of @p source, to @p now.
void change_executable(case_context& context, update how, const driver::graph_exec& graph,
                       const driver::graph& source, CUgraphNode node,
                       const CUDA_HOST_NODE_PARAMS& now) {
  if (how == update::node) return graph.set_host_node(node, now.fn, now.userData);
  set_in_graph(context, node, now);
  const driver::graph_exec::update_result result = graph.update(source);
  driver::check(result.code, "cuGraphExecUpdate");
}

// Promise:   GR-HOST-001, GR-HOST-006. A launch calls what the last update of the executable before it
//            said.
// Defect:    the update does nothing, or holds for one launch. The counter of the old target moves on.
// Any speed: counters, read when the stream is empty.
STREAMCTS_CASE(executable_change, {.arrangement = "graph/executable_change",
                                   .clauses = {clause::GR_HOST_001, clause::GR_HOST_006},
                                   .axes = {updates(), changes()},
                                   .without_hold = "counts all calls of all launches"}) {
  require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  while (scene.next_round(context.by_tier(3, 10, 100))) {
    changed_node target(context.get<change>("change"));
    driver::graph made(context.cuda());
    const CUDA_HOST_NODE_PARAMS before = target.before();
    const CUgraphNode node = made.add_host(before.fn, before.userData);
    const driver::graph_exec graph(made);
    graph.launch(stream.get());
    finish(context, stream);
    target.expect(context, clause::GR_HOST_001, 1, 0, "host node before the update");
    change_executable(context, context.get<update>("update"), graph, made, node, target.after());
    for (std::uint32_t i = 1; i <= 3; ++i) {
      graph.launch(stream.get());
      finish(context, stream);
      target.expect(context, clause::GR_HOST_006, 1, i, "host node after the update");
    }
  }
}

/// How far the launch is that is not to be reached by the change.
enum class progress { enqueued, running };
std::string_view name(progress what) {
  return what == progress::enqueued ? "enqueued" : "running";
}

/// Waits until the gate has begun; a driver that starts late is no reason to wait for long.
void await_begin(const case_context& context, const node_gate& of) {
  const auto start = std::chrono::steady_clock::now();
  const auto limit = context.calibration().enqueue_cap() / 2;
  for (unsigned step = 0; of.begun.load() == 0; ++step) {
    if (std::chrono::steady_clock::now() - start > limit) return;
    relax_thread(step);
  }
}

// Promise:   GR-HOST-006. A change of a host node in an executable does not reach launches that are
//            already enqueued or running.
// Defect:    the node's parameters are read when it runs. The pending launch calls the new target.
// Any speed: the launch is held, in front of it or at its first node, until the change was made;
//            counters tell what was called.
STREAMCTS_CASE(change_of_pending, {.arrangement = "graph/change_of_pending",
                                   .clauses = {clause::GR_HOST_006},
                                   .axes = {updates(),
                                            make_axis<progress>("progress", {progress::enqueued,
                                                                             progress::running})},
                                   .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  const auto how = context.get<update>("update");
  const bool running = context.get<progress>("progress") == progress::running;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const node_gates gates(context, 1);
  for (std::uint32_t round = 0; scene.next_round(context.by_tier(3, 6, 60)); ++round) {
    tally old_target, new_target;
    driver::graph made(context.cuda());
    const CUgraphNode node = made.add_host(function(0), &old_target, gates.add_to(made, 0));
    const driver::graph_exec graph(made);
    warm_up(context, graph, stream);
    gates.hold_next(scene, 0);
    scene.hold_work([&] {
      if (!running) {
        // The gate in front of the launch has the words of the one within, which is then open too.
        scene.note(stream, "gate");
        scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                    gate_kind::mapped_flag);
      }
      scene.note(stream, "launch before the change");
      graph.launch(stream.get());
      if (running) await_begin(context, gates[0]);
      change_executable(context, how, graph, made, node, target(1, new_target));
      scene.note(stream, "launch after the change");
      graph.launch(stream.get());
    });
    scene.drain();
    expect_calls(context, clause::GR_HOST_006, old_target, 0, 2, "host node of the older launches");
    expect_calls(context, clause::GR_HOST_006, new_target, 1, 1, "host node of the newer launch");
  }
}

}  // namespace
}  // namespace streamcts
