// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "harness/program/types.h"

namespace streamcts::program {

/// Writes programs in C++: each call adds a declaration or an operation and returns its position.
class builder {
 public:
  index stream(stream_kind kind, short_name name, int priority = 0, int thread = 0);
  /// Named e0, e1, ...
  index event(bool timing = false, bool blocking_sync = false);
  /// Named x0, x1, ...
  index buffer(memory_kind memory, std::uint32_t bytes = 65536);
  /// Named g0, g1, ...
  index graph(graph_origin origin = graph_origin::by_hand);
  /// Adds a node to a graph; named a, b, ...
  index node(index graph, node_kind kind, std::initializer_list<index> after = {},
             index write = none, index read = none);
  graph_node& last_node(index graph);

  index add(const operation& o);
  index item(op_kind kind, index stream, index write = none, index read = none);
  index launch(index stream, index graph);
  index record(index event, index stream);
  index wait(index event, index stream);
  /// A synchronization, query or destruction of a stream or event, or of neither.
  index host(op_kind kind, index stream = none, index event = none);

  /// Operations added from here on are made by this thread.
  void use_thread(int thread) { thread_ = static_cast<std::uint8_t>(thread); }

  stream_program program;
  std::size_t thread_count = 1;  ///< for the random generators

 private:
  std::uint8_t thread_ = 0;
};

}  // namespace streamcts::program
