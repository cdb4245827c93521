// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A host function waits for graphs launched before it.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "kernels/parameters.h"

namespace streamcts {
namespace {

/// A graph of two chains, each a gate and then a kernel that fills a payload; only the gate of the
/// chain @p held is shut.
driver::graph two_chains(const case_context& context, const gate& shut, control_word open,
                         control_word unused, const std::vector<product*>& outs, std::size_t held) {
  const driver::kernel_set::handles& kernel = context.kernels().get();
  driver::graph made(context.cuda());
  for (std::size_t i = 0; i < outs.size(); ++i) {
    const payload& out = outs[i]->data;
    const kernels::pattern what = out.expected();
    const control_word word = i == held ? shut.word() : open;
    const control_word begun = i == held ? shut.begun_word() : unused;
    const CUgraphNode front = made.add_kernel(
        kernel.gate, {1, 1}, {}, word.device(), begun.device(), std::uint32_t{1},
        static_cast<std::uint64_t>(shut.timeout().count()));
    made.add_kernel(kernel.write_pattern, {32, 128}, front, out.target(),
                    std::uint64_t{out.words()}, what.base, what.step, std::uint64_t{0});
  }
  return made;
}

// Promise:   HF-ORDER-001. A host function is called only after a graph launched before it in its stream
//            has finished, all branches of it.
// Defect:    it waits for the graph's first nodes, or for one of its branches. It finds the sentinel in
//            what the other branch writes.
// Any speed: one branch is held within the graph until the host function had its chance.
STREAMCTS_CASE(after_graph, {.arrangement = "hostfunc/after_graph",
                             .clauses = {clause::HF_ORDER_001},
                             .axes = {streams()},
                             .needs = {need::device_gate, need::mapped_memory}}) {
  require_graphs(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  const std::vector<product*> outs = {&scene.buffer(memory_kind::mapped),
                                      &scene.buffer(memory_kind::mapped)};
  for (std::size_t held = 0; scene.next_round(context.by_tier(2, 4, 50)); ++held) {
    observer& call = scene.host_call(host_call::launch_host_func);
    for (product* each : outs) call.looks_at(*each);
    const control_word open = scene.marker();
    open.store(kernels::gate_opened);
    const control_word unused = scene.marker();
    std::optional<driver::graph_exec> executable;
    operation victim{};
    scene.hold_work([&] {
      // Made here, where the address of the gate is known and nothing waits for it yet.
      executable.emplace(two_chains(context, scene.victim_gate(), open, unused, outs, held % 2));
      victim = scene.note(stream, "graph with a held branch");
      for (product* each : outs) each->written = victim;
      executable->launch(stream.get());
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(clause::HF_ORDER_001, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
