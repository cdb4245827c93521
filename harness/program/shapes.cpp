// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/shapes.h"

#include <array>

#include "harness/program/enumerator.h"

namespace streamcts::program {
namespace {

/// A root kernel, @p width nodes behind it, and a host node behind them all.
index fan(builder& b, std::size_t width, graph_origin origin) {
  const index g = b.graph(origin);
  b.node(g, node_kind::kernel);
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < width; ++i) {
    const index n = b.node(g, i % 3 == 2 ? node_kind::host : node_kind::kernel, {0});
    if (origin == graph_origin::captured) b.last_node(g).lane = static_cast<std::uint8_t>(i);
    all |= 1U << n;
  }
  b.node(g, node_kind::host);
  b.last_node(g).after = all;
  return g;
}

index chain(builder& b) {
  const index g = b.graph();
  b.node(g, node_kind::kernel);
  b.node(g, node_kind::host, {0});
  b.node(g, node_kind::kernel, {1});
  return g;
}

index captured_fork(builder& b) {
  const index g = b.graph(graph_origin::captured);
  b.node(g, node_kind::kernel);
  b.node(g, node_kind::kernel, {0});
  b.node(g, node_kind::kernel, {0});
  b.last_node(g).lane = 1;
  b.node(g, node_kind::host, {1, 2});
  return g;
}

index copies(builder& b) {
  const index from = b.buffer(memory_kind::device);
  const index middle = b.buffer(memory_kind::device);
  const index to = b.buffer(memory_kind::mapped);
  const index g = b.graph();
  b.node(g, node_kind::kernel, {}, from);
  b.node(g, node_kind::copy, {0}, middle, from);
  b.node(g, node_kind::copy, {1}, to, middle);
  b.node(g, node_kind::host, {2});
  return g;
}

index fill(builder& b) {
  const index x = b.buffer(memory_kind::mapped);
  const index y = b.buffer(memory_kind::portable);
  const index g = b.graph();
  b.node(g, node_kind::memset, {}, x);
  b.node(g, node_kind::copy, {0}, y, x);
  b.node(g, node_kind::kernel, {1});
  b.node(g, node_kind::host, {1, 2});
  return g;
}

index disabled_middle(builder& b) {
  const index g = b.graph();
  b.node(g, node_kind::kernel);
  b.node(g, node_kind::kernel, {0});
  b.last_node(g).disabled = true;
  b.node(g, node_kind::empty, {1});
  b.node(g, node_kind::host, {2});
  return g;
}

index host_nodes(builder& b) {
  const index g = b.graph();
  b.node(g, node_kind::host);
  b.node(g, node_kind::host, {0});
  return g;
}

}  // namespace

index add_graph_shape(builder& b, std::size_t shape) {
  switch (shape % graph_shapes) {
    case 0:
      return chain(b);
    case 1:
      return fan(b, 2, graph_origin::by_hand);
    case 2:
      return captured_fork(b);
    case 3:
      return copies(b);
    case 4:
      return fill(b);
    case 5:
      return disabled_middle(b);
    case 6:
      return fan(b, 5, graph_origin::by_hand);
    case 7:
      return fan(b, 9, graph_origin::by_hand);
    case 8:
      return fan(b, 3, graph_origin::captured);
    default:
      return host_nodes(b);
  }
}

std::uint32_t threshold_size(std::size_t turn) {
  constexpr std::uint32_t usual = 64 << 10;
  constexpr std::array<std::uint32_t, 16> sizes{usual, usual, 4,         usual, usual, usual - 1,
                                                usual, usual, usual + 1, usual, usual, usual,
                                                usual, usual, 1 << 20,   usual};
  return turn % 256 == 255 ? 12U << 20 : sizes[turn % sizes.size()];
}

}  // namespace streamcts::program
