// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/check.h"

#include <gmock/gmock.h>

#include "harness/program/explain.h"
#include "harness/program/test_support.h"

namespace streamcts::program {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A history in which every call returned and every host call was made once.
history good_history(const parsed& p) {
  history h;
  h.finished = true;
  std::uint32_t sequence = 0;
  for (std::size_t op = 0; op < p.program.ops.size(); ++op) {
    h.ops.push_back({call_status::success, ++sequence, ++sequence});
  }
  p.m.items().host_calls().for_each([&](std::size_t x) {
    h.host_calls.push_back({static_cast<index>(x), false, true, ++sequence, ++sequence});
  });
  h.outcomes.assign(p.program.ops.size(), call_outcome::as_promised);
  h.log.push_back({++sequence, log_entry::event::returned, 0});
  return h;
}

look look_at(observer::place place, index number, std::uint32_t sequence = 50) {
  look l;
  l.from = {place, number};
  l.sequence = sequence;
  return l;
}

std::vector<violation_kind> kinds(const std::vector<violation>& all) {
  std::vector<violation_kind> k;
  for (const violation& v : all) k.push_back(v.kind);
  return k;
}

struct Check : testing::Test {
  Check() : p("K: kernel A\nC: callback A\nM: kernel A\nH: host_function N\nstream_sync A\n") {
    h = good_history(p);
  }
  index item(std::string_view name) { return static_cast<index>(p.item(name)); }
  parsed p;
  history h;
};

TEST_F(Check, AGoodHistoryPasses) { EXPECT_THAT(check(p.m, h), IsEmpty()); }

TEST_F(Check, WhatMustHaveEndedHasEnded) {
  look l = look_at(observer::place::item_start, item("C"));
  l.begun.add(p.item("K"));
  h.looks.push_back(l);
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::not_done));
  EXPECT_EQ(found[0].item, item("K"));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-ORDER-001");
  h.looks[0].done.add(p.item("K"));
  EXPECT_THAT(check(p.m, h), IsEmpty());
}

TEST_F(Check, WhatComesLaterHasNotBegun) {
  look l = look_at(observer::place::item_end, item("C"));
  l.begun = l.done = p.m.order().before(p.item("C"));
  l.begun.add(p.item("M"));
  h.looks.push_back(l);
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::begun));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-BLOCK-001");
}

TEST_F(Check, OpenItemsMayBeAnything) {
  look l = look_at(observer::place::item_start, item("C"));
  l.begun = l.done = p.m.order().before(p.item("C"));
  l.begun.add(p.item("H"));
  h.looks.push_back(l);
  EXPECT_THAT(check(p.m, h), IsEmpty());
  EXPECT_EQ(p.m.expect(l.from, p.item("H")), expectation::free);
  EXPECT_EQ(p.m.expect(l.from, p.item("K")), expectation::must);
  EXPECT_EQ(p.m.expect(l.from, p.item("M")), expectation::must_not);
}

TEST_F(Check, ASynchronizationIsJudgedAtItsReturn) {
  look l = look_at(observer::place::op_return, 4);
  l.done = l.begun = p.m.order().known(4);
  l.done.remove(p.item("M"));
  h.looks.push_back(l);
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::not_done));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "ST-SYNC-001");
}

TEST_F(Check, AtTheReleaseNothingBehindTheHeldItemHasBegun) {
  look l = look_at(observer::place::gate_look, item("K"));
  l.begun.add(p.item("C"));
  h.looks.push_back(l);
  h.held = item("K");
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::begun));
  const explanation e = explain(p.m, h, found[0]);
  EXPECT_THAT(e.headline, HasSubstr("holding K: MUST NOT violated at the look before K"));
  EXPECT_EQ(e.clause, "CB-ORDER-001");
}

TEST_F(Check, AtTheEndEverythingHasEnded) {
  h.looks.push_back(look_at(observer::place::finish, none));
  h.looks[0].begun = h.looks[0].done = p.m.order().all();
  EXPECT_THAT(check(p.m, h), IsEmpty());
  h.looks[0].done.remove(p.item("H"));
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::not_done));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-BLOCK-005");
}

