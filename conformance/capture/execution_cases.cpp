// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What is captured is not executed; it becomes nodes at their place; what cannot be captured is refused.

#include <fmt/format.h>

#include "conformance/capture/capturing.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

axis captured_streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::blocking, stream_kind::non_blocking,
                                           stream_kind::per_thread});
}

// Promise:   CAP-001. Kernels, copies, memsets and host functions put into a capturing stream are not
//            executed by the capture; each launch of the graph executes each of them once.
// Defect:    something runs when it is captured, or not at a launch, or only at the first. A payload is
//            not the sentinel before the launch, or not the pattern after it; the count of calls differs.
// Any speed: looked at when the context is empty, before the launch and after it.
STREAMCTS_CASE(not_executed, {.arrangement = "capture/not_executed",
                              .clauses = {clause::CAP_001},
                              .axes = {capture_modes(), captured_streams()},
                              .needs = {need::mapped_memory},
                              .without_hold = "counts and contents before and after each launch"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  const std::array outs = {&buffer_for(scene, node_kind::kernel), &buffer_for(scene, node_kind::copy),
                           &buffer_for(scene, node_kind::memset)};
  node_call host;
  while (scene.next_round(context.by_tier(2, 4, 40))) {
    for (product* each : outs) each->data.begin_round(each->data.expected());
    observer& call = scene.host_call(host_call::launch_host_func);
    host.stands_for(call);
    capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
    context.kernels().copy_words(stream.get(), outs[0]->data.target(), outs[0]->source.address(),
                                 outs[0]->data.words());
    STREAMCTS_CHECK(cuda.cuMemcpyDtoHAsync(outs[1]->data.host_words().data(),
                                           outs[1]->source.address(), outs[1]->data.bytes(),
                                           stream.get()));
    STREAMCTS_CHECK(cuda.cuMemsetD32Async(outs[2]->data.target(),
                                          static_cast<unsigned>(outs[2]->data.expected().base),
                                          outs[2]->data.words() * 2, stream.get()));
    const CUDA_HOST_NODE_PARAMS target = host.parameters();
    STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream.get(), target.fn, target.userData));
    const driver::graph made = recording.take();
    const driver::graph_exec graph(made);
    STREAMCTS_CHECK(cuda.cuCtxSynchronize());
    for (product* each : outs) {
      context.expect(clause::CAP_001, failure_kind::early, "host, after the capture",
                     look_for_sentinel(each->data.host_words()), IsUntouched());
    }
    context.expect(clause::CAP_001, failure_kind::early, "calls of the host function by the capture",
                   call.slot().times(), ::testing::Eq(0u));
    for (std::uint32_t launches = 1; launches <= 2; ++launches) {
      for (product* each : outs) each->data.begin_round(each->data.expected());
      const operation launch = scene.note(stream, "graph launch");
      if (launches == 1) scene.node(call, {launch}, "CAP-002");
      graph.launch(stream.get());
      stream.stream.synchronize();
      for (product* each : outs) {
        scene.expect_complete(clause::CAP_001, launch,
                              scene.host_after(stream, "cuStreamSynchronize"), *each);
      }
      context.expect(clause::CAP_001, failure_kind::value, "calls of the host function after launches",
                     call.slot().times(), ::testing::Eq(launches));
    }
    scene.drain();
    host.rest();
  }
}

std::vector<CUgraphNode> nodes_of(const driver::graph& of) {
  std::size_t count = 0;
  STREAMCTS_CHECK(of.table().cuGraphGetNodes(of.get(), nullptr, &count));
  std::vector<CUgraphNode> all(count);
  STREAMCTS_CHECK(of.table().cuGraphGetNodes(of.get(), all.data(), &count));
  return all;
}

CUgraphNodeType type_of(const driver::graph& of, CUgraphNode node) {
  CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
  STREAMCTS_CHECK(of.table().cuGraphNodeGetType(node, &type));
  return type;
}

std::vector<CUgraphNode> dependencies_of(const driver::graph& of, CUgraphNode node) {
  std::size_t count = 0;
  STREAMCTS_CHECK(of.table().cuGraphNodeGetDependencies(node, nullptr, &count));
  std::vector<CUgraphNode> all(count);
  if (count != 0) {
    STREAMCTS_CHECK(of.table().cuGraphNodeGetDependencies(node, all.data(), &count));
  }
  return all;
}

