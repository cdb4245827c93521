// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// The whole program against planted cases: each verdict, and that nobody's neighbours suffer.

#include <gmock/gmock.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "harness/runner/launcher.h"
#include "harness/runner/selftest/program.h"

namespace streamcts::selftest {
namespace {

using results::verdict;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class SelfTest : public testing::Test {
 protected:
  /// Runs the given cases between two calm ones.
  finished_program run(std::vector<std::string> cases, std::vector<std::string> more = {},
                       std::map<std::string, std::string> variables = {}) {
    std::vector<std::string> words{"run", "--out", folder_ / "run", "--seed", "7"};
    for (const char* calm : {"plant/a_pass", "plant/z_pass"}) cases.emplace_back(calm);
    for (const std::string& each : cases) {
      words.emplace_back("--filter");
      words.push_back(each);
    }
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words, variables, folder_.path());
  }
  results::run loaded() { return results::load_run(folder_ / "run"); }
  results::case_record record(const std::string& id) { return record_of(loaded(), id); }

  void expect_calm_neighbours() {
    EXPECT_EQ(record("plant/a_pass").verdict, verdict::pass);
    EXPECT_EQ(record("plant/z_pass").verdict, verdict::pass);
    EXPECT_TRUE(loaded().damages.empty());
  }

  scratch_folder folder_;
};

const std::vector<std::string> no_retest{"--no-retest"};
const std::vector<std::string> short_limit{"--no-retest", "--timeout", "1.5"};

TEST_F(SelfTest, PassesAndLeavesEveryReport) {
  const finished_program finished = run({"plant/observes"});
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  for (const char* each :
       {"plan.json", "cases.jsonl", "observations.jsonl", "run.json", "report.html", "junit.xml",
        "summary.md"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "run" + "/" + each)) << each;
  }
  expect_calm_neighbours();
  const results::case_record seen = record("plant/observes");
  EXPECT_EQ(seen.rounds, 3u);
  EXPECT_EQ(seen.holds, 4u);
  EXPECT_EQ(seen.opportunities.canary, 2u);
  EXPECT_EQ(seen.opportunities.calibrated, 1u);
  EXPECT_EQ(seen.seed, 7u);
  ASSERT_EQ(loaded().observations.size(), 1u);
  EXPECT_EQ(loaded().observations[0].value, "seven");
  EXPECT_EQ(loaded().info.options.tier, "standard");
  EXPECT_EQ(loaded().info.options.jobs, 1u);
}

TEST_F(SelfTest, TellsAFailureWithItsEvidence) {
  const finished_program finished = run({"plant/fails"}, no_retest);
  EXPECT_EQ(finished.exit_code, 1);
  const results::case_record seen = record("plant/fails");
  EXPECT_EQ(seen.verdict, verdict::fail);
  ASSERT_TRUE(seen.failure);
  EXPECT_EQ(seen.failure->kind, results::failure_kind::stale);
  EXPECT_EQ(seen.failure->edges.size(), 1u);
  EXPECT_EQ(seen.failure->events.size(), 2u);
  EXPECT_EQ(seen.incidence->note, "not retested");
  EXPECT_THAT(seen.replay, AllOf(HasSubstr(" run --driver system"), HasSubstr("--seed 7"),
                                 HasSubstr("--filter plant/fails")));
  EXPECT_THAT(finished.output, HasSubstr("plant/fails"));
  expect_calm_neighbours();
}

TEST_F(SelfTest, CountsAFailedAssertionAsAFail) {
  EXPECT_EQ(run({"plant/asserts"}, no_retest).exit_code, 1);
  const results::case_record seen = record("plant/asserts");
  EXPECT_EQ(seen.verdict, verdict::fail);
  ASSERT_TRUE(seen.failure);
  EXPECT_EQ(seen.failure->kind, results::failure_kind::other);
  EXPECT_THAT(seen.failure->seen, HasSubstr("an assertion alone"));
  EXPECT_THAT(seen.failure->site, HasSubstr("planted_cases.cpp:"));
  expect_calm_neighbours();
}

