// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/retest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runner/test_cases.h"

namespace streamcts::runner {
namespace {

using results::failure_kind;
using results::verdict;

class kept_records : public record_sink {
 public:
  void add(const results::case_record& record) override { records.push_back(record); }
  void add(const results::observation& each) override { observations.push_back(each); }
  std::vector<results::case_record> records;
  std::vector<results::observation> observations;
};

class Retest : public testing::Test {
 protected:
  red_case red(const std::string& id, verdict how, std::size_t before = 0,
               std::optional<failure_kind> kind = {}) {
    red_case made;
    made.run.instance = &cases_.add(id);
    made.record.id = id;
    made.record.clauses = {"CB-ORDER-001"};
    made.record.verdict = how;
    made.record.reason = "seen";
    made.record.incidence = results::incidence{0, 0, "not retested"};
    if (kind) {
      made.record.failure.emplace();
      made.record.failure->clause = "CB-ORDER-001";
      made.record.failure->kind = *kind;
    }
    for (std::size_t i = 0; i < before; ++i) {
      made.before.push_back({&cases_.add("a/" + std::to_string(i)), 0, 0});
    }
    return made;
  }
  test_cases cases_;
};

TEST_F(Retest, RunsAFailTenTimesAlone) {
  retest_case work(red("b/1", verdict::fail));
  int runs = 0;
  while (const auto next = work.next()) {
    EXPECT_EQ(next->size(), 1u);
    work.ended(++runs % 3 == 0 ? verdict::fail : verdict::pass);
  }
  EXPECT_EQ(runs, 10);
  const auto record = work.conclusion();
  EXPECT_EQ(record.verdict, verdict::fail);
  EXPECT_EQ(record.incidence->failed, 4u);
  EXPECT_EQ(record.incidence->runs, 11u);
}

TEST_F(Retest, FindsTheOneBeforeIt) {
  for (std::size_t guilty = 0; guilty < 9; ++guilty) {
    retest_case work(red("b/1", verdict::crash, 9));
    while (const auto next = work.next()) {
      const bool with = next->size() >= 10 - guilty;  // the guilty one and all after it
      work.ended(with && next->size() > 1 ? verdict::fail : verdict::pass);
    }
    EXPECT_EQ(work.conclusion().incidence->note, "only after a/" + std::to_string(guilty));
  }
}

TEST_F(Retest, SaysWhenItNeverHappensAgain) {
  retest_case work(red("b/1", verdict::fail, 2));
  while (work.next()) work.ended(verdict::pass);
  EXPECT_EQ(work.conclusion().verdict, verdict::fail);
  EXPECT_EQ(work.conclusion().incidence->note, "nor again with its batch before it");
}

TEST_F(Retest, CutShortSaysWhatIsKnown) {
  retest_case work(red("b/1", verdict::fail, 2));
  EXPECT_EQ(work.conclusion().incidence->note, "not retested");
  work.ended(verdict::fail);
  EXPECT_EQ(work.conclusion().incidence->runs, 2u);
  EXPECT_EQ(work.conclusion().incidence->note, "");
}

TEST_F(Retest, SomeVerdictsNeedFreshProcessesToAgree) {
  retest_case refused(red("b/1", verdict::fail, 0, failure_kind::refused));
  while (refused.next()) refused.ended(verdict::pass);
  EXPECT_EQ(refused.conclusion().verdict, verdict::inconclusive);
  retest_case confirmed(red("b/1", verdict::fail, 0, failure_kind::refused));
  for (int i = 0; confirmed.next(); ++i) confirmed.ended(i == 4 ? verdict::fail : verdict::pass);
  EXPECT_EQ(confirmed.conclusion().verdict, verdict::fail);

  retest_case waited(red("b/1", verdict::hang, 0, failure_kind::progress));
  int runs = 0;
  while (waited.next()) waited.ended(++runs == 1 ? verdict::hang : verdict::pass);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(waited.conclusion().verdict, verdict::inconclusive);
  retest_case agreed(red("b/1", verdict::hang, 0, failure_kind::progress));
  while (agreed.next()) agreed.ended(verdict::hang);
  EXPECT_EQ(agreed.conclusion().verdict, verdict::hang);
  retest_case lost(red("b/1", verdict::hang));
  while (lost.next()) lost.ended(std::nullopt);
  EXPECT_EQ(lost.conclusion().verdict, verdict::hang) << "the watchdog's word stands";
}

TEST_F(Retest, TakesThreeCasesAClauseAndHangsLast) {
  std::vector<red_case> all;
  all.push_back(red("b/0", verdict::hang));
  for (int i = 1; i < 6; ++i) all.push_back(red("b/" + std::to_string(i), verdict::fail));
  kept_records sink;
  retest_pass pass(std::move(all), {}, sink);
  EXPECT_EQ(pass.waiting(), 3u);
  const auto first = pass.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->cases[0].instance->id, "b/1");
}

TEST_F(Retest, RunsToTheEndAndRecordsAnew) {
  std::vector<red_case> all;
  all.push_back(red("b/0", verdict::fail));
  all.push_back(red("b/1", verdict::hang));
  kept_records sink;
  retest_pass pass(std::move(all), {}, sink);
  int jobs = 0;
  while (const auto next = pass.next()) {
    case_end end;
    end.verdict = verdict::fail;
    if (++jobs != 2) pass.case_ended(*next, 0, end);
    pass.job_ended(*next, 1, {});
  }
  EXPECT_EQ(jobs, 12);
  ASSERT_EQ(sink.records.size(), 2u);
  EXPECT_EQ(sink.records[0].incidence->failed, 10u);
}

TEST_F(Retest, EndsWithItsTime) {
  std::vector<red_case> all;
  all.push_back(red("b/0", verdict::fail));
  kept_records sink;
  retest_pass pass(std::move(all), {.budget = std::chrono::milliseconds(0)}, sink);
  EXPECT_FALSE(pass.next());
  EXPECT_TRUE(sink.records.empty());
}

}  // namespace
}  // namespace streamcts::runner
