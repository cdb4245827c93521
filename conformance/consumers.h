// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <optional>

#include "conformance/axes.h"
#include "harness/driver/graph.h"

namespace streamcts {

/// What is put behind an ordering to see whether the ordering holds for it.
enum class consumer {
  kernel,         ///< a kernel that copies the payload
  copy,           ///< a copy of the payload to the host
  upload,         ///< a copy of the payload, in pinned memory, to the device
  memset,         ///< overwrites the payload: the later write must win
  graph,          ///< a graph launch with such a kernel
  callback,       ///< a stream callback that looks at the payload
  host_function,  ///< a host function that looks at the payload
};
std::string_view name(consumer what);
/// All of them.
axis consumers();
inline consumer consumer_of(const case_context& context) {
  return context.get<consumer>("consumer");
}

/// Mapped memory, so that the writer itself is what is directly in front of the consumer. Copies read
/// device memory, since asynchronous copies of host memory may wait for the stream.
memory_kind input_of(consumer what);

/// Ends the case where graphs do not work.
void require_graphs(case_context& context);

/// One consumer and what it made of its input. Its verdict comes from the data that it leaves, so it
/// holds at any speed: had it run before the input was written, it would have copied something else,
/// or would have been overwritten itself.
///
/// Made before the first round. @p input is of the kind input_of(kind), and is not to be looked at
/// otherwise.
class consumption {
 public:
  consumption(case_context& context, arrangement& scene, consumer kind, product& input);

  /// Puts the consumer into @p on; once a round.
  operation enqueue(lane& on);
  /// After drain(): it must have run after everything that writes the input.
  void expect_ordered(clause_id clause, operation victim,
                      std::source_location site = std::source_location::current()) const;

 private:
  void build_graph();
  void enqueue_work(lane& on);
  sighting look() const;

  case_context& context_;
  arrangement& scene_;
  consumer kind_;
  product& input_;
  payload out_;
  driver::device_buffer aside_;  ///< where uploads go
  std::optional<driver::graph_exec> graph_;
  observer* call_ = nullptr;
  operation op_ = 0;
};

}  // namespace streamcts