TEST_F(Check, HostCallsAreMadeOnceWithTheirArguments) {
  h.host_calls.push_back(h.host_calls[0]);
  auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::repeated));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-ONCE-001");
  EXPECT_THAT(explain(p.m, h, found[0]).seen, HasSubstr("2 times"));
  h.host_calls.erase(h.host_calls.begin() + 1, h.host_calls.end());
  found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::lost));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "HF-ONCE-001");
  h = good_history(p);
  h.host_calls[0].right_arguments = false;
  h.host_calls[1].right_arguments = false;
  found = check(p.m, h);
  ASSERT_THAT(kinds(found),
              ElementsAre(violation_kind::wrong_arguments, violation_kind::wrong_arguments));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-ARGS-001");
  EXPECT_EQ(broken_clause(p.m, h, found[1]), "HF-ONCE-001");
}

TEST_F(Check, ARefusedHostCallPromisesNothing) {
  h.ops[1].status = call_status::error;
  h.outcomes[1] = call_outcome::failed;
  h.host_calls.erase(h.host_calls.begin());
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::wrong_status));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "ER-PROP-005");
  EXPECT_THAT(explain(p.m, h, found[0]).text(), HasSubstr("the call returned an error"));
}

TEST_F(Check, ACallbackWithoutAFaultGetsSuccess) {
  h.host_calls[0].error_status = true;
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::wrong_status));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-STATUS-001");
  EXPECT_EQ(explain(p.m, h, found[0]).seen, "an error status");
}

TEST_F(Check, ARunThatDoesNotEndHangs) {
  h.finished = false;
  h.ops[4].status = call_status::running;
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::hang));
  EXPECT_EQ(explain(p.m, h, found[0]).observer, "return of stream_sync A");
}

TEST(CheckProgress, AnEventDoesNotWaitForLaterWork) {
  const parsed p("K: kernel A\nrecord e A\nM: kernel A\nevent_sync e\n");
  history h = good_history(p);
  h.held = static_cast<index>(p.item("M"));
  h.looks.push_back(look_at(observer::place::gate_look, h.held, 20));
  h.ops[3].called = 10;
  h.ops[3].returned = 30;
  const auto found = check(p.m, h);
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::hang));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "EV-REC-002");
  EXPECT_THAT(explain(p.m, h, found[0]).expected, HasSubstr("though M is held"));
  h.ops[3].returned = 15;
  EXPECT_THAT(check(p.m, h), IsEmpty());
}

TEST(CheckProgress, AcrossStreamsWaitingIsLegal) {
  const parsed p("K: kernel A\nrecord e A\nM: kernel N\nevent_sync e\n");
  history h = good_history(p);
  h.held = static_cast<index>(p.item("M"));
  h.looks.push_back(look_at(observer::place::gate_look, h.held, 20));
  h.ops[3].called = 10;
  h.ops[3].returned = 30;
  EXPECT_THAT(check(p.m, h), IsEmpty());
}

struct CheckData : testing::Test {
  CheckData()
      : p("buffer x device 4\nbuffer y device 4\nbuffer z mapped 4\nK: kernel A write=x\n"
          "M: copy A read=x write=y\nO: copy A read=y write=z\nC: callback A\n"
          "W: memset A write=z\n"),
        h(good_history(p)) {
    look l = look_at(observer::place::item_start, static_cast<index>(p.item("C")));
    l.begun = l.done = p.m.order().before(p.item("C"));
    l.values = 0;
    h.looks.push_back(l);
    h.values.assign(3, buffer_value::torn());
  }
  std::vector<violation> see(buffer_value z) {
    h.values[2] = z;
    return check(p.m, h);
  }
  index item(std::string_view name) { return static_cast<index>(p.item(name)); }
  parsed p;
  history h;
};

TEST_F(CheckData, CopiesCarryOnWhatTheyRead) {
  EXPECT_EQ(p.m.data().written_by(p.item("O")), buffer_value::of_item(p.item("K")));
  EXPECT_EQ(p.m.data().read_by(p.item("M")), buffer_value::of_item(p.item("K")));
  EXPECT_THAT(see(buffer_value::of_item(p.item("K"))), IsEmpty());
}

