// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// The kill matrix with planted cases: what each outcome takes, and how it goes on and ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "harness/runner/selftest/program.h"
#include "reports/matrix/matrix_json.h"

namespace streamcts::selftest {
namespace {

using reports::fault_outcome;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class Matrix : public testing::Test {
 protected:
  std::vector<std::string> words(const std::vector<std::string>& more) {
    // Any file will do as the driver behind: nothing here loads one.
    std::vector<std::string> made{"faults", "matrix",  "--driver", STREAMCTS_SELFTEST_PROGRAM,
                                  "--cases", "faulty", "--out",    folder_ / "m"};
    made.insert(made.end(), more.begin(), more.end());
    return made;
  }
  finished_program program(const std::vector<std::string>& line,
                           const std::map<std::string, std::string>& variables = {}) {
    return run_program(line, variables, folder_.path());
  }
  reports::matrix found() { return reports::load_matrix(folder_ / "m"); }
  scratch_folder folder_;
};

TEST_F(Matrix, TellsKilledSurvivedNotReachedGreenAndFalseAlarm) {
  const auto finished =
      program(words({"--filter", "callback_ignores_kernel", "--filter", "callback_ignores_download",
                     "--filter", "callback_ignores_upload", "--filter", "callback_ignores_memset",
                     "--filter", "legal_slow_calls", "--filter", "legal_one_queue", "--jobs", "2",
                     "--repeat", "3"}));
  EXPECT_EQ(finished.exit_code, 1) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("2 of 3 faults that took effect killed, 1 not reached"));
  EXPECT_THAT(finished.output, HasSubstr("survived     callback_ignores_upload"));
  const reports::matrix all = found();
  ASSERT_EQ(all.faults.size(), 6u);
  std::map<std::string, reports::fault_record> by_id;
  for (const auto& each : all.faults) by_id[each.id] = each;
  const auto& killed = by_id["callback_ignores_kernel"];
  EXPECT_EQ(killed.outcome, fault_outcome::killed);
  EXPECT_TRUE(killed.right_clause());
  EXPECT_EQ(killed.killed_by()->case_id, "faulty/meets");
  EXPECT_EQ(killed.repeats->killed, 3u);
  EXPECT_EQ(killed.reached, 3u);
  EXPECT_FALSE(by_id["callback_ignores_download"].right_clause());
  EXPECT_EQ(by_id["callback_ignores_upload"].outcome, fault_outcome::survived);
  EXPECT_EQ(by_id["callback_ignores_upload"].cases, 2u);
  EXPECT_EQ(by_id["callback_ignores_memset"].outcome, fault_outcome::not_reached);
  EXPECT_EQ(by_id["legal_slow_calls"].outcome, fault_outcome::false_alarm);
  EXPECT_EQ(by_id["legal_one_queue"].outcome, fault_outcome::green);
  EXPECT_EQ(all.baseline.size(), 2u);
  for (const char* name : {"matrix.json", "matrix.jsonl", "matrix.html"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_.path() / "m" / name)) << name;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "m" / "hits-0"));
}

TEST_F(Matrix, IsGreenWhereAllAreKilled) {
  const auto finished = program(words({"--filter", "callback_ignores_kernel", "--all-kills"}));
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  EXPECT_EQ(found().faults.at(0).cases, 2u);
  const auto again = program(words({}));
  EXPECT_EQ(again.exit_code, 64);
  EXPECT_THAT(again.output, HasSubstr("holds a matrix already"));
}

TEST_F(Matrix, ARedBaselineIsNoVerdict) {
  const auto finished =
      program(words({"--filter", "callback_ignores_kernel"}), {{"STREAMCTS_SELFTEST_RED", "1"}});
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("without a fault a case is not green"));
  EXPECT_THAT(finished.output, HasSubstr("baseline: Fail faulty/meets"));
  EXPECT_TRUE(found().faults.empty());
}

