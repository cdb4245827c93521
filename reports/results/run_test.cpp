// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace streamcts::results {
namespace {

using testing::ElementsAre;
using testing::Field;

case_record record(std::string id, verdict how, std::uint64_t repeat = 0) {
  case_record made;
  made.id = std::move(id);
  made.verdict = how;
  made.repeat = repeat;
  made.seconds = 1;
  made.rounds = 10;
  made.holds = 5;
  made.opportunities = {.canary = 3, .calibrated = 1};
  made.opportunities_by_clause["A"] = {.canary = 2, .calibrated = 0};
  made.missed_holds["late"] = 1;
  return made;
}

TEST(run, the_reference_is_known_by_its_device) {
  device_info device;
  device.name = "streamcts reference device";
  EXPECT_TRUE(is_reference(device));
  device.name = "NVIDIA H200";
  EXPECT_FALSE(is_reference(device));
}

TEST(run, the_last_record_of_a_case_wins) {
  run value;
  value.records = {record("a", verdict::fail), record("b", verdict::pass),
                   record("a", verdict::fail)};
  value.records[2].incidence = incidence{4, 11, ""};
  const auto folded = folded_cases(value);
  ASSERT_EQ(folded.size(), 2u);
  EXPECT_EQ(folded[0], value.records[2]);
  EXPECT_EQ(folded[1], value.records[1]);

  value.records.push_back(record("a", verdict::pass));
  EXPECT_EQ(folded_cases(value)[0].verdict, verdict::pass);
}

TEST(run, cases_come_in_the_order_of_the_plan) {
  run value;
  value.planned = {{"b", {}, ""}, {"missing", {}, ""}, {"a", {}, ""}};
  value.records = {record("stray", verdict::pass), record("a", verdict::pass),
                   record("b", verdict::pass)};
  EXPECT_THAT(folded_cases(value),
              ElementsAre(Field(&case_record::id, "b"), Field(&case_record::id, "a"),
                          Field(&case_record::id, "stray")));
  EXPECT_THAT(not_reached(value), ElementsAre(Field(&planned_case::id, "missing")));
}

TEST(run, a_failure_in_any_repeat_stays) {
  run value;
  value.records = {record("a", verdict::pass, 0), record("a", verdict::fail, 1),
                   record("a", verdict::pass, 2), record("a", verdict::fail, 3)};
  value.records[1].reason = "the first";
  value.records[1].incidence = incidence{4, 11, "odd"};
  const auto folded = folded_cases(value);
  ASSERT_EQ(folded.size(), 1u);
  EXPECT_EQ(folded[0].verdict, verdict::fail);
  EXPECT_EQ(folded[0].reason, "the first");
  EXPECT_EQ(folded[0].incidence, (incidence{5, 14, "odd"}));
  EXPECT_EQ(folded[0].seconds, 4);
  EXPECT_EQ(folded[0].rounds, 40u);
  EXPECT_EQ(folded[0].holds, 20u);
  EXPECT_EQ(folded[0].missed_holds.at("late"), 4u);
  EXPECT_EQ(folded[0].opportunities, (opportunities{12, 4}));
  EXPECT_EQ(folded[0].opportunities_by_clause.at("A"), (opportunities{8, 0}));
}

TEST(run, a_repeat_without_verdict_is_told) {
  run value;
  value.records = {record("a", verdict::pass, 0), record("a", verdict::inconclusive, 1),
                   record("a", verdict::pass, 2)};
  EXPECT_EQ(folded_cases(value)[0].verdict, verdict::inconclusive);
  EXPECT_EQ(folded_cases(value)[0].reason, "in 1 of 3 repeats");
  value.records[1].reason = "the gate expired";
  EXPECT_EQ(folded_cases(value)[0].reason, "the gate expired, in 1 of 3 repeats");
  value.records = {record("a", verdict::skipped, 0), record("a", verdict::skipped, 1)};
  EXPECT_EQ(folded_cases(value)[0].reason, "");
}

TEST(run, summary) {
  run value;
  value.planned = {{"a", {}, ""}, {"b", {}, ""}, {"c", {}, ""}};
  value.records = {record("a", verdict::pass), record("b", verdict::skipped)};
  const run_summary summary = summarise(value);
  EXPECT_EQ(summary.counts[verdict::pass], 1u);
  EXPECT_EQ(summary.counts.total(), 2u);
  EXPECT_EQ(summary.planned, 3u);
  EXPECT_EQ(summary.not_reached, 1u);
  EXPECT_EQ(summary.exit_code, exit_no_verdict);
}

}  // namespace
}  // namespace streamcts::results