TEST_F(SelfTest, KnowsWhatIsNoVerdictOfTheDriver) {
  const finished_program finished =
      run({"plant/error", "plant/inconclusive", "plant/needs", "plant/not_supported",
           "plant/throws"});
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_EQ(record("plant/error").verdict, verdict::error);
  EXPECT_EQ(record("plant/throws").verdict, verdict::error);
  EXPECT_THAT(record("plant/throws").reason, HasSubstr("thrown"));
  EXPECT_EQ(record("plant/inconclusive").verdict, verdict::inconclusive);
  EXPECT_EQ(record("plant/not_supported").reason, "memop_64 = 0");
  EXPECT_EQ(record("plant/needs").verdict, verdict::not_supported);
  EXPECT_THAT(record("plant/needs").reason, HasSubstr("priorities"));
  expect_calm_neighbours();
}

TEST_F(SelfTest, InconclusiveDoesNotSpoilWhatPassed) {
  EXPECT_EQ(run({"plant/inconclusive", "plant/not_supported"}).exit_code, 0);
}

TEST_F(SelfTest, NothingPassedIsNoVerdict) {
  const std::vector<std::string> words{"run",      "--out", folder_ / "run",
                                       "--filter", "plant/not_supported"};
  EXPECT_EQ(run_program(words, {}, folder_.path()).exit_code, 2);
}

TEST_F(SelfTest, NamesTheSignalOfACrash) {
  EXPECT_EQ(run({"plant/abort", "plant/segv"}, no_retest).exit_code, 1);
  EXPECT_EQ(record("plant/abort").verdict, verdict::crash);
  EXPECT_THAT(record("plant/abort").reason, HasSubstr("SIGABRT"));
  EXPECT_THAT(record("plant/segv").reason, HasSubstr("SIGSEGV"));
  expect_calm_neighbours();
}

TEST_F(SelfTest, LeavingInTheMiddleIsACrash) {
  EXPECT_EQ(run({"plant/exit_0", "plant/exit_1", "plant/closes"}, no_retest).exit_code, 1);
  EXPECT_EQ(record("plant/exit_0").verdict, verdict::crash);
  EXPECT_THAT(record("plant/exit_0").reason, HasSubstr("exit status 0"));
  EXPECT_THAT(record("plant/exit_1").reason, HasSubstr("exit status 1"));
  EXPECT_EQ(record("plant/closes").verdict, verdict::crash);
  expect_calm_neighbours();
}

TEST_F(SelfTest, EndsAHangAndShowsItsStack) {
  EXPECT_EQ(run({"plant/hangs"}, short_limit).exit_code, 1);
  const results::case_record seen = record("plant/hangs");
  EXPECT_EQ(seen.verdict, verdict::hang);
  EXPECT_THAT(seen.reason, HasSubstr("1.5 s"));
  ASSERT_FALSE(seen.stacks.empty());
  EXPECT_THAT(seen.stacks[0], HasSubstr("thread"));
  const bool refused = testing::Matches(Contains(HasSubstr("no frames")))(seen.stacks);
  if (!refused) {
    EXPECT_THAT(seen.stacks, Contains(HasSubstr("planted_hang")));
  }
  expect_calm_neighbours();
}

TEST_F(SelfTest, EndsWhatIgnoresSigterm) {
  EXPECT_EQ(run({"plant/ignores_sigterm"}, short_limit).exit_code, 1);
  EXPECT_EQ(record("plant/ignores_sigterm").verdict, verdict::hang);
  expect_calm_neighbours();
}

TEST_F(SelfTest, EndsWhatGivesUpItsDescriptorAndStays) {
  EXPECT_EQ(run({"plant/closes_and_stays", "plant/nonsense"}, short_limit).exit_code, 1);
  EXPECT_EQ(record("plant/closes_and_stays").verdict, verdict::crash);
  EXPECT_EQ(record("plant/nonsense").verdict, verdict::error);
  EXPECT_THAT(record("plant/nonsense").reason, HasSubstr("no record at all"));
  expect_calm_neighbours();
}

TEST_F(SelfTest, TakesNoRecordFromWhatIsPrinted) {
  EXPECT_EQ(run({"plant/prints"}).exit_code, 0);
  const results::case_record seen = record("plant/prints");
  EXPECT_EQ(seen.verdict, verdict::pass);
  EXPECT_THAT(seen.stdout_tail, AllOf(HasSubstr("plain words"), HasSubstr("\"outcome\"")));
  EXPECT_THAT(seen.stderr_tail, HasSubstr("plain words"));
  EXPECT_EQ(record("plant/z_pass").stdout_tail, "");
  expect_calm_neighbours();
}

