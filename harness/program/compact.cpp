// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/compact.h"

#include <cstddef>

namespace streamcts::program {
namespace {

/// Where each element goes once the unused ones are gone; none for those.
template <typename List>
std::vector<index> squeeze(List& list, const std::vector<bool>& used) {
  std::vector<index> to(list.size(), none);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!used[i]) continue;
    to[i] = static_cast<index>(kept);
    if (kept != i) list[kept] = std::move(list[i]);
    ++kept;
  }
  list.resize(kept);
  return to;
}

void move(index& i, const std::vector<index>& to) {
  if (i != none) i = to[at(i)];
}

}  // namespace

void drop_unused_buffers(stream_program& program) {
  std::vector<bool> used(program.buffers.size(), false);
  const auto mark = [&](index b) {
    if (b != none) used[at(b)] = true;
  };
  for (const operation& o : program.ops) {
    mark(o.read);
    mark(o.write);
  }
  for (const graph_decl& g : program.graphs) {
    for (const graph_node& n : g.nodes) {
      mark(n.read);
      mark(n.write);
    }
  }
  const auto to = squeeze(program.buffers, used);
  for (operation& o : program.ops) {
    move(o.read, to);
    move(o.write, to);
  }
  for (graph_decl& g : program.graphs) {
    for (graph_node& n : g.nodes) {
      move(n.read, to);
      move(n.write, to);
    }
  }
}

void drop_unused(stream_program& program) {
  std::vector<bool> streams(program.streams.size()), events(program.events.size()),
      graphs(program.graphs.size());
  for (const operation& o : program.ops) {
    if (o.stream != none) streams[at(o.stream)] = true;
    if (o.event != none) events[at(o.event)] = true;
    if (o.graph != none) graphs[at(o.graph)] = true;
  }
  const auto stream_to = squeeze(program.streams, streams);
  const auto event_to = squeeze(program.events, events);
  const auto graph_to = squeeze(program.graphs, graphs);
  for (operation& o : program.ops) {
    move(o.stream, stream_to);
    move(o.event, event_to);
    move(o.graph, graph_to);
  }
  drop_unused_buffers(program);
}

void drop_operations(stream_program& program, const std::vector<bool>& drop) {
  std::vector<bool> used(program.ops.size());
  for (std::size_t i = 0; i < program.ops.size(); ++i) {
    const operation& o = program.ops[i];
    used[i] = !drop[i] && (o.kind != op_kind::await || used[at(o.target)]);
  }
  const auto to = squeeze(program.ops, used);
  for (operation& o : program.ops) {
    if (o.kind == op_kind::await) move(o.target, to);
  }
  std::erase_if(program.perturbations, [&](const perturbation& d) { return to[at(d.op)] == none; });
  for (perturbation& d : program.perturbations) move(d.op, to);
}

}  // namespace streamcts::program
