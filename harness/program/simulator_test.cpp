// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/simulator.h"

#include <gmock/gmock.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/program/compare.h"
#include "harness/program/explain.h"
#include "harness/program/rules.h"
#include "harness/program/search.h"
#include "harness/program/shrink.h"
#include "harness/program/test_support.h"
#include "harness/program/validity.h"

namespace streamcts::program {
namespace {

TEST(ItemSet, HoldsItems) {
  item_set s;
  EXPECT_TRUE(s.empty());
  for (const std::size_t i : {3U, 64U, 255U}) s.add(i);
  EXPECT_EQ(s.size(), 3U);
  EXPECT_EQ(s.front(), 3U);
  EXPECT_EQ(s.last(), 255U);
  s.remove(255);
  EXPECT_EQ(s.last(), 64U);
  EXPECT_TRUE(item_set::first(65).contains(s));
  EXPECT_FALSE(item_set::first(64).contains(s));
  EXPECT_TRUE(s.intersects(item_set::first(4)));
  EXPECT_EQ((item_set::first(70) - item_set::first(69)).front(), 69U);
  EXPECT_EQ((item_set::first(70) & s), s);
}

TEST(Random, IsTheSameEverywhere) {
  random_source r(1);
  EXPECT_EQ(r.next(), 0xcfc5d07f6f03c29bU);
  random_source s(7);
  std::array<int, 4> counts{};
  const std::array<double, 4> weights{0, 1, 0, 3};
  for (int i = 0; i < 4000; ++i) ++counts[s.weighted(weights)];
  EXPECT_EQ(counts[0] + counts[2], 0);
  EXPECT_NEAR(counts[3], 3000, 150);
}

TEST(Rules, RestOnGuaranteesOfTheCatalogue) {
  std::ifstream in(STREAMCTS_CLAUSES_JSON);
  std::map<std::string, std::string, std::less<>> strength;
  for (const auto& c : nlohmann::json::parse(in)) {
    strength[c.at("id").get<std::string>()] = c.at("strength").get<std::string>();
  }
  ASSERT_FALSE(strength.empty());
  const auto expect_guarantee = [&](std::string_view id) {
    const auto found = strength.find(id);
    ASSERT_NE(found, strength.end()) << id;
    EXPECT_EQ(found->second, "guarantee") << id;
  };
  for (int r = 0; r < static_cast<int>(rule::count); ++r) {
    const auto clauses = rule_clauses(static_cast<rule>(r));
    const bool of_language = static_cast<rule>(r) == rule::host_order || static_cast<rule>(r) == rule::run;
    EXPECT_EQ(clauses.empty(), of_language) << to_string(static_cast<rule>(r));
    for (const std::string_view id : clauses) expect_guarantee(id);
  }
  for (const std::string_view id : other_clauses()) expect_guarantee(id);
  for (const defect_info& d : all_defects()) expect_guarantee(d.clause);
  for (int a = 0; a <= static_cast<int>(item_kind::host_write); ++a) {
    for (int b = 0; b <= static_cast<int>(item_kind::host_write); ++b) {
      expect_guarantee(stream_order_clause(static_cast<item_kind>(a), static_cast<item_kind>(b)));
    }
    expect_guarantee(record_clause(static_cast<item_kind>(a)));
    expect_guarantee(sync_clause(static_cast<item_kind>(a), false));
    expect_guarantee(sync_clause(static_cast<item_kind>(a), true));
    for (int m = 0; m <= static_cast<int>(memory_kind::pageable); ++m) {
      expect_guarantee(visibility_clause(static_cast<item_kind>(a), static_cast<memory_kind>(m)));
    }
  }
}

TEST(Defects, HaveIds) {
  std::set<std::string_view> ids;
  for (const defect_info& d : all_defects()) {
    EXPECT_TRUE(ids.insert(d.id).second) << d.id;
    EXPECT_EQ(find_defect(d.id), d.which);
    EXPECT_EQ(info(d.which).title, d.title);
  }
  EXPECT_EQ(find_defect("A0"), std::nullopt);
}

TEST(Simulator, IsDeterministic) {
  const stream_program p = generate(generator::idiom, 3);
  const layout items(p);
  simulator one, two;
  one.load(p, items);
  two.load(p, items);
  run_options o;
  o.seed = 5;
  o.how = schedule::priority;
  const std::size_t first = one.run(o).log.size();
  const history& a = one.run(o);
  const history& b = two.run(o);
  EXPECT_EQ(a.log.size(), first);
  ASSERT_EQ(a.log.size(), b.log.size());
  for (std::size_t i = 0; i < a.log.size(); ++i) {
    EXPECT_EQ(a.log[i].number, b.log[i].number);
    EXPECT_EQ(a.log[i].what, b.log[i].what);
  }
}

TEST(Simulator, AHeldItemEndsLast) {
  const parsed p("K: kernel A\nM: kernel N\nC: callback N\nD: kernel A\n");
  simulator s;
  s.load(p.program, p.m.items());
  run_options o;
  o.how = schedule::hold;
  o.held = static_cast<index>(p.item("K"));
  const history& h = s.run(o);
  EXPECT_TRUE(h.finished);
  EXPECT_TRUE(h.begun_at_look.has(p.item("C")));
  EXPECT_FALSE(h.begun_at_look.has(p.item("D")));
}

TEST(Simulator, WordsOfItsChoices) {
  EXPECT_EQ(to_string(schedule::hold), "hold");
  EXPECT_EQ(to_string(variant::inline_host_calls), "inline_host_calls");
  EXPECT_EQ(to_string(strategy::hold_each), "hold_each");
  EXPECT_EQ(to_string(generator::swarm), "swarm");
}

/// As many programs as fit; a run of millions is `streamcts_program_lab compare`.
TEST(Comparison, ModelAndSimulatorAgree) {
  comparer c;
  for (std::uint64_t i = 0; i < 8000; ++i) {
    const auto g = static_cast<generator>(i % static_cast<std::uint64_t>(generator::count));
    ASSERT_TRUE(c.compare(generate(g, i * 7919), i)) << c.result().disagreement << "\n"
                                                     << to_text(c.result().culprit);
  }
  EXPECT_EQ(c.result().programs, 8000U);
  EXPECT_GT(c.result().exact, 5000U);
}

TEST(Comparison, EveryVariantAndScheduleIsLegal) {
  simulator s;
  model m;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const stream_program p = generate(generator::idiom, i);
    m.build(p);
    s.load(p, m.items());
    for (int v = 0; v < static_cast<int>(variant::count); ++v) {
      for (int how = 0; how <= static_cast<int>(schedule::hold); ++how) {
        run_options o;
        o.legal = static_cast<variant>(v);
        o.how = static_cast<schedule>(how);
        o.held = 0;
        o.seed = i;
        const history& seen = s.run(o);
        m.assume(seen.outcomes);
        ASSERT_TRUE(check(m, seen).empty()) << to_text(p) << to_string(o.legal) << to_string(o.how);
      }
    }
  }
}

/// A comparison that could not fail would be worth nothing.
TEST(Comparison, NoticesAnInvalidProgram) {
  comparer c;
  stream_program p = parsed("K: kernel A\n").program;
  p.ops[0].stream = 17;
  EXPECT_FALSE(c.compare(p, 1));
  EXPECT_THAT(c.result().disagreement, testing::HasSubstr("not valid"));
}

TEST(Generators, NameTheirPrograms) {
  const stream_program p = generate(generator::swarm, 12);
  EXPECT_EQ(p.origin, "swarm:12");
  EXPECT_EQ(generate("swarm:12"), p);
  EXPECT_EQ(generate("swarm:"), std::nullopt);
  EXPECT_EQ(generate("storm:12"), std::nullopt);
  EXPECT_EQ(generate("swarm:x"), std::nullopt);
  EXPECT_EQ(generate(generator::enumerator, enumerated_programs()), generate(generator::enumerator, 0));
}

TEST(Generators, CoverWhatTheyShould) {
  std::set<op_kind> ops;
  std::set<memory_kind> memory;
  std::set<stream_kind> streams;
  std::size_t threads = 0;
  for (std::uint64_t i = 0; i < enumerated_programs(); ++i) {
    const stream_program p = generate(generator::enumerator, i);
    for (const operation& o : p.ops) {
      ops.insert(o.kind);
      threads = std::max<std::size_t>(threads, o.thread);
    }
    for (const buffer_decl& b : p.buffers) memory.insert(b.memory);
    for (const stream_decl& s : p.streams) streams.insert(s.kind);
  }
  EXPECT_EQ(ops.size(), static_cast<std::size_t>(op_kind::destroy_stream));  // all but the fault
  EXPECT_EQ(memory.size(), 7U);
  EXPECT_EQ(streams.size(), 4U);
  EXPECT_EQ(threads, 1U);
}

/// The enumerator and the programs with a fault kill every defect.
TEST(Search, EveryDefectIsFound) {
  std::vector<defect> alive;
  for (const defect_info& d : all_defects()) alive.push_back(d.which);
  searcher s;
  const auto try_all = [&](const stream_program& p) {
    s.load(p);
    std::erase_if(alive, [&](defect d) { return s.kills(d, strategy::hold_each, 1); });
  };
  for (std::uint64_t i = 0; i < 400 && !alive.empty(); ++i) try_all(generate(generator::fault, i));
  // A stride that meets all kinds of pattern early.
  for (std::uint64_t i = 0; i < enumerated_programs() && !alive.empty(); ++i) {
    try_all(generate(generator::enumerator, i * 1009));
  }
  for (const defect d : alive) ADD_FAILURE() << info(d).id << " " << info(d).title;
}

TEST(Search, WithoutADefectNothingIsFound) {
  searcher s;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const stream_program p = generate(generator::idiom, i);
    s.load(p);
    for (int how = 0; how < static_cast<int>(strategy::count); ++how) {
      ASSERT_FALSE(s.search(defect::nothing, static_cast<strategy>(how), i).has_value());
    }
  }
}