// Promise:   CAP-002. A captured host function is a host node with the given function and data, behind
//            what was captured in front of it and in front of what was captured behind it.
// Defect:    it is recorded without its dependency, with other data, or as something else. The graph has
//            another number of host nodes, or the node's parameters or neighbours are wrong.
// Any speed: looks at the graph, which nobody changes.
STREAMCTS_CASE(host_function_node, {.arrangement = "capture/host_function_node",
                                    .clauses = {clause::CAP_002},
                                    .axes = {capture_modes()},
                                    .without_hold = "looks at the nodes of the graph"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::copied);
  node_call host;
  const CUDA_HOST_NODE_PARAMS target = host.parameters();
  capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
  context.kernels().write_pattern(stream.get(), out.data.target(), out.data.words(),
                                  kernels::ramp(1));
  STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream.get(), target.fn, target.userData));
  STREAMCTS_CHECK(cuda.cuMemsetD32Async(out.data.target(), 1, 16, stream.get()));
  const driver::graph made = recording.take();
  std::vector<CUgraphNode> hosts, kernels, memsets;
  for (const CUgraphNode each : nodes_of(made)) {
    const CUgraphNodeType type = type_of(made, each);
    if (type == CU_GRAPH_NODE_TYPE_HOST) hosts.push_back(each);
    if (type == CU_GRAPH_NODE_TYPE_KERNEL) kernels.push_back(each);
    if (type == CU_GRAPH_NODE_TYPE_MEMSET) memsets.push_back(each);
  }
  const std::string who = "host, looking at the captured graph";
  if (!context.expect(clause::CAP_002, failure_kind::value, who + ": host nodes", hosts.size(),
                      ::testing::Eq(1u)) ||
      !context.expect(clause::CAP_002, failure_kind::value, who + ": kernel nodes", kernels.size(),
                      ::testing::Eq(1u)) ||
      !context.expect(clause::CAP_002, failure_kind::value, who + ": memset nodes", memsets.size(),
                      ::testing::Eq(1u))) {
    return;
  }
  CUDA_HOST_NODE_PARAMS seen{};
  STREAMCTS_CHECK(cuda.cuGraphHostNodeGetParams(hosts.front(), &seen));
  context.expect(clause::CAP_002, failure_kind::argument, who + ": function of the host node",
                 seen.fn == target.fn, ::testing::IsTrue());
  context.expect(clause::CAP_002, failure_kind::argument, who + ": data of the host node",
                 seen.userData, ::testing::Eq(target.userData));
  context.expect(clause::CAP_002, failure_kind::order, who + ": dependencies of the host node",
                 dependencies_of(made, hosts.front()), ::testing::ElementsAre(kernels.front()));
  context.expect(clause::CAP_002, failure_kind::order, who + ": dependencies of the node behind it",
                 dependencies_of(made, memsets.front()), ::testing::ElementsAre(hosts.front()));
}

