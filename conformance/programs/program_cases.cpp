// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream programs: what lies between the cases that were written by hand. What must hold is said by
// the model of harness/program; a failure names the clause of the edge that broke.

#include <fmt/format.h>

#include <algorithm>

#include "conformance/clauses/clauses.h"
#include "conformance/programs/regressions.h"
#include "conformance/programs/run.h"
#include "harness/program/text.h"

namespace streamcts {
namespace {

constexpr int slices = 64;

/// The clauses that programs can judge, and that holds are counted for.
std::vector<clause_id> order_clauses() {
  return {clause::ST_ORDER_001, clause::CB_ORDER_001, clause::CB_ORDER_002,  clause::CB_ORDER_004,
          clause::CB_BLOCK_001, clause::CB_BLOCK_002, clause::CB_BLOCK_003,  clause::CB_BLOCK_004,
          clause::CB_BLOCK_005, clause::HF_ORDER_001, clause::HF_ORDER_002,  clause::HF_BLOCK_001,
          clause::HF_BLOCK_002, clause::EV_REC_001,   clause::EV_REC_003,    clause::EV_WAIT_001,
          clause::JN_EVENT_001, clause::JN_EVENT_002, clause::JN_EVENT_003,  clause::JN_EVENT_004,
          clause::ST_DEF_001,   clause::ST_DEF_002,   clause::ST_DEF_003,    clause::ST_DEF_005,
          clause::ST_DEF_006,   clause::ST_DEF_008,   clause::ST_SYNC_001,   clause::ST_SYNC_004,
          clause::ST_QUERY_001, clause::ST_QUERY_002, clause::GR_LAUNCH_001, clause::GR_LAUNCH_002,
          clause::GR_HOST_002};
}

constexpr std::string_view own_counts =
    "counts its own holds: programs differ in what they can show";

std::string_view slice_name(int slice) {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int i = 0; i < slices; ++i) all.push_back(fmt::format("s{:02}", i));
    return all;
  }();
  return names[static_cast<std::size_t>(slice)];
}

/// One slice of the enumerator in `standard` (10 s on an H200), all of them in `stress`.
axis enumerator_slices() {
  axis made{"slice", {}};
  for (int i = 0; i < slices; ++i) {
    made.values.push_back({i, slice_name(i), i == 0 ? tier::standard : tier::stress});
  }
  return made;
}

// Promise:   each edge of a source, one ordering operation and an observer, over five kinds of stream.
// Defect:    an edge is missing for one combination; the observer starts, returns or reads too early.
// Any speed: each item in turn is held until a canary has run; what is behind it must not have begun.
STREAMCTS_CASE(enumerated_programs, {.arrangement = "program/enumerator",
                                     .clauses = order_clauses(),
                                     .axes = {enumerator_slices()},
                                     .needs = {need::mapped_memory, need::device_gate},
                                     .without_hold = own_counts,
                                     .time_limit = std::chrono::seconds(60)}) {
  const int slice = static_cast<int>(context.instance().values.entries().front().value);
  program_runs runs(context);
  for (std::size_t i = static_cast<std::size_t>(slice); i < program::enumerated_programs();
       i += slices) {
    if (!runs.run(program::generate(program::generator::enumerator, i))) break;
  }
  runs.finish();
}

axis random_generators() {
  using program::generator;
  axis made{"generator", {}};
  for (const generator g : {generator::idiom, generator::swarm, generator::enumerator}) {
    made.values.push_back({static_cast<int>(g), program::to_string(g)});
  }
  return made;
}

/// Whether a graph of the program has nothing to do. No document says that the launch of such a graph
/// is an action on the NULL stream; a driver was seen to whose NULL stream it leaves without a barrier.
bool has_idle_graph(const program::stream_program& all) {
  return std::any_of(all.graphs.begin(), all.graphs.end(), [](const program::graph_decl& graph) {
    return std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const program::graph_node& node) {
      return node.kind == program::node_kind::empty || node.disabled;
    });
  });
}

// Promise:   the order of whatever two idioms make when they are interleaved, and of random programs.
// Defect:    state that one operation leaves behind changes what another one does.
// Any speed: as above.
STREAMCTS_CASE(random_programs, {.arrangement = "program/random",
                                 .clauses = order_clauses(),
                                 .axes = {random_generators()},
                                 .needs = {need::mapped_memory, need::device_gate},
                                 .without_hold = own_counts,
                                 .time_limit = std::chrono::seconds(60)}) {
  const auto g = static_cast<program::generator>(context.instance().values.entries().front().value);
  program_runs runs(context);
  const int programs = context.by_tier(4, 12, 5000);
  for (int i = 0; i < programs; ++i) {
    const std::uint64_t number = context.seed() % 1000000007 + static_cast<std::uint64_t>(i);
    const program::stream_program next = program::generate(g, number);
    if (has_idle_graph(next)) continue;
    if (!runs.run(next)) break;
  }
  runs.finish();
}

axis found_programs() {
  axis made{"program", {}};
  const auto all = regression_programs();
  for (std::size_t i = 0; i < all.size(); ++i) {
    made.values.push_back({static_cast<int>(i), all[i].name});
  }
  return made;
}

// Promise:   that of the program, which says what it once found.
// Defect:    the same again.
// Any speed: as above.
STREAMCTS_CASE(regression_program, {.arrangement = "program/regression",
                                    .clauses = order_clauses(),
                                    .axes = {found_programs()},
                                    .needs = {need::mapped_memory, need::device_gate},
                                    .without_hold = own_counts}) {
  const auto number = context.instance().values.entries().front().value;
  program_runs runs(context);
  runs.run(program::parse(regression_programs()[static_cast<std::size_t>(number)].text));
  runs.finish();
}

/// A fault ends what a process can do, and so each program needs one of its own.
axis fault_programs() {
  axis made{"number", {}};
  for (int i = 0; i < 12; ++i) {
    made.values.push_back({i, slice_name(i), i < 4 ? tier::standard : tier::stress});
  }
  return made;
}

// Promise:   CB-STATUS-002, -005, -006, CB-ONCE-003, HF-ERR-001, ER-PROP-001: what is told of a
// fault. Defect:    a callback or a synchronization behind the fault is told of success, or is
// dropped. Any speed: nothing depends on when the fault is noticed: only what is ordered around it
// is judged.
STREAMCTS_CASE(programs_with_a_fault,
               {.arrangement = "program/fault",
                .clauses = {clause::CB_STATUS_002, clause::CB_STATUS_005, clause::CB_STATUS_006,
                            clause::CB_ONCE_003, clause::HF_ERR_001, clause::ER_PROP_001},
                .axes = {fault_programs()},
                .where = isolation::own_process,
                .needs = {need::mapped_memory, need::device_gate, need::faults},
                .without_hold = "nothing is held: the fault itself comes first or last"}) {
  const auto number = context.instance().values.entries().front().value;
  program_runs runs(context);
  runs.run(program::generate(program::generator::fault, 1000 + static_cast<std::uint64_t>(number)));
  runs.finish();
}

}  // namespace
}  // namespace streamcts