TEST_F(CheckData, AnOldValueBlamesTheWriter) {
  const auto found = see(buffer_value::initial(2));
  ASSERT_THAT(kinds(found), ElementsAre(violation_kind::wrong_data));
  EXPECT_EQ(found[0].item, item("O"));
  EXPECT_EQ(found[0].reader, none);
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-ORDER-002");
  const std::string text = explain(p.m, h, found[0]).text();
  EXPECT_THAT(text, HasSubstr("expected: buffer z holds what K writes"));
  EXPECT_THAT(text, HasSubstr("it held what z held at the beginning"));
}

TEST_F(CheckData, AnOldSourceBlamesTheReader) {
  auto found = see(buffer_value::initial(1));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reader, item("O"));
  EXPECT_EQ(found[0].item, item("M"));
  found = see(buffer_value::initial(0));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].reader, item("M"));
  EXPECT_EQ(found[0].item, item("K"));
  EXPECT_THAT(explain(p.m, h, found[0]).text(), HasSubstr("M read before K had written"));
}

TEST_F(CheckData, ANewValueBlamesTheLaterWriter) {
  const auto found = see(buffer_value::of_item(p.item("W")));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].item, item("W"));
  EXPECT_EQ(broken_clause(p.m, h, found[0]), "CB-BLOCK-002");
}

TEST_F(CheckData, AMixtureIsWrong) {
  const auto found = see(buffer_value::torn());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(explain(p.m, h, found[0]).seen, HasSubstr("a mixture"));
}

TEST_F(CheckData, BuffersWithAnOpenWriterAreNotRead) {
  const parsed q("buffer x mapped 4\nbuffer d device 4\nK: kernel A write=x\nC: callback N\nD: callback A\n");
  const observer open{observer::place::item_start, static_cast<index>(q.item("C"))};
  EXPECT_FALSE(q.m.contents(open, 0).has_value());
  const observer known{observer::place::item_start, static_cast<index>(q.item("D"))};
  EXPECT_EQ(q.m.contents(known, 0), buffer_value::of_item(0));
  EXPECT_FALSE(q.m.contents(known, 1).has_value());  // the host cannot read it
  const observer kernel{observer::place::item_start, 0};
  EXPECT_FALSE(q.m.contents(kernel, 0).has_value());
  EXPECT_FALSE(q.m.contents({observer::place::op_return, 0}, 0).has_value());
}

struct CheckFault : testing::Test {
  CheckFault()
      : p("B: callback A\nF: fault A trap\nC: callback A\nH: host_function A\nD: callback N\n"
          "stream_sync A\nstream_sync N\n"),
        h(good_history(p)) {
    for (host_call& c : h.host_calls) c.error_status = c.item == item("C");
    std::erase_if(h.host_calls, [&](const host_call& c) { return c.item == item("H"); });
    h.ops[5].status = call_status::error;
  }
  index item(std::string_view name) { return static_cast<index>(p.item(name)); }
  host_call& call(std::string_view name) {
    return *std::ranges::find(h.host_calls, item(name), &host_call::item);
  }
  std::string_view only_clause() {
    const auto found = check(p.m, h);
    EXPECT_EQ(found.size(), 1U);
    return found.empty() ? "" : broken_clause(p.m, h, found[0]);
  }
  parsed p;
  history h;
};

TEST_F(CheckFault, TheDocumentedCoursePasses) { EXPECT_THAT(check(p.m, h), IsEmpty()); }

TEST_F(CheckFault, CallbacksInFrontGetSuccessAndThoseBehindAnError) {
  call("B").error_status = true;
  EXPECT_EQ(only_clause(), "CB-STATUS-006");
  call("B").error_status = false;
  call("C").error_status = false;
  EXPECT_EQ(only_clause(), "CB-STATUS-002");
  call("C").error_status = true;
  call("D").error_status = true;  // unordered: either is right
  EXPECT_THAT(check(p.m, h), IsEmpty());
}

TEST_F(CheckFault, CallbacksBehindAreMadeAndHostFunctionsAreNot) {
  std::erase_if(h.host_calls, [&](const host_call& c) { return c.item == item("C"); });
  EXPECT_EQ(only_clause(), "CB-ONCE-003");
  h.host_calls.push_back({item("C"), true, true, 40, 41});
  h.host_calls.push_back({item("H"), false, true, 40, 41});
  EXPECT_EQ(only_clause(), "HF-ERR-001");
}

