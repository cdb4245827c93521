// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "harness/program/emit_calls.h"

namespace streamcts::program::reproducer {

std::size_t call_writer::launches(std::size_t g) const {
  return static_cast<std::size_t>(std::ranges::count_if(p_.ops, [g](const program::operation& o) {
    return o.kind == op_kind::launch && o.graph == static_cast<index>(g);
  }));
}

std::string call_writer::node(std::size_t g, std::size_t n, std::size_t op) const {
  const graph_node& d = p_.graphs[g].nodes[n];
  const int item = m_.items().item_of(static_cast<index>(op), static_cast<index>(n));
  std::string after = "{";
  for (std::size_t k = 0; k < n; ++k) {
    if ((d.after >> k & 1) != 0) {
      after += fmt::format("{}g{}_{}", after.size() == 1 ? "" : ", ", g, k);
    }
  }
  after += "}";
  const std::string name = fmt::format("g{}_{}", g, n);
  std::string out;
  const bool gated = item >= 0 && item == held_;
  if (gated && (d.kind == node_kind::copy || d.kind == node_kind::memset)) {
    out += fmt::format("  CUgraphNode {0}_gate = kernel_node(g{1}, {2}, item(-1, {3}));\n", name, g,
                       after, gate());
    after = "{" + name + "_gate}";
  }
  const auto x = static_cast<std::size_t>(std::max(item, 0));
  std::string made = fmt::format("empty_node(g{}, {})", g, after);
  switch (d.kind) {
    case node_kind::kernel:
      made = fmt::format("kernel_node(g{}, {}, {})", g, after,
                         item >= 0 ? parameters(x) : "item(-1)");
      break;
    case node_kind::host:
      made = fmt::format("host_node(g{}, {}, host_call_{})", g, after, x);
      break;
    case node_kind::copy:
      made = fmt::format("copy_node(g{}, {}, {}, {}, {})", g, after, address(d.write),
                         address(d.read), p_.buffers[at(d.write)].bytes);
      break;
    case node_kind::memset:
      made = fmt::format("memset_node(g{}, {}, {}, {}, {})", g, after, address(d.write), 64 + x,
                         p_.buffers[at(d.write)].bytes);
      break;
    case node_kind::empty:
      break;
  }
  return out + fmt::format("  CUgraphNode {} = {};  // {}\n", name, made, d.name.view());
}

std::string call_writer::capture(std::size_t g, std::size_t op) const {
  const auto& nodes = p_.graphs[g].nodes;
  std::string out = fmt::format("  CUgraph g{0};\n  CUstream lane{0}[8];\n", g);
  out += fmt::format("  for (auto& s : lane{}) OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));\n", g);
  out += fmt::format("  CUevent behind{0}[{1}];\n"
                     "  for (auto& e : behind{0}) OK(cuEventCreate(&e, CU_EVENT_DISABLE_TIMING));\n"
                     "  OK(cuStreamBeginCapture(lane{0}[0], CU_STREAM_CAPTURE_MODE_RELAXED));\n",
                     g, nodes.size());
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const std::string lane = fmt::format("lane{}[{}]", g, nodes[n].lane);
    for (std::size_t d = 0; d < n; ++d) {
      if ((nodes[n].after >> d & 1) == 0 || nodes[d].lane == nodes[n].lane) continue;
      out += fmt::format("  OK(cuStreamWaitEvent({}, behind{}[{}], 0));\n", lane, g, d);
    }
    const auto x = static_cast<std::size_t>(
        m_.items().item_of(static_cast<index>(op), static_cast<index>(n)));
    const bool gated = held_ == static_cast<int>(x);
    switch (nodes[n].kind) {
      case node_kind::kernel:
        out += fmt::format("  DO(launch({}, {}));\n", lane, parameters(x));
        break;
      case node_kind::host:
        out += fmt::format("  DO(cuLaunchHostFunc({}, host_call_{}, nullptr));\n", lane, x);
        break;
      default:
        if (gated) out += gate_kernel(lane, gate());
        out += nodes[n].kind == node_kind::copy ? copy(x, lane, false, false)
                                                : memset(x, lane, false, false);
    }
    out += fmt::format("  OK(cuEventRecord(behind{}[{}], {}));\n", g, n, lane);
  }
  return out + fmt::format("  OK(cuStreamEndCapture(lane{0}[0], &g{0}));\n", g);
}

