// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// The other commands, and bad input: one line each that names the input, with its exit code.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "harness/runner/selftest/program.h"

namespace streamcts::selftest {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Commands : public testing::Test {
 protected:
  finished_program program(std::vector<std::string> words,
                           std::map<std::string, std::string> variables = {}) {
    return run_program(words, variables, folder_.path());
  }
  /// Expects one line on stderr alone.
  void expect_refusal(const std::vector<std::string>& words, int exit_code,
                      const std::string& names,
                      const std::map<std::string, std::string>& variables = {}) {
    const finished_program finished = program(words, variables);
    EXPECT_EQ(finished.exit_code, exit_code) << finished.output;
    EXPECT_THAT(finished.output, HasSubstr(names));
    EXPECT_EQ(std::count(finished.output.begin(), finished.output.end(), '\n'), 1)
        << finished.output;
    EXPECT_EQ(finished.output.rfind("streamcts: ", 0), 0u) << finished.output;
  }
  std::string read(const std::string& name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  scratch_folder folder_;
};

TEST_F(Commands, RefusesBadOptions) {
  expect_refusal({}, 64, "subcommand");
  expect_refusal({"dance"}, 64, "dance");
  expect_refusal({"run", "--dance"}, 64, "--dance");
  expect_refusal({"run", "--tier", "slow"}, 64, "slow");
  for (const char* number : {"-1", "0", "99999999999999999999", "two", "1x", "", "1.5"}) {
    expect_refusal({"run", "--repeat", number}, 64, "--repeat");
    expect_refusal({"run", "--jobs", number}, 64, "--jobs");
  }
  for (const char* number : {"-1", "0x", "18446744073709551616", "1 "}) {
    expect_refusal({"run", "--seed", number}, 64, "--seed");
  }
  for (const char* seconds : {"-1", "0", "nan", "inf", "1e9", "s"}) {
    expect_refusal({"run", "--timeout", seconds}, 64, "--timeout");
  }
  expect_refusal({"run", "--progress", "maybe"}, 64, "maybe");
  expect_refusal({"list", "--format", "xml"}, 64, "xml");
  expect_refusal({"run", "--resume", "x", "--out", "y"}, 64, "--resume");
}

TEST_F(Commands, RefusesFiltersThatMatchNothing) {
  expect_refusal({"run", "--filter", "plant/a_pass", "--filter", "nothing*"}, 64, "nothing*");
  expect_refusal({"list", "--filter", "XX-*"}, 64, "XX-*");
}

TEST_F(Commands, SaysWhichTierHasTheCases) {
  const finished_program finished =
      program({"run", "--tier", "quick", "--filter", "plant/standard", "--out", folder_ / "run"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.output, HasSubstr("--tier standard"));
}

TEST_F(Commands, RefusesDriversThatAreNone) {
  expect_refusal({"run", "--driver", "/no/such/libcuda.so.1"}, 64, "/no/such/libcuda.so.1");
  expect_refusal({"run", "--driver", folder_.path()}, 64, folder_.path());
  expect_refusal({"run", "--runtime", "/no/such/libcudart.so"}, 64, "/no/such/libcudart.so");
  std::ofstream(folder_ / "text.so") << "text";
  expect_refusal({"run", "--driver", folder_ / "text.so"}, 64, "text.so",
                 {{"STREAMCTS_SELFTEST_PROBE", "not_a_driver"}});
  expect_refusal({"run"}, 2, "CUDA_ERROR_NO_DEVICE", {{"STREAMCTS_SELFTEST_PROBE", "no_device"}});
  expect_refusal({"run"}, 2, "SIGABRT", {{"STREAMCTS_SELFTEST_PROBE", "crash_at:load"}});
  expect_refusal({"run", "--driver", "system"}, 2, "no libcuda.so.1",
                 {{"STREAMCTS_SELFTEST_PROBE", "not_found"}});
  expect_refusal({"run", "--require-device"}, 2, "--require-device",
                 {{"STREAMCTS_SELFTEST_PROBE", "not_found"}});
  expect_refusal({"run", "--require-device"}, 2, "--require-device",
                 {{"STREAMCTS_SELFTEST_DEVICE", "streamcts reference device"}});
}

TEST_F(Commands, RefusesFoldersThatCannotBe) {
  const std::vector<std::string> run{"run", "--filter", "plant/a_pass", "--out"};
  const auto with = [&](const std::string& folder) {
    std::vector<std::string> words = run;
    words.push_back(folder);
    return words;
  };
  EXPECT_EQ(program(with(folder_ / "run")).exit_code, 0);
  expect_refusal(with(folder_ / "run"), 64, folder_ / "run");
  expect_refusal(with("/proc/none/run"), 2, "/proc/none/run");
  expect_refusal({"run", "--resume", folder_ / "absent"}, 64, folder_ / "absent");
  expect_refusal({"report", folder_ / "absent"}, 64, folder_ / "absent");
  std::filesystem::remove(folder_ / "run/plan.json");
  std::filesystem::remove(folder_ / "run/run.json");
  expect_refusal({"run", "--resume", folder_ / "run"}, 64, folder_ / "run");
}

TEST_F(Commands, ReportMakesReportsAnew) {
  EXPECT_EQ(program({"run", "--filter", "plant/a_pass", "--out", folder_ / "run"}).exit_code, 0);
  for (const char* each : {"report.html", "junit.xml", "summary.md", "run.json"}) {
    std::filesystem::remove(folder_ / "run/" + each);
  }
  // The last line was torn by a power cut.
  std::ofstream(folder_ / "run/cases.jsonl", std::ios::app) << "{\"id\": \"plant/z";
  const finished_program finished = program({"report", folder_ / "run"});
  EXPECT_EQ(finished.exit_code, 0) << finished.output;
  for (const char* each : {"report.html", "junit.xml", "summary.md", "run.json"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "run/" + each)) << each;
  }
}

TEST_F(Commands, ListsCases) {
  const finished_program text = program({"list", "--tier", "quick"});
  EXPECT_THAT(text.output, AllOf(HasSubstr("plant/own  [quick, own process]"),
                                 Not(HasSubstr("plant/standard "))));
  const json all = json::parse(program({"list", "--format", "json"}).output);
  EXPECT_GT(all.size(), 25u);
  EXPECT_EQ(all[0].at("id"), "faulty/meets");
  EXPECT_EQ(all[2].at("id"), "plant/a_pass");
}

TEST_F(Commands, ShowsClausesAndTheirCases) {
  const finished_program text = program({"clauses"});
  EXPECT_THAT(text.output, HasSubstr("guarantees have cases"));
  const json uncovered = json::parse(program({"clauses", "--uncovered", "--format", "json"}).output);
  EXPECT_GT(uncovered.size(), 20u);
  for (const json& each : uncovered) {
    EXPECT_NE(each.at("id"), "CB-ORDER-001");
    EXPECT_FALSE(each.at("uncovered").get<std::string>().empty());
  }
}

TEST_F(Commands, ListsDevices) {
  EXPECT_THAT(program({"devices"}).output, HasSubstr("1: planted device"));
  const json spec = json::parse(program({"devices", "--format", "ctest"}).output);
  EXPECT_EQ(spec.at("local").at(0).at("gpus").at(1).at("id"), "1");
  EXPECT_EQ(json::parse(program({"devices", "--format", "json"}).output).size(), 2u);
  EXPECT_EQ(program({"devices"}, {{"STREAMCTS_SELFTEST_PROBE", "no_device"}}).exit_code, 2);
  expect_refusal({"devices"}, 2, "planted: no driver",
                 {{"STREAMCTS_SELFTEST_PROBE", "not_a_driver"}});
}

TEST_F(Commands, ProbesAndTakesTheResult) {
  const std::string file = folder_ / "facts.json";
  const finished_program probed = program({"probe", "--out", file});
  EXPECT_EQ(probed.exit_code, 0) << probed.output;
  EXPECT_EQ(json::parse(read("facts.json")).at("schema"), "streamcts-capabilities/1");
  const std::vector<std::string> one{"run", "--ctest", "plant/a_pass", "--capabilities", file};
  EXPECT_EQ(program(one).exit_code, 0);

  json facts = json::parse(read("facts.json"));
  facts["boot_id"] = "another";
  std::ofstream(file) << facts;
  expect_refusal(one, 64, file);
  std::ofstream(file) << "{}";
  expect_refusal(one, 64, file);
  expect_refusal({"run", "--ctest", "plant/a_pass", "--capabilities", folder_ / "none"}, 64,
                 folder_ / "none");
  expect_refusal({"probe", "--out", "/proc/none/file"}, 2, "/proc/none/file");
  EXPECT_EQ(json::parse(program({"probe", "--out", "-"}).output).at("driver"), "system");
}

TEST_F(Commands, AProbeSurvivesStepsThatEndItsChild) {
  for (const char* how : {"crash_at:graph", "exit_at:graph"}) {
    const finished_program finished =
        program({"probe", "--out", "-"}, {{"STREAMCTS_SELFTEST_PROBE", how}});
    ASSERT_EQ(finished.exit_code, 0) << finished.output;
    const json features =
        json::parse(finished.output).at("capabilities").at("features");
    EXPECT_EQ(features.at("graph").at("works"), false);
    EXPECT_THAT(features.at("graph").at("reason").get<std::string>(), HasSubstr("probe's process"));
    EXPECT_EQ(features.at("runtime").at("works"), true);
  }
  const finished_program uncalibrated =
      program({"probe", "--out", "-"}, {{"STREAMCTS_SELFTEST_PROBE", "crash_at:calibration"}});
  EXPECT_THAT(json::parse(uncalibrated.output).at("calibration_note").get<std::string>(),
              HasSubstr("assumed"));
}

TEST_F(Commands, CtestGetsItsExitCodes) {
  const auto one = [&](const std::string& id, std::map<std::string, std::string> variables = {}) {
    return program({"run", "--ctest", id, "--no-retest"}, std::move(variables));
  };
  EXPECT_EQ(one("plant/a_pass").exit_code, 0);
  EXPECT_EQ(one("plant/not_supported").exit_code, 77);
  EXPECT_EQ(one("plant/inconclusive").exit_code, 77);
  EXPECT_EQ(one("plant/needs").exit_code, 77);
  EXPECT_EQ(one("plant/error").exit_code, 2);
  const finished_program failed = one("plant/fails");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.output, HasSubstr("replay: "));
  EXPECT_EQ(one("plant/absent").exit_code, 64);
  EXPECT_EQ(one("plant/a_pass", {{"CTEST_RESOURCE_GROUP_COUNT", "1"},
                                 {"CTEST_RESOURCE_GROUP_0_GPUS", "id:0,slots:100"}})
                .exit_code,
            0);
  EXPECT_EQ(one("plant/a_pass", {{"CTEST_RESOURCE_GROUP_COUNT", "1"},
                                 {"CTEST_RESOURCE_GROUP_0_GPUS", "nonsense"}})
                .exit_code,
            2);
}

TEST_F(Commands, DoctorSaysWhatIsThere) {
  const finished_program good = program({"doctor"}, {{"CUDA_LAUNCH_BLOCKING", "1"}});
  EXPECT_EQ(good.exit_code, 0) << good.output;
  EXPECT_THAT(good.output, AllOf(HasSubstr("planted device"), HasSubstr("CUDA_LAUNCH_BLOCKING=1"),
                                 HasSubstr("feature priorities")));
  const finished_program bad =
      program({"doctor"}, {{"STREAMCTS_SELFTEST_PROBE", "no_device"}});
  EXPECT_EQ(bad.exit_code, 2);
  EXPECT_THAT(bad.output, HasSubstr("-> "));
}

TEST_F(Commands, TellsVersionAndHelp) {
  EXPECT_THAT(program({"version"}).output, HasSubstr("streamcts 0."));
  EXPECT_THAT(program({"--version"}).output, HasSubstr("streamcts 0."));
  EXPECT_THAT(program({"--help"}).output, HasSubstr("Exit codes"));
  const finished_program help = program({"run", "--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.output, HasSubstr("--before-child"));
}

}  // namespace
}  // namespace streamcts::selftest
