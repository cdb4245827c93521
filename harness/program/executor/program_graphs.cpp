// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs of programs. Each launch has items of its own, and so each kernel, memset and host node
// gets new parameters before the second launch and every later one.

#include <algorithm>
#include <array>

#include "harness/driver/result.h"
#include "harness/program/executor/program_run.h"

namespace streamcts::program {
namespace {

CUdeviceptr unified(const placed_buffer& b) {
  return b.device != 0 ? b.device : reinterpret_cast<CUdeviceptr>(b.host);
}

}  // namespace

void program_run::make_graph(std::size_t g) {
  const auto& ops = m_.source().ops;
  const auto launched = [&](const operation& o) {
    return o.kind == op_kind::launch && o.graph == static_cast<index>(g);
  };
  const auto first = std::ranges::find_if(ops, launched);
  if (first == ops.end()) return;
  const auto op = static_cast<std::size_t>(first - ops.begin());
  const graph_decl& d = m_.source().graphs[g];
  const bool disabled = std::ranges::any_of(d.nodes, &graph_node::disabled);
  // Only what was built by hand has nodes by name.
  if (d.origin == graph_origin::captured && !disabled &&
      std::ranges::count_if(ops, launched) == 1) {
    build_by_capture(g, op);
  } else {
    build_by_hand(g, op);
  }
  made_graph& made = graphs_[g];
  made.exec.emplace(*made.graph);
  for (std::size_t n = 0; n < made.nodes.size(); ++n) {
    if (d.nodes[n].disabled) made.exec->set_enabled(made.nodes[n], false);
  }
}

CUDA_MEMSET_NODE_PARAMS program_run::memset_parameters(std::size_t x) const {
  const placed_buffer& to = buffer(m_.items().items()[x].write);
  const std::uint64_t word = record_->contents().of(buffer_value::of_item(x)).base;
  const bool wide = wide_memset(to.bytes);
  CUDA_MEMSET_NODE_PARAMS p{};
  p.dst = to.device;
  p.elementSize = wide ? 4 : 1;
  p.value = wide ? static_cast<unsigned>(word) : static_cast<unsigned char>(word);
  p.width = to.bytes / p.elementSize;
  p.height = 1;
  return p;
}

CUgraphNode program_run::add_node(made_graph& made, std::size_t g, std::size_t n, std::size_t op,
                                  const std::vector<CUgraphNode>& after) {
  const graph_node& node = m_.source().graphs[g].nodes[n];
  const int item = m_.items().item_of(static_cast<index>(op), static_cast<index>(n));
  if (item < 0 && node.kind != node_kind::kernel && !node.disabled) {
    return made.graph->add_empty(after);
  }
  const auto x = static_cast<std::size_t>(std::max(item, 0));
  std::vector<CUgraphNode> behind = after;
  const bool gated = item >= 0 && static_cast<index>(x) == held_;
  if (gated && (node.kind == node_kind::copy || node.kind == node_kind::memset)) {
    program_kernels::item_parameters p;
    p.begun = gate_->begun_word().device();
    p.token = 1;
    p.gate = gate_->word().device();
    p.timeout_ns = gate_ns();
    auto pointers = p.pointers();
    const CUDA_KERNEL_NODE_PARAMS k = kernels_.node(p, pointers.data());
    CUgraphNode front = nullptr;
    STREAMCTS_CHECK(
        cuda_.cuGraphAddKernelNode(&front, made.graph->get(), behind.data(), behind.size(), &k));
    behind = {front};
  }
  switch (node.kind) {
    case node_kind::kernel: {
      program_kernels::item_parameters p =
          item >= 0 ? parameters(x) : program_kernels::item_parameters{};
      auto pointers = p.pointers();
      const CUDA_KERNEL_NODE_PARAMS k = kernels_.node(p, pointers.data());
      CUgraphNode added = nullptr;
      STREAMCTS_CHECK(
          cuda_.cuGraphAddKernelNode(&added, made.graph->get(), behind.data(), behind.size(), &k));
      return added;
    }
    case node_kind::host:
      return made.graph->add_host(&host_call_record::host_function, &record_->call_of(x), behind);
    case node_kind::copy: {
      const placed_buffer &from = buffer(node.read), &to = buffer(node.write);
      return made.graph->add_memcpy(unified(to), unified(from), to.bytes, where_.context, behind);
    }
    case node_kind::memset: {
      if (item >= 0) return made.graph->add_memset(memset_parameters(x), where_.context, behind);
      return made.graph->add_memset(buffer(node.write).device, 0, 1, buffer(node.write).bytes,
                                    where_.context, behind);
    }
    case node_kind::empty:
      break;
  }
  return made.graph->add_empty(behind);
}

void program_run::build_by_hand(std::size_t g, std::size_t op) {
  made_graph& made = graphs_[g];
  made.graph.emplace(cuda_);
  const auto& nodes = m_.source().graphs[g].nodes;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    std::vector<CUgraphNode> after;
    for (std::size_t d = 0; d < n; ++d) {
      if ((nodes[n].after >> d & 1) != 0) after.push_back(made.nodes[d]);
    }
    made.nodes.push_back(add_node(made, g, n, op, after));
  }
}

