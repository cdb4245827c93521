// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host nodes of child graphs and clones keep what they were copied with; where none may be.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// How a graph is copied.
enum class copy_by { clone, child, child_of_clone, clone_of_parent };
std::string_view name(copy_by what) {
  switch (what) {
    case copy_by::clone: return "clone";
    case copy_by::child: return "child";
    case copy_by::child_of_clone: return "child_of_clone";
    case copy_by::clone_of_parent: return "clone_of_parent";
  }
  return "unknown";
}

void CUDA_CB count(void* counter) {
  static_cast<std::atomic<std::uint32_t>*>(counter)->fetch_add(1, std::memory_order_acq_rel);
}

/// A graph with two occurrences of @p original, or one in a clone.
driver::graph copy_of(const case_context& context, copy_by how, const driver::graph& original) {
  if (how == copy_by::clone) return original.clone();
  driver::graph parent(context.cuda());
  if (how == copy_by::child_of_clone) {
    const driver::graph clone = original.clone();
    parent.add_child(clone);
    parent.add_child(clone);
    return parent;
  }
  const CUgraphNode first = parent.add_child(original);
  parent.add_child(original, first);
  return how == copy_by::child ? std::move(parent) : parent.clone();
}

// Promise:   GR-HOST-007. A host node in a child graph or a clone is called once for each occurrence and
//            launch, with what the original had when it was copied.
// Defect:    the copy refers to the original's parameters: a later change of the original reaches it. Or
//            the second occurrence is not called.
// Any speed: counters, read when the stream is empty.
STREAMCTS_CASE(copied_host_node,
               {.arrangement = "graph/copied_host_node",
                .clauses = {clause::GR_HOST_007},
                .axes = {make_axis<copy_by>("copy", {copy_by::clone, copy_by::child,
                                                     copy_by::child_of_clone,
                                                     copy_by::clone_of_parent})},
                .without_hold = "counts all calls of all launches"}) {
  require_graphs(context);
  const auto how = context.get<copy_by>("copy");
  const std::uint32_t occurrences = how == copy_by::clone ? 1 : 2;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  while (scene.next_round(context.by_tier(3, 10, 100))) {
    std::atomic<std::uint32_t> copied{0}, changed{0};
    driver::graph original(context.cuda());
    const CUgraphNode node = original.add_host(&count, &copied);
    const driver::graph copy = copy_of(context, how, original);
    CUDA_HOST_NODE_PARAMS now{};
    now.fn = &count;
    now.userData = &changed;
    STREAMCTS_CHECK(context.cuda().cuGraphHostNodeSetParams(node, &now));
    const driver::graph_exec graph(copy);
    const driver::graph_exec of_original(original);
    for (std::uint32_t launches = 1; launches <= 3; ++launches) {
      graph.launch(stream.get());
      stream.stream.synchronize();
      const std::string who = fmt::format("host node after {} launches of the copy", launches);
      context.expect(clause::GR_HOST_007, failure_kind::value, who, copied.load(),
                     ::testing::Eq(occurrences * launches));
      context.expect(clause::GR_HOST_007, failure_kind::value, who + ", changed original",
                     changed.load(), ::testing::Eq(0u));
    }
    of_original.launch(stream.get());
    stream.stream.synchronize();
    context.expect(clause::GR_HOST_007, failure_kind::value, "host node of the original",
                   changed.load(), ::testing::Eq(1u));
  }
}

// Promise:   GR-HOST-008. A graph with a host node cannot be instantiated for launch by the device.
// Defect:    it is accepted, and the host node is then never called: everything up to the launch
//            succeeds.
// Any speed: codes of calls.
STREAMCTS_CASE(host_node_for_device_launch,
               {.arrangement = "graph/host_node_for_device_launch",
                .clauses = {clause::GR_HOST_008},
                .without_hold = "looks at the codes of calls"}) {
  require_graphs(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::copied);
  constexpr unsigned long long flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  // Without a host node it must work, or the refusal says nothing.
  driver::graph plain(cuda);
  plain.add_memset(out.data.target(), 7, 4, 16, context.session().context());
  CUgraphExec made = nullptr;
  if (const CUresult code = cuda.cuGraphInstantiateWithFlags(&made, plain.get(), flags);
      code != CUDA_SUCCESS) {
    context.not_supported(fmt::format("a graph for device launch = {}", driver::result_name(code)));
  }
  STREAMCTS_CHECK(cuda.cuGraphExecDestroy(std::exchange(made, nullptr)));
  std::atomic<std::uint32_t> calls{0};
  plain.add_host(&count, &calls);
  CUresult code = cuda.cuGraphInstantiateWithFlags(&made, plain.get(), flags);
  if (code == CUDA_SUCCESS) {
    code = cuda.cuGraphUpload(made, stream.get());
    if (code == CUDA_SUCCESS) code = cuda.cuGraphLaunch(made, stream.get());
    (void)cuda.cuStreamSynchronize(stream.get());
    (void)cuda.cuGraphExecDestroy(made);
  }
  context.expect(clause::GR_HOST_008, failure_kind::status,
                 "host, from instantiation for device launch up to the launch", code,
                 ::testing::Not(Succeeds()));
}

}  // namespace
}  // namespace streamcts
