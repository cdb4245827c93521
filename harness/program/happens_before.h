// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The order that the documentation promises for a program: rules R1 to R17 of docs/programs.md,
// each from clauses of clauses.json (rules.h). Built by walking the lines once; each stream, event
// and host thread carries the closed set of items that are known to have ended (a vector clock in
// bits), and a record copies the set of its stream.
//
// Where the documents leave a question open, no order is assumed:
//   - later blocking-stream items behind a mere record in the legacy stream,
//   - work of blocking streams when the legacy stream itself is synchronized,
//   - legacy work when a blocking stream without later work of its own is synchronized,
//   - a wait in the legacy stream on an event that was never recorded, as a barrier,
//   - an event recorded in a stream that was destroyed in the meantime,
//   - the barrier towards streams that were destroyed.

#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/program/item_set.h"
#include "harness/program/layout.h"
#include "harness/program/types.h"

namespace streamcts::program {

/// What a call turned out to do, where that changes what is promised afterwards.
enum class call_outcome : std::uint8_t {
  as_promised,
  query_succeeded,  ///< counts as a synchronization (ST-QUERY-002); a query else adds nothing
  failed,           ///< returned an error: adds nothing
};

/// Happens-before of one program. Not thread-safe; rebuilding keeps the memory.
class happens_before {
 public:
  happens_before() = default;
  happens_before(const stream_program& program, const layout& items) { build(program, items); }

  /// @param outcomes of the operations; may be empty, and then no query succeeded.
  /// @pre @p items is the layout of @p program, which has no structural_error().
  void build(const stream_program& program, const layout& items,
             std::span<const call_outcome> outcomes = {});

  /// The items that must have ended before @p item starts. Closed: contains theirs too.
  const item_set& before(std::size_t item) const { return before_[item]; }
  /// The items that start only after @p item has ended.
  const item_set& after(std::size_t item) const { return after_[item]; }

  /// The items that must have ended when operation @p op returns, as the calling thread knows.
  const item_set& known(std::size_t op) const { return known_[op]; }
  /// The items that a synchronization or query covers; success means they have ended.
  const item_set& covered(std::size_t op) const { return covered_[op]; }
  /// Items whose source has been read when the thread calls @p op (rule R12). Contains the items
  /// that have ended.
  const item_set& reads_done(std::size_t op) const { return reads_done_[op]; }
  /// What event @p op (a record) captured.
  const item_set& captured(std::size_t op) const { return covered_[op]; }

  /// Whether the return of @p earlier happens before the call of @p later.
  bool returned_before(std::size_t earlier, std::size_t later) const;
  /// All items of the program's layout.
  const item_set& all() const { return all_; }

 private:
  struct stream_state {
    item_set tail;         ///< what the next item starts after
    item_set own;          ///< what a host synchronization of the stream covers
    bool barrier = false;  ///< takes part in the legacy stream's barrier
    bool legacy = false;
  };
  struct event_state {
    item_set captured;
    index stream = none;
    bool usable = false;
  };
  struct thread_state {
    item_set done;
    item_set reads_done;
    std::array<index, limits::threads> seen{};  ///< last operation of each thread known to be over
  };

  void reset(const stream_program& program, const layout& items);
  void step(const stream_program& program, const layout& items, std::size_t op, bool succeeded);
  void leave(const operation& o, std::size_t op);
  void receive(const layout& items, std::size_t op, thread_state& thread);
  item_set barrier_work() const;
  void spread(const stream_state& legacy);
  void enqueue_item(const operation& o, std::size_t item, thread_state& thread);
  void launch(const stream_program& program, const layout& items, std::size_t op);
  void record(const operation& o, std::size_t op, const thread_state& thread);
  void wait(const operation& o);
  void host_step(const layout& items, std::size_t op, const operation& o, thread_state& thread,
                 bool succeeded);
  void finish_copy(const stream_program& program, const layout& items, const operation& o,
                   std::size_t item, thread_state& thread);

  std::vector<stream_state> streams_;
  std::vector<event_state> events_;
  std::vector<item_set> last_launch_;
  std::array<thread_state, limits::threads> threads_{};
  std::vector<item_set> before_, after_, known_, covered_, reads_done_;
  std::vector<std::array<index, limits::threads>> seen_;
  std::vector<std::uint8_t> thread_of_;
  item_set issued_, all_;
  bool many_threads_ = false;
};

}  // namespace streamcts::program