std::string call_writer::graph(std::size_t g) const {
  const auto first = std::ranges::find_if(p_.ops, [g](const program::operation& o) {
    return o.kind == op_kind::launch && o.graph == static_cast<index>(g);
  });
  if (first == p_.ops.end()) return "";
  const auto op = static_cast<std::size_t>(first - p_.ops.begin());
  const graph_decl& d = p_.graphs[g];
  const bool disabled = std::ranges::any_of(d.nodes, &graph_node::disabled);
  std::string out;
  if (d.origin == graph_origin::captured && !disabled && launches(g) == 1) {
    out = capture(g, op);
  } else {
    out = fmt::format("  CUgraph g{0};\n  OK(cuGraphCreate(&g{0}, 0));\n", g);
    for (std::size_t n = 0; n < d.nodes.size(); ++n) out += node(g, n, op);
  }
  out += fmt::format("  CUgraphExec exec{0};\n"
                     "  OK(cuGraphInstantiateWithFlags(&exec{0}, g{0}, 0));\n",
                     g);
  for (std::size_t n = 0; n < d.nodes.size(); ++n) {
    if (d.nodes[n].disabled) out += fmt::format("  OK(cuGraphNodeSetEnabled(exec{0}, g{0}_{1}, 0));\n", g, n);
  }
  return out;
}

/// Before a second launch its own items take the place of the first one's.
std::string call_writer::updates(const program::operation& o, std::size_t op) const {
  const auto g = at(o.graph);
  const auto& nodes = p_.graphs[g].nodes;
  std::string out;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const int item = m_.items().item_of(static_cast<index>(op), static_cast<index>(n));
    if (item < 0) continue;
    const auto x = static_cast<std::size_t>(item);
    if (nodes[n].kind == node_kind::kernel) {
      out += fmt::format("  DO(update(exec{0}, g{0}_{1}, {2}));\n", g, n, parameters(x));
    } else if (nodes[n].kind == node_kind::host) {
      out += fmt::format("  {{ CUDA_HOST_NODE_PARAMS h{{}}; h.fn = host_call_{2}; "
                         "DO(cuGraphExecHostNodeSetParams(exec{0}, g{0}_{1}, &h)); }}\n",
                         g, n, x);
    } else if (nodes[n].kind == node_kind::memset) {
      out += fmt::format("  {{ CUDA_MEMSET_NODE_PARAMS m{{}}; m.dst = {2}, m.value = {3}, "
                         "m.elementSize = 1, m.width = {4}, m.height = 1;\n"
                         "    DO(cuGraphExecMemsetNodeSetParams(exec{0}, g{0}_{1}, &m, context)); }}\n",
                         g, n, address(nodes[n].write), 64 + x, p_.buffers[at(nodes[n].write)].bytes);
    }
  }
  return out;
}

std::string call_writer::launch(const program::operation& o, std::size_t op) const {
  const auto is_this = [&](const program::operation& other) {
    return other.kind == op_kind::launch && other.graph == o.graph;
  };
  const bool first = std::ranges::none_of(p_.ops.begin(),
                                          p_.ops.begin() + static_cast<std::ptrdiff_t>(op), is_this);
  std::string out = first ? "" : updates(o, op);
  const bool mine = held_ >= 0 && m_.items().items()[static_cast<std::size_t>(held_)].op ==
                                      static_cast<index>(op);
  if (mine && front_gate() != 0) out += gate_kernel(stream(o.stream), front_gate());
  return out + fmt::format("  DO(cuGraphLaunch(exec{}, {}));\n", o.graph, stream(o.stream));
}

}  // namespace streamcts::program::reproducer
