// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Golden files are in testdata/; STREAMCTS_UPDATE_GOLDEN=1 writes them anew.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "reports/matrix/matrix_html.h"
#include "reports/matrix/matrix_json.h"
#include "reports/results/example.h"
#include "reports/results/file.h"

namespace streamcts::reports {
namespace {

namespace fs = std::filesystem;
using results::verdict;
using testing::HasSubstr;
using testing::Not;

fault_record record(const std::string& id, const std::string& of_class, fault_outcome outcome) {
  fault_record made;
  made.id = id;
  made.fault_class = of_class;
  made.clauses = {"CB-ORDER-001", "HF-ORDER-001"};
  made.sentence = "Does <what> it must not.";
  made.outcome = outcome;
  made.reached = outcome == fault_outcome::not_reached ? 0 : 12;
  made.cases = 5;
  made.inconclusive = 1;
  made.seconds = 1.5;
  made.benign = outcome == fault_outcome::green || outcome == fault_outcome::false_alarm;
  return made;
}

fault_kill kill(bool right, double seconds) {
  return {"callback/order/x", verdict::fail, right ? "CB-ORDER-001" : "EV-REC-001",
          "early",            "complete",    "words 0 & 1 of the epoch before",
          right,              seconds};
}

matrix example() {
  matrix made;
  made.info = results::example_info();
  made.info.interrupted.clear();
  made.planned = {"a", "b", "c", "d", "e", "f", "g"};
  made.baseline = {{"callback/order/x", {"CB-ORDER-001"}, verdict::pass, 0.02, "", ""},
                   {"memop/y", {"MO-WAIT-001"}, verdict::not_supported, 0, "memop_64 = 0", ""}};
  made.faults = {record("a", "A", fault_outcome::killed), record("b", "B", fault_outcome::killed),
                 record("c", "A", fault_outcome::survived),
                 record("d", "C", fault_outcome::not_reached),
                 record("e", "J", fault_outcome::green),
                 record("f", "J", fault_outcome::false_alarm),
                 record("g", "G", fault_outcome::masked)};
  made.faults[6].masked_by = {"CB-ORDER-001"};
  made.faults[0].kills = {kill(false, 0.2), kill(true, 0.7)};
  made.faults[0].repeats = fault_repeats{19, 20};
  made.faults[1].kills = {kill(false, 0.3)};
  made.faults[1].kills[0].verdict = verdict::hang;
  made.faults[1].kills[0].clause.clear();
  made.faults[1].note = "a note";
  made.faults[5].kills = {kill(false, 0.4)};
  made.faults[5].errors = 1;
  return made;
}

results::clause_catalogue clauses() {
  std::vector<results::clause> all(3);
  all[0].id = "CB-ORDER-001";
  all[0].statement = "A callback starts after what precedes it.";
  all[1].id = "ST-SYNC-001";
  all[1].statement = "A synchronize waits.";
  all[2].id = "EN-001";
  all[2].strength = results::clause_strength::permission;
  return results::clause_catalogue(all);
}

void check(const std::string& name, const std::string& text) {
  const fs::path path = fs::path(STREAMCTS_MATRIX_TESTDATA) / name;
  const char* update = std::getenv("STREAMCTS_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    fs::create_directories(path.parent_path());
    results::write_file_atomically(path, text);
  }
  EXPECT_EQ(text, results::read_file(path)) << name;
}

TEST(Matrix, CountsWhatBecameOfEachFault) {
  const matrix_summary summary = summarize(example());
  EXPECT_EQ(summary.all.killed, 2u);
  EXPECT_EQ(summary.all.right_clause, 1u);
  EXPECT_EQ(summary.all.survived, 1u);
  EXPECT_EQ(summary.all.not_reached, 1u);
  EXPECT_EQ(summary.all.green, 1u);
  EXPECT_EQ(summary.all.false_alarms, 1u);
  EXPECT_EQ(summary.all.masked, 1u);
  EXPECT_EQ(summary.by_class.size(), 4u);
  EXPECT_EQ(summary.by_class.at("A").reached(), 2u);
  EXPECT_EQ(summary.left, 0u);
  EXPECT_DOUBLE_EQ(summary.median_seconds_to_kill, 0.7);
  EXPECT_DOUBLE_EQ(summary.max_seconds_to_kill, 0.7);
  EXPECT_EQ(summary.repeated, 1u);
  EXPECT_EQ(summary.always_repeated, 0u);
  EXPECT_EQ(summary.exit_code, 1);
  EXPECT_EQ(summary.sentence,
            "2 of 3 faults that took effect killed, 1 not in every repeat, 1 not reached, 1 masked by "
            "cases of CB-ORDER-001 that are red without a fault; 1 of 2 legal oddities green");
}

TEST(Matrix, WhatTheDriverItselfBreaksMasks) {
  baseline_case each{"callback/order/x", {"CB-ORDER-001", "CB-ORDER-002"}, verdict::fail, 0.1, "", ""};
  EXPECT_THAT(each.masks(), testing::ElementsAre("CB-ORDER-001", "CB-ORDER-002"));
  each.clause = "CB-ORDER-002";
  EXPECT_THAT(each.masks(), testing::ElementsAre("CB-ORDER-002"));
  each.verdict = verdict::inconclusive;
  EXPECT_THAT(each.masks(), testing::IsEmpty());

  matrix all = example();
  all.faults = {all.faults[0], all.faults[6]};
  all.faults[0].repeats.reset();
  all.planned = {"a", "g"};
  EXPECT_EQ(summarize(all).exit_code, 0) << "a masked fault is no gap of the suite";
  EXPECT_THAT(summarize(all).masking, testing::ElementsAre("CB-ORDER-001"));
}

TEST(Matrix, HasAnExitCode) {
  matrix all = example();
  all.faults.erase(all.faults.begin() + 5);
  all.faults.erase(all.faults.begin() + 2);
  all.planned.resize(all.faults.size());
  EXPECT_EQ(summarize(all).exit_code, 1) << "not in every repeat";
  all.faults[0].repeats->killed = 20;
  EXPECT_EQ(summarize(all).exit_code, 0);
  all.planned.push_back("z");
  EXPECT_EQ(summarize(all).left, 1u);
  EXPECT_EQ(summarize(all).exit_code, 2);
  all.planned.pop_back();
  all.baseline[0].verdict = verdict::crash;
  EXPECT_EQ(summarize(all).exit_code, 2);
  all.holds = "none";
  EXPECT_EQ(summarize(all).exit_code, 0);
  EXPECT_EQ(summarize(matrix()).exit_code, 2);
  EXPECT_EQ(summarize(matrix()).lower_bound, 0);
}

TEST(Matrix, BoundsWhatElseWouldBeKilled) {
  EXPECT_NEAR(detection_lower_bound(60, 60), std::pow(0.05, 1.0 / 60), 1e-9);
  EXPECT_NEAR(detection_lower_bound(100, 100), 0.9705, 1e-4);
  EXPECT_NEAR(detection_lower_bound(95, 100), 0.8977, 1e-3);  // a table's Clopper-Pearson
  EXPECT_EQ(detection_lower_bound(0, 5), 0);
}

TEST(Matrix, OutcomesHaveNames) {
  for (const fault_outcome each : all_fault_outcomes) {
    EXPECT_EQ(fault_outcome_from_string(to_string(each)), each);
  }
  EXPECT_EQ(fault_outcome_from_string("dead"), std::nullopt);
}

TEST(Matrix, ComesBackFromJson) {
  const matrix all = example();
  const matrix back = parse_matrix(matrix_text(all), "m");
  EXPECT_EQ(back.faults, all.faults);
  EXPECT_EQ(back.baseline, all.baseline);
  EXPECT_EQ(back.planned, all.planned);
  EXPECT_EQ(back.info.suite, all.info.suite);
  EXPECT_EQ(parse_fault(fault_line(all.faults[0]), "m"), all.faults[0]);
}

TEST(Matrix, SaysWhatIsWrongWithAFile) {
  EXPECT_THROW(parse_matrix("{}", "m"), results::results_error);
  EXPECT_THROW(parse_matrix(R"({"schema": "streamcts-matrix/9"})", "m"), results::results_error);
  EXPECT_THROW(parse_fault(R"({"id": "a", "outcome": "dead"})", "m"), results::results_error);
  EXPECT_THROW(parse_fault(R"({"outcome": "killed"})", "m"), results::results_error);
  EXPECT_THROW(load_matrix("/no/such/folder"), results::results_error);
}

TEST(Matrix, LinesCountMoreThanTheFile) {
  const fs::path folder = fs::path(testing::TempDir()) / "matrix_lines";
  fs::create_directories(folder);
  matrix all = example();
  results::write_file_atomically(folder / matrix_file, matrix_text(all));
  EXPECT_EQ(load_matrix(folder).faults.size(), 7u);
  all.faults[0].reached = 77;
  results::write_file_atomically(folder / matrix_lines_file,
                                 fault_line(example().faults[0]) + fault_line(all.faults[1]) +
                                     "\n{\"torn\n" + fault_line(all.faults[0]));
  const matrix back = load_matrix(folder);
  ASSERT_EQ(back.faults.size(), 2u);
  EXPECT_EQ(back.faults[0].reached, 77u);  // the later line counts
  ASSERT_EQ(back.damages.size(), 1u);
  EXPECT_EQ(back.damages[0].line, 4u);
  fs::remove_all(folder);
}

TEST(MatrixPage, IsAsCheckedIn) {
  check("example.json", matrix_text(example()));
  check("example.html", matrix_html(example(), clauses()));
}

TEST(MatrixPage, WarnsOfWhatIsMissing) {
  matrix all = example();
  all.info.interrupted = "SIGINT";
  all.info.device.name = "streamcts reference device";
  all.damages = {{"matrix.jsonl", 3, "torn"}};
  all.baseline.clear();
  all.faults.resize(1);
  const std::string page = matrix_html(all, clauses());
  EXPECT_THAT(page, HasSubstr("Ended before its time: SIGINT."));
  EXPECT_THAT(page, HasSubstr("matrix.jsonl, line 3: torn"));
  EXPECT_THAT(page, HasSubstr("over the reference driver"));
  EXPECT_THAT(page, Not(HasSubstr("Not noticed")));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace streamcts::reports