/// Finds a failing program for a defect, shrinks it, and explains it.
shrink_result shrunk(defect d) {
  searcher s;
  for (std::uint64_t i = 0;; ++i) {
    const stream_program p = generate(generator::idiom, i);
    s.load(p);
    if (!s.kills(d, strategy::hold_each, 1)) continue;
    return shrink(p, simulator_oracle(d));
  }
}

TEST(Shrink, LeavesAFewOperations) {
  for (const defect d : {defect::a1, defect::b1, defect::c1, defect::d1, defect::f4, defect::e2,
                         defect::c8, defect::j1}) {
    const shrink_result r = shrunk(d);
    EXPECT_TRUE(r.failed);
    EXPECT_LE(r.program.ops.size(), 8U) << to_text(r.program);
    EXPECT_FALSE(program_error_of(r.program).has_value());
    searcher s;
    s.load(r.program);
    const auto f = s.search(d, strategy::hold_each, 1);
    ASSERT_TRUE(f.has_value()) << info(d).id;
    EXPECT_FALSE(s.kills(defect::nothing, strategy::hold_each, 1));
    const std::string text = explain(s.expectations(), f->seen, f->found).text();
    EXPECT_THAT(text, testing::HasSubstr("expected: ")) << text;
    EXPECT_EQ(parse(to_text(r.program)).ops, r.program.ops);
  }
}

