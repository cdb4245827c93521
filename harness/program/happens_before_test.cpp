// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/happens_before.h"

#include <gmock/gmock.h>

#include "harness/program/generate.h"
#include "harness/program/order_graph.h"
#include "harness/program/test_support.h"

namespace streamcts::program {
namespace {

TEST(HappensBefore, StreamOrder) {
  const parsed p("K: kernel A\nC: callback A\nM: kernel B\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_FALSE(p.ordered("C", "K"));
  EXPECT_FALSE(p.ordered("K", "M"));
  EXPECT_TRUE(p.m.order().after(p.item("K")).has(p.item("C")));
}

TEST(HappensBefore, AnEventCarriesWhatWasThereAtItsRecord) {
  const parsed p("K: kernel A\nrecord e A\nM: kernel A\nwait e N\nC: callback N\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_FALSE(p.ordered("M", "C"));
}

TEST(HappensBefore, AWaitBindsToTheRecordOfItsCall) {
  const parsed p(
      "K: kernel A\nrecord e A\nwait e N\nM: kernel B\nrecord e B\nC: callback N\n"
      "wait e N\nD: callback N\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_FALSE(p.ordered("M", "C"));
  EXPECT_TRUE(p.ordered("M", "D"));
}

TEST(HappensBefore, JoinsAreTransitiveThroughAnEmptyStream) {
  const parsed p("K: kernel A\nrecord e A\nwait e B\nrecord f B\nwait f N\nC: callback N\n");
  EXPECT_TRUE(p.ordered("K", "C"));
}

TEST(HappensBefore, AnEventNeverRecordedOrdersNothing) {
  const parsed p("K: kernel A\nwait e N\nC: callback N\nwait e L\nM: kernel B\nevent_sync e\n");
  EXPECT_FALSE(p.ordered("K", "C"));
  EXPECT_FALSE(p.ordered("K", "M"));
  EXPECT_TRUE(p.known(5).empty());
}

TEST(HappensBefore, DestructionRemovesNoEdge) {
  const parsed p(
      "K: kernel A\nrecord e A\nwait e N\ndestroy_event e\ndestroy_stream A\nC: callback N\n"
      "context_sync\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_TRUE(p.knows(6, "K"));
}

TEST(HappensBefore, AnEventOfADestroyedStreamIsOpen) {
  const parsed p("K: kernel A\nrecord e A\ndestroy_stream A\nwait e N\nC: callback N\nM: kernel L\n");
  EXPECT_FALSE(p.ordered("K", "C"));
  EXPECT_FALSE(p.ordered("K", "M"));  // and so is the barrier towards the stream
}

TEST(HappensBefore, LegacyActionsWaitAndHold) {
  const parsed p(
      "K: kernel A\nN0: kernel N\nQ: kernel P\nC: callback L\nM: kernel B\nN1: kernel N\nD: kernel P\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_TRUE(p.ordered("Q", "C"));
  EXPECT_FALSE(p.ordered("N0", "C"));
  EXPECT_TRUE(p.ordered("C", "M"));
  EXPECT_TRUE(p.ordered("C", "D"));
  EXPECT_TRUE(p.ordered("K", "M"));
  EXPECT_FALSE(p.ordered("C", "N1"));
}

TEST(HappensBefore, ALegacyRecordWaitsAndHoldsNobody) {
  const parsed p("K: kernel A\nrecord e L\nM: kernel B\nwait e N\nC: callback N\nevent_sync e\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_FALSE(p.ordered("K", "M"));
  EXPECT_TRUE(p.knows(5, "K"));
}

TEST(HappensBefore, ALegacyWaitIsAnAction) {
  const parsed p("K: kernel N\nM: kernel A\nrecord e N\nwait e L\nC: callback B\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_TRUE(p.ordered("M", "C"));
}

TEST(HappensBefore, SynchronizingCoversOwnWorkAndJoins) {
  const parsed p(
      "K: kernel A\nrecord e A\nwait e N\nM: kernel A\nstream_sync N\nD: kernel B\n"
      "context_sync\n");
  EXPECT_TRUE(p.knows(4, "K"));
  EXPECT_FALSE(p.knows(4, "M"));
  EXPECT_TRUE(p.ordered("K", "D"));
  EXPECT_FALSE(p.ordered("M", "D"));
  EXPECT_TRUE(p.knows(6, "D"));
}

TEST(HappensBefore, SynchronizingLeavesTheBarrierOpen) {
  const parsed p("K: kernel L\nstream_sync A\nM: kernel A\nstream_sync A\n");
  EXPECT_FALSE(p.knows(1, "K"));  // A has no work of its own behind K
  EXPECT_TRUE(p.knows(3, "K"));
  const parsed q("K: kernel A\nrecord e A\nwait e L\nM: kernel B\nstream_sync L\n");
  EXPECT_TRUE(q.knows(4, "K"));
  EXPECT_FALSE(q.knows(4, "M"));
  const parsed r("K: kernel A\nM: kernel B\nrecord e A\nwait e L\nstream_sync L\n");
  EXPECT_TRUE(r.knows(4, "K"));
  EXPECT_FALSE(r.knows(4, "M"));  // whether stream 0 covers the others is not said
}

TEST(HappensBefore, AQueryCountsOnlyWithSuccess) {
  parsed p("K: kernel A\nstream_query A\nM: kernel N\n");
  EXPECT_FALSE(p.ordered("K", "M"));
  EXPECT_TRUE(p.m.order().covered(1).has(0));
  std::vector<call_outcome> outcomes(3, call_outcome::as_promised);
  outcomes[1] = call_outcome::query_succeeded;
  p.m.assume(outcomes);
  EXPECT_TRUE(p.ordered("K", "M"));
  EXPECT_TRUE(p.knows(1, "K"));
}

TEST(HappensBefore, AFailedCallAddsNothing) {
  parsed p("K: kernel A\nrecord e A\nrecord e A\nwait e N\nC: callback N\n");
  std::vector<call_outcome> outcomes(5, call_outcome::as_promised);
  outcomes[2] = call_outcome::failed;
  p.m.assume(outcomes);
  EXPECT_FALSE(p.ordered("K", "C"));
}

constexpr std::string_view diamond =
    "graph g\nnode g a kernel\nnode g b kernel after=a\nnode g c kernel after=a disabled\n"
    "node g d host after=b,c\n";

TEST(HappensBefore, GraphsFollowTheirEdgesStreamAndLastLaunch) {
  const parsed p(std::string(diamond) +
                 "K: kernel A\nG: launch A g\nC: callback A\nH: launch N g\nM: kernel N\n");
  EXPECT_TRUE(p.ordered("K", "G.a"));
  EXPECT_TRUE(p.ordered("G.a", "G.b"));
  EXPECT_TRUE(p.ordered("G.b", "G.d"));
  EXPECT_TRUE(p.ordered("G.d", "C"));
  EXPECT_TRUE(p.ordered("G.d", "H.a"));
  EXPECT_TRUE(p.ordered("K", "M"));
  EXPECT_FALSE(p.ordered("C", "H.a"));
  EXPECT_EQ(p.m.items().item_of(1, 2), -1);  // disabled nodes make no item
}

TEST(HappensBefore, DisabledNodesPassTheirDependenciesOn) {
  const parsed p("graph g\nnode g a kernel\nnode g b kernel after=a disabled\nnode g c host after=b\n"
                 "G: launch N g\n");
  EXPECT_TRUE(p.ordered("G.a", "G.c"));
}

TEST(HappensBefore, SynchronousCopiesReturnAsTheTableSays) {
  const parsed p(
      "buffer d device 64K\nbuffer h mapped 64K\nbuffer q pageable 64K\nbuffer m managed 64K\n"
      "buffer d2 device 64K\n"
      "K: kernel A write=d\nD: copy_sync L read=d write=h\nU: copy_sync L read=h write=d\n"
      "E: copy_sync L read=d write=d2\nZ: memset_sync L write=h\nQ: copy A read=h write=q\n"
      "R: copy A read=m write=h\n");
  EXPECT_TRUE(p.knows(1, "D"));
  EXPECT_TRUE(p.knows(1, "K"));
  EXPECT_FALSE(p.knows(2, "U"));
  EXPECT_TRUE(p.m.order().reads_done(2).has(p.item("U")));
  EXPECT_FALSE(p.knows(3, "E"));
  EXPECT_TRUE(p.knows(4, "Z"));
  EXPECT_TRUE(p.knows(5, "Q"));   // host to host, also in the asynchronous form
  EXPECT_FALSE(p.knows(6, "R"));  // managed memory: no promise
  EXPECT_TRUE(p.ordered("Z", "Q"));
}

TEST(HappensBefore, AnUploadHasReadWhatEarlierItemsWrote) {
  const parsed p("buffer h mapped 64K\nbuffer d device 64K\nM: kernel N\nK: kernel A write=h\n"
                 "U: copy_sync L read=h write=d\n");
  EXPECT_TRUE(p.knows(2, "K"));
  EXPECT_FALSE(p.knows(2, "M"));
}

TEST(HappensBefore, TwoThreadsKeepTheOrderOfCallsOnOneObject) {
  const parsed p("K: kernel A\n@1 C: callback A\n@1 M: kernel N\nstream_sync A\n@1 D: kernel N\n");
  EXPECT_TRUE(p.ordered("K", "C"));
  EXPECT_TRUE(p.knows(3, "C"));
  EXPECT_FALSE(p.ordered("C", "D"));
  EXPECT_FALSE(p.m.order().returned_before(3, 4));
  EXPECT_TRUE(p.m.order().returned_before(1, 3));
  EXPECT_TRUE(p.m.order().returned_before(0, 1));
  EXPECT_FALSE(p.m.order().returned_before(1, 0));
}

TEST(HappensBefore, AHandoffOrdersTwoThreads) {
  const parsed p("K: kernel A\nstream_sync A\nhandoff 1\n@1 M: kernel N\n");
  EXPECT_TRUE(p.ordered("K", "M"));
  EXPECT_TRUE(p.m.order().returned_before(0, 3));
  const parsed q("K: kernel A\nstream_sync A\n@1 M: kernel N\n");
  EXPECT_FALSE(q.ordered("K", "M"));
}

TEST(HappensBefore, CallsThatConflict) {
  const parsed p("K: kernel L\nM: kernel A\nM2: kernel N\ncontext_sync\nrecord e A\nevent_sync e\n"
                 "destroy_stream N\nC: callback B\nawait C\n");
  const auto conflicts = [&](std::size_t a, std::size_t b) {
    return conflict(p.program, p.program.ops[a], p.program.ops[b]);
  };
  EXPECT_TRUE(conflicts(0, 1));
  EXPECT_FALSE(conflicts(0, 2));
  EXPECT_TRUE(conflicts(2, 3));
  EXPECT_TRUE(conflicts(4, 5));
  EXPECT_TRUE(conflicts(6, 5));
  EXPECT_FALSE(conflicts(1, 7));
  EXPECT_FALSE(conflicts(5, 7));
}

TEST(HappensBefore, AHandOverByACallIsNotItsEnd) {
  const parsed p("K: kernel A\nC: callback A\nawait C\nM: kernel N\n");
  EXPECT_TRUE(p.knows(2, "K"));
  EXPECT_FALSE(p.knows(2, "C"));
  EXPECT_TRUE(p.ordered("K", "M"));
  EXPECT_FALSE(p.ordered("C", "M"));
}

TEST(HappensBefore, HostWritesComeBeforeWhatIsEnqueuedLater) {
  const parsed p("buffer x mapped 4\nbuffer y mapped 4\nW: host_write write=x\nM: copy A read=x write=y\n");
  EXPECT_TRUE(p.ordered("W", "M"));
}

TEST(HappensBefore, TheSynchronizationOfAContextCoversNoOtherThreadsWrites) {
  const parsed p("buffer x mapped 4\nK: kernel A\n@1 W: host_write write=x\ncontext_sync\n");
  EXPECT_TRUE(p.knows(2, "K"));
  EXPECT_FALSE(p.knows(2, "W"));
}

/// The walk and the graph of single edges are two ways to the same order.
TEST(OrderGraph, AgreesWithTheWalk) {
  for (const generator g : {generator::enumerator, generator::idiom, generator::swarm}) {
    for (std::uint64_t i = 0; i < 40; ++i) {
      const stream_program p = generate(g, g == generator::enumerator ? i * 101 : i);
      const model m(p);
      const order_graph graph(m);
      for (std::size_t x = 0; x < m.items().size(); ++x) {
        ASSERT_EQ(graph.starts_after(x), m.order().after(x)) << to_text(p) << x;
      }
      if (i % 8 != 0) continue;
      for (std::size_t op = 0; op < p.ops.size(); ++op) {
        for (std::size_t x = 0; x < m.items().size(); ++x) {
          const auto chain = graph.chain({order_point::type::end, static_cast<index>(x)},
                                         {order_point::type::returned, static_cast<index>(op)});
          ASSERT_EQ(!chain.empty(), m.order().known(op).has(x)) << to_text(p) << x << " " << op;
        }
      }
    }
  }
}

std::vector<std::string_view> clauses(const parsed& p, std::string_view from, std::string_view to) {
  const order_graph graph(p.m);
  std::vector<std::string_view> all;
  for (const order_link& l :
       graph.chain({order_point::type::end, static_cast<index>(p.item(from))},
                   {order_point::type::start, static_cast<index>(p.item(to))})) {
    if (!l.clause.empty()) all.push_back(l.clause);
  }
  return all;
}

TEST(OrderGraph, EachEdgeHasTheClauseThatFits) {
  using testing::ElementsAre;
  const parsed p(
      "buffer x mapped 4\nK: kernel A\nC: callback A\nrecord e A\nwait e N\nD: callback N\n"
      "H: host_function N\nM: memset N write=x\nE: callback N\n");
  EXPECT_THAT(clauses(p, "K", "C"), ElementsAre("CB-ORDER-001"));
  EXPECT_THAT(clauses(p, "C", "D"), ElementsAre("CB-BLOCK-003", "EV-WAIT-001", "JN-EVENT-001"));
  EXPECT_THAT(clauses(p, "D", "H"), ElementsAre("HF-ORDER-002"));
  EXPECT_THAT(clauses(p, "H", "M"), ElementsAre("HF-BLOCK-001"));
  EXPECT_THAT(clauses(p, "M", "E"), ElementsAre("CB-ORDER-002"));
  const parsed q("K: kernel A\nC: callback L\nM: kernel B\nV: write_value B\nrecord e L\nwait e N\n"
                 "D: kernel N\n");
  EXPECT_THAT(clauses(q, "K", "C"), ElementsAre("ST-DEF-003"));
  EXPECT_THAT(clauses(q, "C", "M"), ElementsAre("ST-DEF-003"));
  EXPECT_THAT(clauses(q, "M", "V"), ElementsAre("MO-WRITE-001"));
  EXPECT_THAT(clauses(q, "V", "D"), ElementsAre("ST-DEF-006", "EV-WAIT-001", "EV-WAIT-001"));
  const parsed r("graph g captured\nnode g a kernel\nnode g b host after=a\nK: kernel A\nG: launch A g\n"
                 "H: launch B g\nM: kernel B\n");
  EXPECT_THAT(clauses(r, "K", "G.b"), ElementsAre("GR-LAUNCH-001", "GR-LAUNCH-001", "JN-CAP-001"));
  EXPECT_THAT(clauses(r, "G.b", "M"),
              ElementsAre("GR-LAUNCH-001", "GR-LAUNCH-002", "GR-LAUNCH-001", "GR-LAUNCH-001"));
}

TEST(OrderGraph, EdgesThroughTheHost) {
  using testing::ElementsAre;
  const parsed p("buffer d device 4\nbuffer h mapped 4\nK: kernel A\nC: callback A\nstream_sync A\n"
                 "M: kernel N\nD: copy_sync L read=d write=h\nZ: memset_sync L write=h\nE: kernel N\n");
  EXPECT_THAT(clauses(p, "C", "M"), ElementsAre("CB-BLOCK-005", "VS-HOST-001"));
  EXPECT_THAT(clauses(p, "D", "Z"), ElementsAre("ST-ORDER-001"));
  EXPECT_THAT(clauses(p, "Z", "E"), ElementsAre("CP-SYNC-006", "VS-HOST-001"));
  const parsed q("K: kernel A\nC: callback A\nawait C\nM: kernel N\nevent_poll e\nstream_poll N\n"
                 "D: kernel B\n@1 E: kernel B\n");
  EXPECT_THAT(clauses(q, "K", "M"),
              ElementsAre("CB-ORDER-001", "CB-THREAD-002", "VS-HOST-001"));
  EXPECT_THAT(clauses(q, "M", "D"), ElementsAre("ST-QUERY-001", "VS-HOST-001"));
}

TEST(OrderGraph, PointsHaveNames) {
  const parsed p("graph g\nnode g a empty\nK: kernel A\nG: launch A g\nstream_sync A\n");
  const auto name = [&](order_point::type t, index n, index node = none) {
    return to_string(p.program, p.m.items(), {t, n, node});
  };
  using type = order_point::type;
  EXPECT_EQ(name(type::start, 0), "K.start");
  EXPECT_EQ(name(type::end, 0), "K.end");
  EXPECT_EQ(name(type::call, 0), "call of K: kernel A");
  EXPECT_EQ(name(type::returned, 2), "return of stream_sync A");
  EXPECT_EQ(name(type::reached, 1), "G: launch A g");
  EXPECT_EQ(name(type::left, 1), "end of G: launch A g");
  EXPECT_EQ(name(type::passed, 1, 0), "G.a");
}

}  // namespace
}  // namespace streamcts::program
