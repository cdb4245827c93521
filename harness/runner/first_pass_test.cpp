// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/first_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runner/coverage.h"
#include "harness/runner/errors.h"
#include "harness/runner/record.h"
#include "harness/runner/run_info.h"
#include "harness/runner/test_cases.h"

namespace streamcts::runner {
namespace {

using results::verdict;
using testing::HasSubstr;

class kept_records : public record_sink {
 public:
  void add(const results::case_record& record) override { records.push_back(record); }
  void add(const results::observation& each) override { observations.push_back(each); }
  std::vector<results::case_record> records;
  std::vector<results::observation> observations;
};

class FirstPass : public testing::Test {
 protected:
  FirstPass() {
    for (int i = 0; i < 4; ++i) job_.cases.push_back({&cases_.add("a/" + std::to_string(i)), 5, 0});
  }
  first_pass make(bool fail_fast = false) {
    first_pass::options options;
    options.fail_fast = fail_fast;
    return {{job_}, options, [](const job_case& of) { return "again " + of.instance->id; }, sink_};
  }
  static case_end ended(verdict how) {
    case_end end;
    end.verdict = how;
    return end;
  }
  test_cases cases_;
  job job_;
  kept_records sink_;
};

TEST_F(FirstPass, TheRestOfABatchGoesOn) {
  first_pass pass = make();
  const auto first = pass.next();
  ASSERT_TRUE(first);
  EXPECT_FALSE(pass.next());
  pass.case_ended(*first, 0, ended(verdict::pass));
  pass.case_ended(*first, 1, ended(verdict::crash));
  pass.job_ended(*first, 2, {});
  const auto rest = pass.next();
  ASSERT_TRUE(rest);
  ASSERT_EQ(rest->cases.size(), 2u);
  EXPECT_EQ(rest->cases[0].instance->id, "a/2");
  const auto red = pass.take_red();
  ASSERT_EQ(red.size(), 1u);
  EXPECT_EQ(red[0].before.size(), 1u);
  EXPECT_EQ(sink_.records[1].replay, "again a/1");
  EXPECT_EQ(sink_.records[1].incidence->note, "not retested");
}

TEST_F(FirstPass, ALaterDeathReplacesTheVerdict) {
  first_pass pass = make();
  const auto first = pass.next();
  pass.case_ended(*first, 0, ended(verdict::fail));
  pass.case_ended(*first, 0, ended(verdict::crash));
  const auto red = pass.take_red();
  ASSERT_EQ(red.size(), 1u);
  EXPECT_EQ(red[0].record.verdict, verdict::crash);
}

TEST_F(FirstPass, NeedsAreJudgedWithoutRunning) {
  case_instance& needy = cases_.add("b/needy");
  needy.needs = {need::stream_priorities};
  job_.cases = {{&needy, 5, 0}};
  first_pass pass = make();
  EXPECT_FALSE(pass.next());
  ASSERT_EQ(sink_.records.size(), 1u);
  EXPECT_EQ(sink_.records[0].verdict, verdict::not_supported);
  EXPECT_THAT(sink_.records[0].reason, HasSubstr("priorities"));
}

TEST_F(FirstPass, FailFastStops) {
  first_pass pass = make(true);
  const auto first = pass.next();
  pass.case_ended(*first, 0, ended(verdict::inconclusive));
  EXPECT_FALSE(pass.stopped());
  pass.case_ended(*first, 1, ended(verdict::hang));
  EXPECT_TRUE(pass.stopped());
}

TEST_F(FirstPass, ChildrenThatDoNotStartEndTheRun) {
  first_pass pass = make();
  for (int i = 0; i < 3; ++i) {
    const auto next = pass.next();
    ASSERT_TRUE(next) << i;
    EXPECT_EQ(next->cases.size(), 4u);
    pass.job_ended(*next, 0, {start_failure::other, "why"});
  }
  EXPECT_TRUE(pass.broken());
  EXPECT_EQ(pass.why_stopped(), "why");
  first_pass other = make();
  other.job_ended(*other.next(), 0, {start_failure::mismatch, "another"});
  EXPECT_TRUE(other.broken());
}

TEST_F(FirstPass, ObservationsGoToTheSink) {
  first_pass pass = make();
  const auto first = pass.next();
  case_end end = ended(verdict::pass);
  end.outcome.emplace();
  end.outcome->observations.push_back({"n", "v", "note"});
  pass.case_ended(*first, 2, end);
  ASSERT_EQ(sink_.observations.size(), 1u);
  EXPECT_EQ(sink_.observations[0].case_id, "a/2");
  EXPECT_EQ(sink_.observations[0].clauses, std::vector<std::string>{"CB-ORDER-001"});
}

TEST(Record, TakesEveryPhaseAndKind) {
  test_cases cases;
  case_end end;
  end.outcome.emplace();
  failure what;
  what.kind = failure_kind::overlap;
  for (const log_phase each :
       {log_phase::enqueue, log_phase::begin, log_phase::end, log_phase::mark}) {
    what.events.push_back({0, "host", "K1", each, 1});
  }
  end.outcome->first_failure = what;
  const auto record = make_record({&cases.add("a/1"), 3, 1}, end, "again");
  EXPECT_EQ(record.failure->kind, results::failure_kind::overlap);
  EXPECT_EQ(record.failure->events[2].phase, results::event_phase::end);
  EXPECT_EQ(record.repeat, 1u);
}

TEST(Coverage, SaysWhyAClauseHasNoCase) {
  std::vector<results::clause> clauses(5);
  const char* ids[] = {"A-1", "A-2", "A-3", "A-4", "A-5"};
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    clauses[i].id = ids[i];
    clauses[i].family = "family.x";
  }
  clauses[4].strength = results::clause_strength::permission;
  test_cases cases;
  cases.add("x/1", tier::quick, isolation::batched, {clause_id{"A-1"}});
  cases.add("x/2", tier::standard, isolation::batched, {clause_id{"A-2"}});
  const auto all = cases.list();
  const auto why = uncovered_clauses(results::clause_catalogue(clauses), all, {&all[0]},
                                     parse_reasons(R"({"A-3": "needs two devices"})", "r"));
  EXPECT_EQ(why.size(), 3u);
  EXPECT_THAT(why.at("A-2"), HasSubstr("not selected"));
  EXPECT_EQ(why.at("A-3"), "needs two devices");
  EXPECT_THAT(why.at("A-4"), HasSubstr("family.x is not built"));
  EXPECT_THROW(parse_reasons("[1]", "r"), usage_error);
}

TEST(RunInfo, SaysWhatWasFound) {
  probe_facts facts;
  facts.driver = "system";
  driver::capabilities& have = facts.capabilities;
  have.driver_path = "/lib/libcuda.so.1";
  have.driver_build_id = "ab";
  have.driver_version = 12040;
  have.compute_major = 9;
  have.mapped_files = {"/lib/libcuda.so.1", "/lib/other.so"};
  have.attributes["x"] = 3;
  have.of(driver::feature::graph) = {true, ""};
  facts.limits_note = "assumed";
  const auto driver = driver_info_of(facts);
  EXPECT_EQ(driver.version, "12.4");
  EXPECT_EQ(driver.mapped_files[0].build_id, "ab");
  EXPECT_EQ(driver.runtime_version, "");
  EXPECT_EQ(driver.runtime_note, "not tried");
  EXPECT_EQ(device_info_of(facts).attributes.at("x"), "3");
  EXPECT_EQ(capability_texts(facts).at("graph"), "works");
  EXPECT_EQ(capability_texts(facts).at("runtime"), "no: not tried");
  EXPECT_EQ(calibration_texts(facts).at("note"), "assumed");
  EXPECT_FALSE(suite_version().version.empty());
}

}  // namespace
}  // namespace streamcts::runner