// Promise:   CAP-002. At each launch the captured host function runs behind the kernel captured in front
//            of it, and the kernel captured behind it runs behind the host function.
// Defect:    the edges are in the graph and not kept, or lost from a launch on. The host function finds
//            the sentinel, or the later kernel's mark before it has returned.
// Any speed: first the kernel in front is held, then the host function itself.
STREAMCTS_CASE(host_function_order, {.arrangement = "capture/host_function_order",
                                     .clauses = {clause::CAP_002},
                                     .axes = {captured_streams()},
                                     .needs = {need::device_gate, need::host_gate,
                                               need::mapped_memory}}) {
  require_capture(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& launches = scene.stream(driver::stream_kind::non_blocking);
  product& front = buffer_for(scene, node_kind::kernel);
  product& back = buffer_for(scene, node_kind::kernel);
  const node_gates gates(context, 1);
  node_call host;
  capture recording(context.cuda(), stream.get());
  const driver::kernel_set& kernels = context.kernels();
  kernels.gate(stream.get(), gates[0].word.device(), gates[0].begun.device(), 1,
               static_cast<std::uint64_t>(context.calibration().gate_timeout().count()));
  kernels.copy_words(stream.get(), front.data.target(), front.source.address(), front.data.words());
  const CUDA_HOST_NODE_PARAMS target = host.parameters();
  STREAMCTS_CHECK(context.cuda().cuLaunchHostFunc(stream.get(), target.fn, target.userData));
  kernels.copy_words(stream.get(), back.data.target(), back.source.address(), back.data.words());
  const driver::graph made = recording.take();
  const driver::graph_exec graph(made);
  warm_up(context, graph, launches);
  for (int round = 0; scene.next_round(context.by_tier(4, 8, 100)); ++round) {
    observer& call = scene.host_call(host_call::launch_host_func);
    host.stands_for(call);
    operation victim{}, behind{};
    const auto enqueue = [&] {
      victim = scene.note(launches, "captured kernel");
      front.written = victim;
      scene.node(call, {victim}, "CAP-002");
      behind = scene.node("captured kernel behind it", {call.op()}, "CAP-002");
      back.written = behind;
      graph.launch(launches.get());
    };
    if (round % 2 == 0) {
      call.looks_at(front);
      gates.hold_next(scene, 0);
      scene.hold_work(enqueue);
    } else {
      call.guards(back);
      scene.hold_call(launches, call, [] {}, {.victim = enqueue});
    }
    scene.drain();
    host.rest();
    scene.expect_complete(clause::CAP_002, victim, call);
    scene.expect_blocked(clause::CAP_002, call, behind);
  }
}

// Promise:   CAP-003. A stream callback cannot be captured: the call does not succeed in a capturing
//            stream, and the callback never runs.
// Defect:    it is accepted and run at once, or at a launch. The call returns success, or the count of
//            calls is not 0.
// Any speed: the code of the call, and a counter read when the context is empty.
STREAMCTS_CASE(callback_refused, {.arrangement = "capture/callback_refused",
                                  .clauses = {clause::CAP_003},
                                  .axes = {capture_modes(), captured_streams()},
                                  .without_hold = "the code of the call, and a count of callbacks"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  static std::atomic<std::uint32_t> calls;  // a callback that comes late finds it
  const std::uint32_t before = calls.load();
  while (scene.next_round(context.by_tier(2, 4, 40))) {
    CUgraph made = nullptr;
    {
      capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
      const CUresult code = cuda.cuStreamAddCallback(
          stream.get(), [](CUstream, CUresult, void*) { calls.fetch_add(1); }, nullptr, 0);
      context.expect(clause::CAP_003, failure_kind::status, "cuStreamAddCallback while capturing",
                     code, ::testing::Not(Succeeds()));
      if (recording.end(made) != CUDA_SUCCESS) made = nullptr;
    }
    if (made != nullptr) {  // whether the capture survives the refusal is left open
      const driver::graph survived(cuda, made);
      driver::graph_exec(survived).launch(stream.get());
    }
    STREAMCTS_CHECK(cuda.cuCtxSynchronize());
    context.expect(clause::CAP_003, failure_kind::early, "callbacks run", calls.load() - before,
                   ::testing::Eq(0u));
  }
}

// Promise:   CAP-003. Nor can the attachment of managed memory to a stream.
// Defect:    the call is accepted and changes the attachment while it is captured. It returns success.
// Any speed: the code of the call.
STREAMCTS_CASE(attach_refused, {.arrangement = "capture/attach_refused",
                                .clauses = {clause::CAP_003},
                                .axes = {capture_modes()},
                                .needs = {need::managed_memory},
                                .without_hold = "the code of the call"}) {
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const driver::managed_buffer memory(cuda, 64 * 1024);
  while (scene.next_round(context.by_tier(1, 2, 4))) {
    capture recording(cuda, stream.get(), mode_of(context.get<capture_mode>("mode")));
    const CUresult code =
        cuda.cuStreamAttachMemAsync(stream.get(), memory.address(), 0, CU_MEM_ATTACH_SINGLE);
    context.expect(clause::CAP_003, failure_kind::status, "cuStreamAttachMemAsync while capturing",
                   code, ::testing::Not(Succeeds()));
  }
}

}  // namespace
}  // namespace streamcts
