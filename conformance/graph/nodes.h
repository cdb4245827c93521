// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "conformance/axes.h"
#include "harness/driver/graph.h"

// What graphs of cases are made of. Graphs are made, instantiated and launched once before the first
// round, so that no hold meets a first launch; what changes from round to round is in memory.

namespace streamcts {

/// A host node of a graph that outlives rounds: in each round another host call of the arrangement
/// stands behind it. Launches while none does are not counted: those before the first round.
class node_call {
 public:
  node_call() = default;
  node_call(const node_call&) = delete;
  node_call& operator=(const node_call&) = delete;

  /// For whoever adds the node, or captures a host function.
  CUDA_HOST_NODE_PARAMS parameters();
  /// From now on the node is @p call.
  void stands_for(observer& call) { now_.store(&call.slot(), std::memory_order_release); }
  void rest() { now_.store(nullptr, std::memory_order_release); }

 private:
  static void CUDA_CB run(void* self);

  std::atomic<host_call_slot*> now_{nullptr};
};

/// A gate that is a node: its words, which live as long as the case.
struct node_gate {
  control_word word;
  control_word begun;

  void open() const;
};

/// The words of gates in graphs, open until a hold uses them.
class node_gates {
 public:
  node_gates(case_context& context, std::size_t count);

  const node_gate& operator[](std::size_t index) const { return gates_.at(index); }
  std::size_t size() const { return gates_.size(); }
  /// The next hold is one of gate @p index; all others are open.
  void hold_next(arrangement& scene, std::size_t index) const;
  /// Adds the node of gate @p index to @p made.
  CUgraphNode add_to(driver::graph& made, std::size_t index, driver::node_list after = {}) const;

 private:
  case_context& context_;
  control_page page_;
  std::vector<node_gate> gates_;
};

/// What a node does that fills a payload.
enum class node_kind {
  kernel,  ///< a kernel that copies the payload's source
  copy,    ///< a copy node of the same
  memset,  ///< a memset node, of a value that the case chose
  host,    ///< a host node
};
std::string_view name(node_kind what);

/// A payload to be filled by a node of kind @p by: `producer::copy`, so that each round's pattern
/// waits in its source, except for a memset.
product& buffer_for(arrangement& scene, node_kind by);
/// Begins the round of a payload that a memset node fills: each round must write the same value.
void prepare_for_memset(product& what);
/// Adds the node that fills @p what.
CUgraphNode add_writer(case_context& context, driver::graph& made, node_kind by,
                       const product& what, driver::node_list after = {});
/// Adds a host node.
CUgraphNode add_host(driver::graph& made, node_call& call, driver::node_list after = {});

/// Launches @p graph once in @p on and waits for it: a first launch may load, allocate or wait.
void warm_up(case_context& context, const driver::graph_exec& graph, lane& on);

/// Ends the case where streams cannot be captured.
void require_capture(case_context& context);

}  // namespace streamcts