TEST(Shrink, AProgramThatPassesIsGivenBack) {
  const stream_program p = generate(generator::idiom, 1);
  const shrink_result r = shrink(p, [](const stream_program&) { return std::nullopt; });
  EXPECT_FALSE(r.failed);
  EXPECT_EQ(r.program, p);
  EXPECT_EQ(r.evaluations, 1U);
}

TEST(Shrink, StopsAtItsLimit) {
  const stream_program p = generate(generator::swarm, 2);
  const auto always = [](const stream_program&) {
    return std::optional(failure_signature{"CB-ORDER", observer::place::item_start});
  };
  EXPECT_LE(shrink(p, always, {20}).evaluations, 20U);
  const shrink_result r = shrink(p, always, {5000});
  EXPECT_EQ(r.program.ops.size(), 1U);
  EXPECT_LE(r.program.streams.size() + r.program.events.size() + r.program.buffers.size(), 2U)
      << to_text(r.program);
}

TEST(Shrink, KeepsToTheFailure) {
  const failure_signature order{"CB-ORDER", observer::place::item_start};
  EXPECT_TRUE(same_failure(order, {"HF-ORDER", observer::place::item_end}));
  EXPECT_FALSE(same_failure(order, {"HF-ORDER", observer::place::op_return}));
  EXPECT_FALSE(same_failure(order, {"CB-ONCE", observer::place::item_start}));
  EXPECT_TRUE(same_failure({"CB-ONCE", observer::place::finish}, {"CB-ONCE", observer::place::finish}));
  EXPECT_TRUE(same_failure({"ST-SYNC", observer::place::op_return},
                           {"ST-QUERY", observer::place::op_return}));
}

TEST(Shrink, SimplifiesWhatDoesNotMatter) {
  const stream_program p = parse(
      "streamcts-program 1\nstream N nonblocking priority=-1\nstream A blocking\nevent e timing\n"
      "buffer x device 1M\nbuffer y managed 1M\ngraph g captured\nnode g a kernel\n"
      "node g b host after=a\nK: kernel N write=x repeat=130\nrecord e N\nwait e A\n"
      "M: copy A read=x write=y\nG: launch A g\n@1 C: host_function A\nhold K\ndelay G.b 5us\n");
  // Fails as long as two kernels follow each other in one stream.
  const auto two_kernels = [](const stream_program& q) -> std::optional<failure_signature> {
    for (std::size_t i = 1; i < q.ops.size(); ++i) {
      const bool both = q.ops[i].kind == op_kind::kernel && q.ops[i - 1].kind == op_kind::kernel;
      if (both) return failure_signature{"CB-ORDER", observer::place::item_start};
    }
    const bool first = q.origin.empty() && q.ops.size() >= 6;
    return first ? std::optional(failure_signature{"CB-ORDER", observer::place::item_start})
                 : std::nullopt;
  };
  const shrink_result r = shrink(p, two_kernels);
  EXPECT_EQ(to_text(r.program),
            "streamcts-program 1\nstream A blocking\nG: kernel A\nC: kernel A\n");
}

}  // namespace
}  // namespace streamcts::program