void program_run::capture_node(CUstream lane, const graph_node& node, std::size_t x) {
  const bool gated = static_cast<index>(x) == held_;
  if (gated && (node.kind == node_kind::copy || node.kind == node_kind::memset)) {
    STREAMCTS_CHECK(gate_in_front(lane, *gate_, true));
  }
  switch (node.kind) {
    case node_kind::kernel:
      STREAMCTS_CHECK(kernels_.launch_item(lane, parameters(x)));
      return;
    case node_kind::host:
      STREAMCTS_CHECK(
          cuda_.cuLaunchHostFunc(lane, &host_call_record::host_function, &record_->call_of(x)));
      return;
    case node_kind::copy:
      STREAMCTS_CHECK(copy(lane, x));
      return;
    case node_kind::memset:
      STREAMCTS_CHECK(memset(lane, x));
      return;
    case node_kind::empty:
      return;
  }
}

/// Each lane is a stream; a node in another lane than what it depends on waits for an event that
/// was recorded right behind that.
void program_run::build_by_capture(std::size_t g, std::size_t op) {
  const auto& nodes = m_.source().graphs[g].nodes;
  std::deque<driver::stream> lanes;
  std::deque<driver::event> behind;
  for (std::size_t l = 0; l < 8; ++l) {
    const auto in_lane = [&](const graph_node& n) { return n.lane >= l; };
    if (std::ranges::none_of(nodes, in_lane)) break;
    lanes.emplace_back(cuda_, driver::stream_kind::non_blocking);
  }
  STREAMCTS_CHECK(cuda_.cuStreamBeginCapture(lanes[0].get(), CU_STREAM_CAPTURE_MODE_RELAXED));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const driver::stream& lane = lanes[nodes[n].lane];
    for (std::size_t d = 0; d < n; ++d) {
      if ((nodes[n].after >> d & 1) != 0 && nodes[d].lane != nodes[n].lane) lane.wait(behind[d]);
    }
    const int item = m_.items().item_of(static_cast<index>(op), static_cast<index>(n));
    capture_node(lane.get(), nodes[n], static_cast<std::size_t>(item));
    behind.emplace_back(cuda_).record(lane.get());
  }
  CUgraph captured = nullptr;
  STREAMCTS_CHECK(cuda_.cuStreamEndCapture(lanes[0].get(), &captured));
  graphs_[g].graph.emplace(cuda_, captured);
}

CUresult program_run::update_nodes(made_graph& made, const operation& o, std::size_t op) {
  const auto& nodes = m_.source().graphs[at(o.graph)].nodes;
  CUresult r = CUDA_SUCCESS;
  for (std::size_t n = 0; n < nodes.size() && r == CUDA_SUCCESS; ++n) {
    const int item = m_.items().item_of(static_cast<index>(op), static_cast<index>(n));
    if (item < 0) continue;
    const auto x = static_cast<std::size_t>(item);
    if (nodes[n].kind == node_kind::kernel) {
      program_kernels::item_parameters p = parameters(x);
      auto pointers = p.pointers();
      const CUDA_KERNEL_NODE_PARAMS k = kernels_.node(p, pointers.data());
      r = cuda_.cuGraphExecKernelNodeSetParams(made.exec->get(), made.nodes[n], &k);
    } else if (nodes[n].kind == node_kind::host) {
      CUDA_HOST_NODE_PARAMS p{};
      p.fn = &host_call_record::host_function;
      p.userData = &record_->call_of(x);
      r = cuda_.cuGraphExecHostNodeSetParams(made.exec->get(), made.nodes[n], &p);
    } else if (nodes[n].kind == node_kind::memset) {
      const CUDA_MEMSET_NODE_PARAMS p = memset_parameters(x);
      r = cuda_.cuGraphExecMemsetNodeSetParams(made.exec->get(), made.nodes[n], &p, where_.context);
    }
  }
  return r;
}

CUresult program_run::launch(const operation& o, std::size_t op) {
  made_graph& made = graphs_[at(o.graph)];
  const CUstream stream = handle(o.stream);
  if (made.launches++ != 0) {
    if (const CUresult r = update_nodes(made, o, op); r != CUDA_SUCCESS) return r;
  }
  const bool mine = held_ != none && m_.items().items()[at(held_)].op == static_cast<index>(op);
  if (mine && front_) {
    if (const CUresult r = gate_in_front(stream, *front_, true); r != CUDA_SUCCESS) return r;
  }
  return cuda_.cuGraphLaunch(made.exec->get(), stream);
}

}  // namespace streamcts::program