TEST_F(SelfTest, TakesGigabytesAndKeepsTheTail) {
  EXPECT_EQ(run({"plant/floods"}).exit_code, 0);
  const results::case_record seen = record("plant/floods");
  EXPECT_EQ(seen.verdict, verdict::pass);
  EXPECT_THAT(seen.stderr_tail, AllOf(HasSubstr("the last line of the flood"),
                                      HasSubstr("are not kept")));
  EXPECT_LT(seen.stderr_tail.size(), 70'000u);
  EXPECT_EQ(record("plant/z_pass").stderr_tail, "");
  expect_calm_neighbours();
}

TEST_F(SelfTest, IsNotHeldUpByAGrandchild) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run({"plant/forks"}).exit_code, 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(8));
  expect_calm_neighbours();
}

TEST_F(SelfTest, CountsHowOftenAFlakyCaseFails) {
  EXPECT_EQ(run({"plant/flaky"}).exit_code, 1);
  const results::case_record seen = record("plant/flaky");
  EXPECT_EQ(seen.verdict, verdict::fail);
  ASSERT_TRUE(seen.incidence);
  EXPECT_EQ(seen.incidence->failed, 3u);  // runs 1, 5 and 9 of 11
  EXPECT_EQ(seen.incidence->runs, 11u);
  expect_calm_neighbours();
}

TEST_F(SelfTest, FindsTheCaseThatSpoilsAnother) {
  EXPECT_EQ(run({"plant/observes", "plant/own", "plant/poisons", "plant/prints",
                 "plant/q_victim"})
                .exit_code,
            1);
  const results::case_record seen = record("plant/q_victim");
  EXPECT_EQ(seen.verdict, verdict::fail);
  ASSERT_TRUE(seen.incidence);
  EXPECT_EQ(seen.incidence->failed, 1u);
  EXPECT_EQ(seen.incidence->runs, 11u);
  EXPECT_EQ(seen.incidence->note, "only after plant/poisons");
}

TEST_F(SelfTest, BlamesADelayedDeathOnTheRightCase) {
  EXPECT_EQ(run({"plant/dies_afterwards", "plant/slow_1"}).exit_code, 1);
  const results::case_record seen = record("plant/slow_1");
  EXPECT_EQ(seen.verdict, verdict::crash);
  EXPECT_EQ(seen.incidence->note, "only after plant/dies_afterwards");
}

TEST_F(SelfTest, ARefusalNeedsASecondProcess) {
  EXPECT_EQ(run({"plant/refused_once"}).exit_code, 0);
  EXPECT_EQ(record("plant/refused_once").verdict, verdict::inconclusive);
  EXPECT_THAT(record("plant/refused_once").reason, HasSubstr("refused once"));
}

TEST_F(SelfTest, ProgressIsAHangOnlyWhenThreeProcessesAgree) {
  EXPECT_EQ(run({"plant/progress", "plant/progress_once"}).exit_code, 1);
  EXPECT_EQ(record("plant/progress").verdict, verdict::hang);
  EXPECT_EQ(record("plant/progress").incidence->runs, 3u);
  EXPECT_EQ(record("plant/progress_once").verdict, verdict::inconclusive);
}

TEST_F(SelfTest, RepeatsWithSeedsOfTheirOwn) {
  EXPECT_EQ(run({}, {"--repeat", "3"}).exit_code, 0);
  const results::run run = loaded();
  ASSERT_EQ(run.records.size(), 6u);
  EXPECT_EQ(run.records[0].seed, 7u);
  EXPECT_NE(run.records[2].seed, run.records[4].seed);
  EXPECT_EQ(run.records[5].repeat, 2u);
}

