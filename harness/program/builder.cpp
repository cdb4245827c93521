// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/builder.h"

namespace streamcts::program {
namespace {

short_name numbered(char head, std::size_t number) {
  const char text[3] = {head, static_cast<char>('0' + number / 10 % 10),
                        static_cast<char>('0' + number % 10)};
  if (number < 10) {
    const char small[2] = {head, text[2]};
    return std::string_view(small, 2);
  }
  return std::string_view(text, 3);
}

template <typename List>
index last(const List& list) {
  return static_cast<index>(list.size() - 1);
}

}  // namespace

index builder::stream(stream_kind kind, short_name name, int priority, int thread) {
  program.streams.push_back(
      {name, kind, static_cast<std::int8_t>(priority), static_cast<std::uint8_t>(thread)});
  return last(program.streams);
}

index builder::event(bool timing, bool blocking_sync) {
  program.events.push_back({numbered('e', program.events.size()), timing, blocking_sync});
  return last(program.events);
}

index builder::buffer(memory_kind memory, std::uint32_t bytes) {
  program.buffers.push_back({numbered('x', program.buffers.size()), memory, bytes});
  return last(program.buffers);
}

index builder::graph(graph_origin origin) {
  program.graphs.push_back({numbered('g', program.graphs.size()), origin, {}});
  return last(program.graphs);
}

index builder::node(index graph, node_kind kind, std::initializer_list<index> after, index write,
                    index read) {
  auto& nodes = program.graphs[static_cast<std::size_t>(graph)].nodes;
  graph_node n;
  const char letter = static_cast<char>('a' + nodes.size() % 26);
  n.name =
      nodes.size() < 26 ? short_name(std::string_view(&letter, 1)) : numbered('z', nodes.size());
  n.kind = kind;
  n.read = read;
  n.write = write;
  for (const index d : after) n.after |= 1U << d;
  nodes.push_back(n);
  return last(nodes);
}

graph_node& builder::last_node(index graph) {
  return program.graphs[static_cast<std::size_t>(graph)].nodes.back();
}

index builder::add(const operation& o) {
  program.ops.push_back(o);
  program.ops.back().thread = thread_;
  return last(program.ops);
}

index builder::item(op_kind kind, index stream, index write, index read) {
  operation o;
  o.kind = kind;
  o.stream = stream;
  o.write = write;
  o.read = read;
  return add(o);
}

index builder::launch(index stream, index graph) {
  operation o;
  o.kind = op_kind::launch;
  o.stream = stream;
  o.graph = graph;
  return add(o);
}

index builder::record(index event, index stream) {
  return host(op_kind::record, stream, event);
}

index builder::wait(index event, index stream) {
  return host(op_kind::wait, stream, event);
}

index builder::host(op_kind kind, index stream, index event) {
  operation o;
  o.kind = kind;
  o.stream = stream;
  o.event = event;
  return add(o);
}

}  // namespace streamcts::program