TEST_F(CheckFault, SynchronizingReportsIt) {
  h.ops[5].status = call_status::success;
  EXPECT_EQ(only_clause(), "ER-PROP-001");
}

TEST_F(CheckFault, NothingIsReadBehindIt) {
  look l = look_at(observer::place::item_start, item("C"));
  h.looks.push_back(l);
  h.looks.push_back(look_at(observer::place::finish, none));
  EXPECT_THAT(check(p.m, h), IsEmpty());
  EXPECT_EQ(p.m.calls(p.item("H")), call_count::never);
  EXPECT_EQ(p.m.calls(p.item("B")), call_count::once);
}

TEST_F(CheckFault, LooksThatCannotHaveBeenAfterItCount) {
  const parsed q("K: kernel A\nB: callback A\nF: fault A trap\nstream_sync N\n");
  history s = good_history(q);
  s.looks.push_back(look_at(observer::place::item_start, static_cast<index>(q.item("B"))));
  s.looks.push_back(look_at(observer::place::op_return, 3));
  look held = look_at(observer::place::gate_look, static_cast<index>(q.item("K")));
  held.begun.add(q.item("B"));
  s.looks.push_back(held);
  EXPECT_THAT(kinds(check(q.m, s)), ElementsAre(violation_kind::not_done, violation_kind::begun));
}

TEST(Explain, TheChainNamesEachEdgeAndItsClause) {
  const parsed p("K: kernel A\nrecord e A\nwait e N\nC: callback N\n");
  history h = good_history(p);
  look l = look_at(observer::place::item_start, static_cast<index>(p.item("C")), 17);
  l.begun.add(p.item("K"));
  h.looks.push_back(l);
  h.held = static_cast<index>(p.item("K"));
  h.log = {{12, log_entry::event::begun, 0}, {16, log_entry::event::called, 3},
           {18, log_entry::event::begun, 1}, {30, log_entry::event::released, 0},
           {33, log_entry::event::done, 0},  {34, log_entry::event::returned, 3}};
  const auto found = check(p.m, h);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(explain(p.m, h, found[0]).text(),
            "FAIL , holding K: MUST violated at C.start [JN-EVENT-001]\n"
            "  K.end before C.start because\n"
            "    K.end -> record e A   (record, EV-REC-001)\n"
            "    record e A -> wait e N   (wait, EV-WAIT-001)\n"
            "    wait e N -> C.start   (behind the wait, JN-EVENT-001)\n"
            "  expected: K has ended\n"
            "  but: K had not ended (at 17; it ended at 33)\n"
            "  history: 12 K begun | 16 call C: callback N | 18 C begun | 30 K released | "
            "33 K ended | 34 return C: callback N\n");
  EXPECT_EQ(bucket_of(p.m, h, found[0]), "callback+kernel+record+wait+JN-EVENT-001@item");
}

TEST(Explain, TwoHopsAreATransitiveJoin) {
  const parsed p("K: kernel A\nrecord e A\nwait e B\nrecord f B\nwait f N\nC: callback N\n");
  history h = good_history(p);
  h.looks.push_back(look_at(observer::place::item_start, static_cast<index>(p.item("C"))));
  EXPECT_EQ(broken_clause(p.m, h, check(p.m, h)[0]), "JN-EVENT-003");
}

TEST(Explain, DescribesWhatEachObserverMaySee) {
  const parsed p("buffer x mapped 4\nK: kernel A write=x\nC: callback A\nM: kernel N\nstream_sync A\n");
  const std::string text = describe(p.m);
  EXPECT_THAT(text, HasSubstr("C.start\n  must have ended: K\n  must not have begun: -\n  open: M\n"
                              "  x holds what K writes\n"));
  EXPECT_THAT(text, HasSubstr("return of stream_sync A\n  must have ended: K C\n"));
  EXPECT_THAT(text, HasSubstr("K.start\n  must have ended: -\n  must not have begun: C\n"));
}

TEST(Words, OfViolationsAndKinds) {
  EXPECT_EQ(to_string(violation_kind::called_after_error), "called_after_error");
  EXPECT_EQ(to_string(memory_kind::write_combined), "write_combined");
  EXPECT_EQ(to_string(fault_kind::assertion), "assertion");
}

}  // namespace
}  // namespace streamcts::program
