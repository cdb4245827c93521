// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// User objects: things of the program's that live as long as graphs need them.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <random>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "conformance/graph/nodes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// What a destructor leaves; lives until the process ends, as a late one may still come.
struct grave {
  std::atomic<std::uint32_t> destroyed{0};

  static void CUDA_CB destroy(void* self) {
    static_cast<grave*>(self)->destroyed.fetch_add(1, std::memory_order_acq_rel);
  }
  std::uint32_t count() const { return destroyed.load(std::memory_order_acquire); }
};

/// Destructors run when they like (UO-003): what they write outlives all cases of the process.
grave& new_grave() {
  static auto* all = new std::deque<grave>;
  return all->emplace_back();
}

void require_user_objects(case_context& context) {
  require_graphs(context);
  using driver::feature;
  if (context.capabilities().works(feature::user_object)) return;
  context.not_supported(fmt::format("user_object = no ({})",
                                    context.capabilities().of(feature::user_object).reason));
}

CUuserObject make_object(const case_context& context, grave& of, unsigned references) {
  CUuserObject made = nullptr;
  STREAMCTS_CHECK(context.cuda().cuUserObjectCreate(&made, &of, &grave::destroy, references,
                                                    CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  return made;
}

/// Waits for the destructor, as long as something may take that must happen.
void expect_destroyed(case_context& context, clause_id promise, const grave& of) {
  const auto start = std::chrono::steady_clock::now();
  for (unsigned step = 0; of.count() == 0; ++step) {
    if (std::chrono::steady_clock::now() - start > context.calibration().patience()) break;
    relax_thread(step);
  }
  context.expect(promise, of.count() == 0 ? failure_kind::lost : failure_kind::duplicate,
                 "calls of the destructor after the last reference was dropped", of.count(),
                 ::testing::Eq(1u));
}

// Promise:   UO-001. The destructor of a user object is called once, after the last reference of the
//            program, of graphs, clones and executables is gone; whichever is the last.
// Defect:    it is called when the graph is destroyed though an executable still holds a reference; or
//            once for each; or never. The counter is 1 too soon, or not 1 in the end.
// Any speed: a counter. Too soon is wrong at any time; the last call is waited for.
STREAMCTS_CASE(user_object_references, {.arrangement = "graph/user_object_references",
                                        .clauses = {clause::UO_001},
                                        .without_hold = "counts calls of the destructor"}) {
  require_user_objects(context);
  const driver::function_table& cuda = context.cuda();
  std::mt19937_64 random(context.seed());
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  std::vector<const grave*> past;
  const int rounds = context.by_tier(12, 30, 300);
  for (int round = 0; scene.next_round(rounds); ++round) {
    grave& of = new_grave();
    CUuserObject object = make_object(context, of, 2);
    STREAMCTS_CHECK(cuda.cuUserObjectRetain(object, 1));
    std::optional<driver::graph> original(std::in_place, cuda);
    original->add_empty();
    // In every other round the graph takes over a reference of the program's.
    const unsigned moved = round % 2 == 0 ? CU_GRAPH_USER_OBJECT_MOVE : 0;
    STREAMCTS_CHECK(cuda.cuGraphRetainUserObject(original->get(), object, 1, moved));
    std::optional<driver::graph> clone(original->clone());
    std::optional<driver::graph_exec> first(std::in_place, *original);
    std::optional<driver::graph_exec> second(std::in_place, *clone);
    first->launch(stream.get());
    std::vector<std::pair<std::string, std::function<void()>>> drops = {
        {"the graph", [&] { original.reset(); }},
        {"the clone", [&] { clone.reset(); }},
        {"the executable", [&] { first.reset(); }},
        {"the clone's executable", [&] { second.reset(); }},
        {"the program's", [&] {
           STREAMCTS_CHECK(cuda.cuUserObjectRelease(object, moved != 0 ? 2 : 3));
         }}};
    std::shuffle(drops.begin(), drops.end(), random);
    for (std::size_t i = 0; i < drops.size(); ++i) {
      const std::uint32_t seen = of.count();
      context.expect(clause::UO_001, failure_kind::early,
                     fmt::format("calls of the destructor while {} others hold it, the next to go is {}",
                                 drops.size() - i - 1, drops[i].first),
                     seen, ::testing::Eq(0u));
      if (i + 1 == drops.size()) stream.stream.synchronize();
      drops[i].second();
    }
    expect_destroyed(context, clause::UO_001, of);
    past.push_back(&of);
  }
  for (const grave* each : past) {
    context.expect(clause::UO_001, failure_kind::duplicate, "calls of a destructor, at the end",
                   each->count(), ::testing::Eq(1u));
  }
}

// Promise:   UO-002. References of an executable that is destroyed while it runs are kept until it has
//            finished.
// Defect:    they are dropped by the call that destroys it: the host node finds that the destructor was
//            called.
// Any speed: the launch is held in front of the host node until the executable was destroyed and the
//            destructor had its chance.
STREAMCTS_CASE(user_object_in_flight, {.arrangement = "graph/user_object_in_flight",
                                       .clauses = {clause::UO_002},
                                       .needs = {need::device_gate, need::mapped_memory}}) {
  require_user_objects(context);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const node_gates gates(context, 1);
  while (scene.next_round(context.by_tier(3, 6, 60))) {
    grave& of = new_grave();
    CUuserObject object = make_object(context, of, 1);
    node_call host;
    std::optional<driver::graph> made(std::in_place, context.cuda());
    add_host(*made, host, gates.add_to(*made, 0));
    STREAMCTS_CHECK(context.cuda().cuGraphRetainUserObject(made->get(), object, 1,
                                                           CU_GRAPH_USER_OBJECT_MOVE));
    std::optional<driver::graph_exec> graph(std::in_place, *made);
    warm_up(context, *graph, stream);
    observer& call = scene.host_call(host_call::launch_host_func);
    std::uint32_t at_end = 0;
    call.finally([&] { at_end = of.count(); });
    host.stands_for(call);
    gates.hold_next(scene, 0);
    operation launch{};
    scene.hold_work([&] {
      launch = scene.note(stream, "launch of a held graph");
      scene.node(call, {launch});
      graph->launch(stream.get());
      graph.reset();
      made.reset();
    });
    scene.drain();
    scene.expect(clause::UO_002, launch, call.op(), failure_kind::early, at_end,
                 ::testing::Eq(0u));
    expect_destroyed(context, clause::UO_002, of);
  }
}

}  // namespace
}  // namespace streamcts