TEST_F(Matrix, GoesOnPastARedBaselineWithoutItsRedCases) {
  const auto finished =
      program(words({"--filter", "callback_ignores_kernel", "--leave-out-red"}),
              {{"STREAMCTS_SELFTEST_RED", "1"}});
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_THAT(finished.output, HasSubstr("baseline: Fail faulty/meets"));
  EXPECT_THAT(finished.output, Not(HasSubstr("ended before its time")));
  ASSERT_EQ(found().faults.size(), 1u);
  EXPECT_EQ(found().faults[0].outcome, fault_outcome::masked) << "the red case kills nothing";
  EXPECT_THAT(found().faults[0].masked_by, ElementsAre("CB-ORDER-001"));
  EXPECT_THAT(finished.output, HasSubstr("1 masked by cases of CB-ORDER-001"));
  EXPECT_EQ(found().faults[0].cases, 1u);
}

TEST_F(Matrix, InTheOtherWaysToHoldARedCaseOnlyKillsNothing) {
  const auto finished = program(words({"--filter", "callback_ignores_kernel", "--holds", "none"}),
                                {{"STREAMCTS_SELFTEST_RED", "1"}});
  EXPECT_EQ(finished.exit_code, 2) << finished.output;  // nothing was found out
  EXPECT_EQ(found().holds, "none");
  EXPECT_EQ(found().faults.at(0).outcome, fault_outcome::not_reached);
}

TEST_F(Matrix, EndsAtASignalAndGoesOn) {
  started_program running(words({"--filter", "callback_ignores_kernel", "--filter",
                                 "callback_ignores_joins", "--jobs", "1"}),
                          {}, folder_.path());
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(folder_.path() / "joins"); }));
  running.send(SIGINT);
  const auto ended = running.wait();
  EXPECT_EQ(ended.exit_code, 2) << ended.output;
  EXPECT_THAT(ended.output, HasSubstr("ended before its time: SIGINT"));
  EXPECT_EQ(found().faults.size(), 1u);
  EXPECT_EQ(found().info.interrupted, "SIGINT");
  // A line that was torn by a power cut is no obstacle.
  std::ofstream(folder_.path() / "m" / "matrix.jsonl", std::ios::app) << "{\"id\":";
  const auto finished = program({"faults", "matrix", "--resume", folder_ / "m"});
  EXPECT_EQ(finished.exit_code, 1) << finished.output;  // joins is not noticed
  std::vector<std::string> ids;
  for (const auto& each : found().faults) ids.push_back(each.id);
  EXPECT_THAT(ids, ElementsAre("callback_ignores_kernel", "callback_ignores_joins"));
  EXPECT_EQ(found().info.interrupted, "");
}

TEST_F(Matrix, RefusesBadInput) {
  const auto refused = [&](const std::vector<std::string>& line, const std::string& names) {
    const auto finished = program(line);
    EXPECT_EQ(finished.exit_code, 64) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr(names));
  };
  refused({"faults"}, "subcommand");
  refused(words({"--filter", "no_such"}), "no_such");
  refused(words({"--class", "Q"}), "the classes are A, B");
  refused(words({"--tier", "slow"}), "slow");
  refused(words({"--holds", "sleep"}), "sleep");
  refused(words({"--repeat", "0"}), "--repeat");
  refused(words({"--jobs", "none"}), "--jobs");
  refused(words({"--seed", "-1"}), "--seed");
  refused(words({"--progress", "often"}), "often");
  refused(words({"--cases", "no_family"}), "no_family");
  refused({"faults", "matrix", "--driver", "/no/such/driver"}, "/no/such/driver");
  refused({"faults", "matrix", "--driver", "faulty"}, "is the faulty driver");
  refused({"faults", "matrix", "--resume", folder_ / "absent"}, "absent");
  refused({"faults", "list", "--format", "xml"}, "xml");
}

TEST_F(Matrix, ListsTheCatalogue) {
  const auto text = program({"faults", "list", "--filter", "legal_*"});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_THAT(text.output, HasSubstr("legal_one_queue  ["));
  EXPECT_THAT(text.output, HasSubstr("0 faults, "));
  const auto json = program({"faults", "list", "--class", "A", "--format", "json"});
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_THAT(json.output, HasSubstr("\"id\": \"callback_ignores_kernel\""));
}

}  // namespace
}  // namespace streamcts::selftest
