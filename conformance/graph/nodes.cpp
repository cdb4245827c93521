// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "conformance/graph/nodes.h"

#include <fmt/format.h>

#include "harness/driver/result.h"
#include "kernels/parameters.h"

namespace streamcts {

namespace {

/// Of all memset nodes: a graph that is made once writes one value.
constexpr std::uint64_t memset_epoch = 0x5EED;

}  // namespace

CUDA_HOST_NODE_PARAMS node_call::parameters() {
  CUDA_HOST_NODE_PARAMS made{};  // newer headers add members: zero is their default
  made.fn = &node_call::run;
  made.userData = this;
  return made;
}

void CUDA_CB node_call::run(void* self) {
  host_call_slot* const now = static_cast<node_call*>(self)->now_.load(std::memory_order_acquire);
  if (now == nullptr) return;
  const CUDA_HOST_NODE_PARAMS target = now->as_host_node();
  target.fn(target.userData);
}

void node_gate::open() const { word.store(kernels::gate_opened); }

node_gates::node_gates(case_context& context, std::size_t count)
    : context_(context), page_(context.cuda()) {
  for (std::size_t i = 0; i < count; ++i) {
    const control_word word = page_.next();
    gates_.push_back({word, page_.next()});
    gates_.back().open();
  }
}

void node_gates::hold_next(arrangement& scene, std::size_t index) const {
  for (const node_gate& each : gates_) each.open();
  scene.gate_by(gates_.at(index).word, gates_.at(index).begun);
}

CUgraphNode node_gates::add_to(driver::graph& made, std::size_t index,
                               driver::node_list after) const {
  const node_gate& held = gates_.at(index);
  return made.add_kernel(context_.kernels().get().gate, {1, 1}, after, held.word.device(),
                         held.begun.device(), std::uint32_t{1},
                         static_cast<std::uint64_t>(context_.calibration().gate_timeout().count()));
}

std::string_view name(node_kind what) {
  switch (what) {
    case node_kind::kernel: return "kernel";
    case node_kind::copy: return "copy";
    case node_kind::memset: return "memset";
    case node_kind::host: return "host";
  }
  return "unknown";
}

product& buffer_for(arrangement& scene, node_kind by) {
  return scene.buffer(memory_kind::mapped,
                      by == node_kind::memset ? producer::memset : producer::copy);
}

void prepare_for_memset(product& what) { what.data.begin_round(kernels::uniform(memset_epoch)); }

CUgraphNode add_writer(case_context& context, driver::graph& made, node_kind by,
                       const product& what, driver::node_list after) {
  const payload& data = what.data;
  switch (by) {
    case node_kind::copy:
      return made.add_memcpy(data.target(), what.source.address(), data.bytes(),
                             context.session().context(), after);
    case node_kind::memset:
      return made.add_memset(data.target(), kernels::uniform_value(memset_epoch), 4,
                             data.words() * 2, context.session().context(), after);
    default:
      return made.add_kernel(context.kernels().get().copy_words, {32, 128}, after, data.target(),
                             what.source.address(), std::uint64_t{data.words()});
  }
}

CUgraphNode add_host(driver::graph& made, node_call& call, driver::node_list after) {
  const CUDA_HOST_NODE_PARAMS target = call.parameters();
  return made.add_host(target.fn, target.userData, after);
}

void warm_up(case_context& context, const driver::graph_exec& graph, lane& on) {
  graph.launch(on.get());
  if (!on.stream.wait_idle(context.calibration().patience())) {
    context.inconclusive("the first launch of a graph did not end");
  }
}

void require_capture(case_context& context) {
  using driver::feature;
  if (context.capabilities().works(feature::graph_capture)) return;
  context.not_supported(fmt::format("graph_capture = no ({})",
                                    context.capabilities().of(feature::graph_capture).reason));
}

}  // namespace streamcts
