// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/matrix/trial.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runner/test_cases.h"

namespace streamcts::runner {
namespace {

using reports::fault_outcome;
using results::verdict;
using testing::ElementsAre;
using testing::HasSubstr;

fault made_fault(std::vector<std::string> clauses, bool benign = false) {
  fault made;
  made.id = "planted";
  made.fault_class = "A";
  made.clauses = std::move(clauses);
  made.benign = benign;
  return made;
}

case_end ended(verdict how, const std::string& clause = {}) {
  case_end end;
  end.verdict = how;
  end.reason = "why";
  if (!clause.empty()) {
    end.outcome.emplace();
    end.outcome->first_failure.emplace();
    end.outcome->first_failure->clause = clause;
    end.outcome->first_failure->kind = failure_kind::early;
    end.outcome->first_failure->expected = "late";
  }
  return end;
}

/// Two cases with the fault's clause A-1, then one of another.
class Trial : public testing::Test {
 protected:
  Trial() {
    queue_.cases = {&cases_.add("a/1", tier::quick, isolation::batched, {clause_id{"A-1"}}),
                    &cases_.add("a/2", tier::quick, isolation::batched, {clause_id{"A-1"}}),
                    &cases_.add("b/3", tier::quick, isolation::batched, {clause_id{"B-1"}})};
    queue_.own = 2;
  }
  static std::vector<std::string> ids(const std::optional<job>& what) {
    std::vector<std::string> made;
    if (!what) return made;
    for (const job_case& each : what->cases) made.push_back(each.instance->id);
    return made;
  }
  /// Ends every case of the next job in the same way.
  static void end_all(trial& of, verdict how) {
    const auto what = of.next();
    ASSERT_TRUE(what);
    for (std::size_t i = 0; i < what->cases.size(); ++i) of.case_ended(*what, i, ended(how));
    of.job_ended(*what, what->cases.size(), {});
  }
  test_cases cases_;
  case_queue queue_;
};

TEST_F(Trial, ARedCaseOfItsClauseDecides) {
  trial tried(made_fault({"A-1"}), queue_, {});
  const auto first = tried.next();
  EXPECT_THAT(ids(first), ElementsAre("a/1", "a/2", "b/3"));
  tried.case_ended(*first, 0, ended(verdict::pass));
  EXPECT_FALSE(tried.interrupted());
  tried.case_ended(*first, 1, ended(verdict::fail, "A-1"));
  EXPECT_TRUE(tried.interrupted());
  tried.case_ended(*first, 2, ended(verdict::fail, "A-1"));  // the child did not know yet
  EXPECT_FALSE(tried.next());
  const auto record = tried.result(7);
  EXPECT_EQ(record.outcome, fault_outcome::killed);
  EXPECT_TRUE(record.right_clause());
  ASSERT_EQ(record.kills.size(), 1u);
  EXPECT_EQ(record.killed_by()->case_id, "a/2");
  EXPECT_EQ(record.killed_by()->kind, "early");
  EXPECT_EQ(record.killed_by()->expected, "late");
  EXPECT_EQ(record.reached, 7u);
  EXPECT_EQ(record.cases, 2u);
}

TEST_F(Trial, AfterARedCaseOfAnotherClauseItsOwnCasesGoOn) {
  trial tried(made_fault({"A-1"}), queue_, {});
  const auto first = tried.next();
  tried.case_ended(*first, 0, ended(verdict::fail, "C-1"));
  EXPECT_FALSE(tried.interrupted());
  tried.case_ended(*first, 1, ended(verdict::crash));
  EXPECT_TRUE(tried.interrupted());  // a crash is of the case's clauses
  const auto record = tried.result(1);
  ASSERT_EQ(record.kills.size(), 2u);
  EXPECT_EQ(record.killed_by()->case_id, "a/2");
  EXPECT_EQ(record.killed_by()->expected, "why");
}

TEST_F(Trial, OtherCasesAreLeftOutOnceItIsKilled) {
  trial tried(made_fault({"A-1"}), queue_, {});
  const auto first = tried.next();
  tried.case_ended(*first, 0, ended(verdict::hang, "C-1"));
  tried.job_ended(*first, 1, {});
  EXPECT_THAT(ids(tried.next()), ElementsAre("a/2"));
}

TEST_F(Trial, TheSecondLookEnds) {
  trial_options options;
  options.second_look = std::chrono::milliseconds(0);
  trial tried(made_fault({"A-1"}), queue_, options);
  const auto first = tried.next();
  tried.case_ended(*first, 0, ended(verdict::fail, "C-1"));
  EXPECT_TRUE(tried.interrupted());
  EXPECT_FALSE(tried.next());
  const auto record = tried.result(1);
  EXPECT_EQ(record.outcome, fault_outcome::killed);
  EXPECT_FALSE(record.right_clause());
}

TEST_F(Trial, WithoutARedCaseItSurvivesOrWasNotReached) {
  trial tried(made_fault({"A-1"}), queue_, {});
  const auto first = tried.next();
  tried.case_ended(*first, 0, ended(verdict::inconclusive));
  tried.case_ended(*first, 1, ended(verdict::error));
  tried.case_ended(*first, 2, ended(verdict::not_supported));
  tried.job_ended(*first, 3, {});
  EXPECT_FALSE(tried.next());
  const auto record = tried.result(1);
  EXPECT_EQ(record.outcome, fault_outcome::survived);
  EXPECT_EQ(record.inconclusive, 1u);
  EXPECT_EQ(record.errors, 1u);
  EXPECT_EQ(record.note, "a/2: why");
  EXPECT_EQ(record.killed_by(), nullptr);
  EXPECT_EQ(tried.result(0).outcome, fault_outcome::not_reached);
}

TEST_F(Trial, IsMaskedWhereItsOwnCasesAreLeftOut) {
  queue_.masked = {"A-1"};
  trial tried(made_fault({"A-1", "A-2"}), queue_, {});
  end_all(tried, verdict::pass);
  EXPECT_FALSE(tried.next());
  for (const std::uint64_t reached : {0, 7}) {
    const auto record = tried.result(reached);
    EXPECT_EQ(record.outcome, fault_outcome::masked);
    EXPECT_THAT(record.masked_by, ElementsAre("A-1"));
  }
}

TEST_F(Trial, AKillCountsThoughSomeOfItsCasesAreLeftOut) {
  queue_.masked = {"A-1"};
  trial tried(made_fault({"A-1"}), queue_, {});
  const auto first = tried.next();
  tried.case_ended(*first, 0, ended(verdict::fail, "A-1"));
  EXPECT_EQ(tried.result(1).outcome, fault_outcome::killed);
  EXPECT_THAT(tried.result(1).masked_by, ElementsAre());
}

TEST_F(Trial, RedWithoutHavingBeenReachedIsNoKill) {
  trial tried(made_fault({"A-1"}), queue_, {});
  const auto first = tried.next();
  tried.case_ended(*first, 0, ended(verdict::fail, "A-1"));
  const auto record = tried.result(0);
  EXPECT_EQ(record.outcome, fault_outcome::not_reached);
  EXPECT_THAT(record.note, HasSubstr("never took effect"));
}

TEST_F(Trial, AnOddityIsGreenOrAFalseAlarm) {
  trial green(made_fault({"A-1"}, true), queue_, {});
  end_all(green, verdict::inconclusive);
  EXPECT_FALSE(green.next());
  EXPECT_EQ(green.result(0).outcome, fault_outcome::green);
  trial alarm(made_fault({"A-1"}, true), queue_, {});
  const auto first = alarm.next();
  alarm.case_ended(*first, 0, ended(verdict::error));  // of the suite, and yet no oddity excuses it
  EXPECT_TRUE(alarm.interrupted());
  EXPECT_EQ(alarm.result(3).outcome, fault_outcome::false_alarm);
}

TEST_F(Trial, ABudgetEndsItWithWhatWasFound) {
  trial_options options;
  options.budget = std::chrono::milliseconds(1);
  trial tried(made_fault({"A-1"}, true), queue_, options);
  const auto first = tried.next();
  const auto later = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
  while (std::chrono::steady_clock::now() < later) {
  }
  tried.case_ended(*first, 0, ended(verdict::pass));
  EXPECT_TRUE(tried.interrupted());
  EXPECT_FALSE(tried.next());
  const auto record = tried.result(1);
  EXPECT_EQ(record.outcome, fault_outcome::green);
  EXPECT_EQ(record.note, "1 of 3 cases, for want of time");
}

TEST_F(Trial, AllKillsRunsEverything) {
  trial_options options;
  options.all_kills = true;
  trial tried(made_fault({"A-1"}), queue_, options);
  end_all(tried, verdict::hang);
  EXPECT_FALSE(tried.next());
  const auto record = tried.result(1);
  ASSERT_EQ(record.kills.size(), 3u);
  EXPECT_FALSE(record.kills[2].right_clause);
}

TEST_F(Trial, TheCaseThatNoticedIsRunAgain) {
  trial_options options;
  options.repeat = 4;
  options.seed = 9;
  trial tried(made_fault({"A-1"}), queue_, options);
  const auto first = tried.next();
  tried.case_ended(*first, 1, ended(verdict::fail, "A-1"));
  EXPECT_TRUE(tried.interrupted());
  const auto again = tried.next();
  EXPECT_FALSE(tried.interrupted());
  EXPECT_THAT(ids(again), ElementsAre("a/2", "a/2", "a/2"));
  EXPECT_NE(again->cases[0].seed, again->cases[1].seed);
  tried.case_ended(*again, 0, ended(verdict::pass));
  tried.case_ended(*again, 1, ended(verdict::crash));
  tried.job_ended(*again, 2, {});
  const auto last = tried.next();
  EXPECT_THAT(ids(last), ElementsAre("a/2"));
  tried.case_ended(*last, 0, ended(verdict::fail, "A-1"));
  tried.job_ended(*last, 1, {});
  EXPECT_FALSE(tried.next());
  const auto record = tried.result(1);
  ASSERT_TRUE(record.repeats);
  EXPECT_EQ(record.repeats->killed, 3u);
  EXPECT_EQ(record.repeats->runs, 4u);
  EXPECT_EQ(record.cases, 1u);
}

TEST_F(Trial, CasesInAProcessOfTheirOwnAreAlone) {
  case_instance& own = cases_.add("c/own", tier::quick, isolation::own_process);
  queue_.cases.insert(queue_.cases.begin() + 1, &own);
  trial_options options;
  options.batch = 1;
  trial tried(made_fault({"A-1"}), queue_, options);
  EXPECT_THAT(ids(tried.next()), ElementsAre("a/1"));
  EXPECT_THAT(ids(tried.next()), ElementsAre("c/own"));
  EXPECT_THAT(ids(tried.next()), ElementsAre("a/2"));
}

TEST_F(Trial, ChildrenThatDoNotStartAreNoKill) {
  trial tried(made_fault({"A-1"}), queue_, {});
  for (int i = 0; i < 3; ++i) {
    const auto what = tried.next();
    ASSERT_TRUE(what) << i;
    tried.job_ended(*what, 0, {start_failure::other, "no start"});
  }
  EXPECT_FALSE(tried.next());
  const auto record = tried.result(2);
  EXPECT_EQ(record.outcome, fault_outcome::survived);
  EXPECT_EQ(record.note, "no start");
}

}  // namespace
}  // namespace streamcts::runner