TEST_F(SelfTest, RunsSeveralChildrenAtOnce) {
  const finished_program finished =
      run({"plant/abort", "plant/prints", "plant/observes", "plant/own", "plant/poisons"},
          {"--jobs", "3", "--no-retest"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(loaded().records.size(), 7u);
  expect_calm_neighbours();
}

TEST_F(SelfTest, FailFastEndsAtTheFirst) {
  const finished_program finished = run({"plant/abort", "plant/fails"}, {"--fail-fast"});
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_EQ(loaded().records.size(), 2u);
  EXPECT_THAT(loaded().info.interrupted, HasSubstr("--fail-fast"));
}

TEST_F(SelfTest, GoesOnAfterItsOwnDeath) {
  std::vector<std::string> words{"run", "--out", folder_ / "run", "--no-retest"};
  for (const char* each : {"plant/a_pass", "plant/slow_1", "plant/slow_2", "plant/z_pass"}) {
    words.insert(words.end(), {"--filter", each});
  }
  {
    started_program first(words, {}, folder_.path());
    ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(folder_ / "slow_2"); }));
    first.send(SIGKILL);
    EXPECT_EQ(first.wait().exit_code, 128 + SIGKILL);
  }
  EXPECT_EQ(loaded().records.size(), 2u);
  const finished_program second =
      run_program({"run", "--resume", folder_ / "run"}, {}, folder_.path());
  EXPECT_EQ(second.exit_code, 0) << second.output;
  EXPECT_EQ(loaded().records.size(), 4u);
  std::ifstream state(folder_ / "slow_1");
  int times = 0;
  state >> times;
  EXPECT_EQ(times, 1);
}

TEST_F(SelfTest, ASignalEndsItWithARecord) {
  std::vector<std::string> words{"run", "--out", folder_ / "run"};
  for (const char* each : {"plant/a_pass", "plant/slow_2", "plant/z_pass"}) {
    words.insert(words.end(), {"--filter", each});
  }
  started_program program(words, {}, folder_.path());
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(folder_ / "slow_2"); }));
  program.send(SIGINT);
  const finished_program finished = program.wait();
  EXPECT_EQ(finished.exit_code, 2) << finished.output;
  EXPECT_EQ(loaded().info.interrupted, "SIGINT");
  EXPECT_EQ(loaded().records.size(), 1u);
  EXPECT_THAT(finished.output, HasSubstr("--resume"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "run/report.html"));
}

TEST_F(SelfTest, AFullDiskIsOneLineAndNothingIsLost) {
  // No file may grow beyond 48 KiB: as a full disk, but for this process alone.
  const std::string command = fmt::format(
      "trap '' XFSZ; ulimit -f 96; exec {} run --out {}/run --filter plant/a_pass --repeat 300 "
      "--progress never > {}/output.txt 2>&1",
      STREAMCTS_SELFTEST_PROGRAM, folder_.path().string(), folder_.path().string());
  EXPECT_EQ(runner::run_shell(command, std::chrono::seconds(60)), 2);
  std::ifstream file(folder_ / "output.txt");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(text, AllOf(HasSubstr("streamcts: "), HasSubstr("cases.jsonl"),
                          HasSubstr("free some space")));
  const results::run left = loaded();
  EXPECT_GT(left.records.size(), 20u);
  EXPECT_LT(left.records.size(), 300u);
  EXPECT_TRUE(left.damages.empty());
}

TEST_F(SelfTest, AChildThatDoesNotStartIsNoVerdict) {
  for (const char* how : {"refuse", "crash", "mismatch"}) {
    std::filesystem::remove_all(folder_ / "run");
    const finished_program finished = run({}, {}, {{"STREAMCTS_SELFTEST_START", how}});
    EXPECT_EQ(finished.exit_code, 2) << how << finished.output;
    EXPECT_TRUE(loaded().records.empty());
    EXPECT_FALSE(loaded().info.interrupted.empty());
  }
}

TEST_F(SelfTest, RunsACommandBeforeEachChild) {
  const std::string log = folder_ / "before";
  EXPECT_EQ(run({"plant/own"}, {"--before-child", "echo x >> " + log}).exit_code, 0);
  std::ifstream file(log);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_EQ(text, "x\nx\nx\n");  // the probe, the case of its own, the others
  std::filesystem::remove_all(folder_ / "run");
  const finished_program failed = run({}, {"--before-child", "exit 3"});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.output, HasSubstr("exit status 3"));
}

}  // namespace
}  // namespace streamcts::selftest
