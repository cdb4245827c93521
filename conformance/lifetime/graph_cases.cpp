// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs and executables that are destroyed while launches of them are under way; a context that is
// destroyed under a thread.

#include <fmt/format.h>

#include <optional>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/context.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// When graph and executable go.
enum class destroy_at { graph_first, executable_first, graph_before_launch };
std::string_view name(destroy_at what) {
  switch (what) {
    case destroy_at::graph_first: return "graph_first";
    case destroy_at::executable_first: return "executable_first";
    case destroy_at::graph_before_launch: return "graph_before_launch";
  }
  return "unknown";
}

// Promise:   LT-GRAPH-001. Destroying an executable does not end the launches of it that are under way,
//            and destroying the graph does not concern executables made of it.
// Defect:    node parameters are freed with the executable or with the graph. Nodes that had not started
//            do not run, or with other parameters: a payload stays the sentinel, the host node is not
//            called.
// Any speed: the launch is held at its first node until both were destroyed.
STREAMCTS_CASE(destroyed_graph, {.arrangement = "lifetime/destroyed_graph",
                                 .clauses = {clause::LT_GRAPH_001},
                                 .axes = {make_axis<destroy_at>("destroyed",
                                                                {destroy_at::graph_first,
                                                                 destroy_at::executable_first,
                                                                 destroy_at::graph_before_launch}),
                                          created_streams()},
                                 .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  const auto when = context.get<destroy_at>("destroyed");
  constexpr std::array kinds = {node_kind::kernel, node_kind::copy, node_kind::memset};
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  const node_gates gates(context, 1);
  std::vector<product*> outs;
  for (const node_kind each : kinds) outs.push_back(&buffer_for(scene, each));
  node_call host;
  while (scene.next_round(context.by_tier(3, 6, 60))) {
    prepare_for_memset(*outs.back());
    std::optional<driver::graph> made(std::in_place, context.cuda());
    const CUgraphNode front = gates.add_to(*made, 0);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      add_writer(context, *made, kinds[i], *outs[i], front);
    }
    add_host(*made, host, front);
    std::optional<driver::graph_exec> graph(std::in_place, *made);
    if (when == destroy_at::graph_before_launch) made.reset();
    warm_up(context, *graph, stream);
    for (product* each : outs) each->data.begin_round(each->data.expected());
    observer& node = scene.host_call(host_call::launch_host_func);
    host.stands_for(node);
    observer& call = scene.host_call(host_call::add_callback);
    for (product* each : outs) call.looks_at(*each);
    gates.hold_next(scene, 0);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.note(stream, "graph launch");
      for (product* each : outs) each->written = victim;
      scene.node(node, {victim});
      graph->launch(stream.get());
      if (when == destroy_at::graph_first) made.reset();
      graph.reset();
      made.reset();
      scene.enqueue(stream, call);
    });
    scene.drain();
    host.rest();
    scene.expect_complete(clause::LT_GRAPH_001, victim, call);
    scene.expect(clause::LT_GRAPH_001, victim, node.op(), failure_kind::duplicate,
                 node.slot().times(), ::testing::Eq(1u));
  }
}

/// A call that needs a context.
struct context_call {
  const char* name;
  CUresult (*make)(const driver::function_table& cuda);
};
constexpr context_call context_calls[] = {
    {"cuStreamCreate",
     [](const driver::function_table& cuda) {
       CUstream made = nullptr;
       const CUresult code = cuda.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING);
       if (code == CUDA_SUCCESS) (void)cuda.cuStreamDestroy(made);
       return code;
     }},
    {"cuEventCreate",
     [](const driver::function_table& cuda) {
       CUevent made = nullptr;
       const CUresult code = cuda.cuEventCreate(&made, CU_EVENT_DISABLE_TIMING);
       if (code == CUDA_SUCCESS) (void)cuda.cuEventDestroy(made);
       return code;
     }},
    {"cuMemAlloc",
     [](const driver::function_table& cuda) {
       CUdeviceptr made = 0;
       const CUresult code = cuda.cuMemAlloc(&made, 64 * 1024);
       if (code == CUDA_SUCCESS) (void)cuda.cuMemFree(made);
       return code;
     }},
    {"cuCtxSynchronize", [](const driver::function_table& cuda) { return cuda.cuCtxSynchronize(); }},
};

// Promise:   LT-CTX-002. Threads to which a destroyed context is still current get the
//            context-is-destroyed error.
// Defect:    such a thread is silently given another context: the call succeeds. Or it crashes.
// Any speed: the codes of calls made after the context was destroyed.
STREAMCTS_CASE(destroyed_context, {.arrangement = "lifetime/destroyed_context",
                                   .clauses = {clause::LT_CTX_002},
                                   .where = isolation::own_process,
                                   .needs = {need::two_contexts},
                                   .without_hold = "the codes of calls"}) {
  const driver::function_table& cuda = context.cuda();
  host_thread other(context.session());
  for (int round = 0; round < context.by_tier(2, 3, 10) && !context.failed(); ++round) {
    context.count_round();
    driver::context made =
        driver::context::create(cuda, context.session().given().device_ordinal);
    context.session().make_current();
    other.run([&] {
      made.make_current();
      STREAMCTS_CHECK(cuda.cuCtxSynchronize());
    });
    STREAMCTS_CHECK(cuda.cuCtxDestroy(made.release()));
    for (const context_call& each : context_calls) {
      CUresult code = CUDA_SUCCESS;
      other.run([&] { code = each.make(cuda); });
      context.expect(clause::LT_CTX_002, failure_kind::status,
                     fmt::format("{} by a thread whose context was destroyed by another", each.name),
                     code, ::testing::Eq(CUDA_ERROR_CONTEXT_IS_DESTROYED));
    }
  }
}

}  // namespace
}  // namespace streamcts
