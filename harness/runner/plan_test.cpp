// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/plan.h"

#include <gtest/gtest.h>

#include "harness/runner/test_cases.h"

namespace streamcts::runner {
namespace {

std::vector<std::size_t> sizes(const std::vector<job>& jobs) {
  std::vector<std::size_t> made;
  for (const job& each : jobs) made.push_back(each.cases.size());
  return made;
}

TEST(Plan, BatchesOrdinaryCasesAndIsolatesOthers) {
  test_cases cases;
  for (int i = 0; i < 5; ++i) cases.add("a/" + std::to_string(i));
  cases.add("b/own", tier::quick, isolation::own_process);
  cases.add("c/last");
  const auto jobs = make_jobs(cases.pointers(), {.seed = 9, .repeat = 1, .jobs = 1, .batch = 3});
  // The case of its own runs as soon as its turn comes; a batch may go on after it.
  EXPECT_EQ(sizes(jobs), (std::vector<std::size_t>{3, 1, 3}));
  EXPECT_EQ(jobs[0].cases[0].seed, 9u);
}

TEST(Plan, RepeatsHaveSeedsOfTheirOwn) {
  test_cases cases;
  cases.add("a/1");
  const auto jobs = make_jobs(cases.pointers(), {.seed = 9, .repeat = 2});
  ASSERT_EQ(jobs.size(), 2u);
  EXPECT_EQ(jobs[0].cases[0].seed, 9u);
  EXPECT_NE(jobs[1].cases[0].seed, 9u);
  EXPECT_EQ(jobs[1].cases[0].repeat, 1u);
}

TEST(Plan, LeavesOutWhatIsDone) {
  test_cases cases;
  cases.add("a/1");
  cases.add("a/2");
  plan_options options;
  options.repeat = 2;
  options.done = [](const case_instance& each, std::uint64_t repeat) {
    return repeat == 0 || each.id == "a/1";
  };
  const auto jobs = make_jobs(cases.pointers(), options);
  ASSERT_EQ(sizes(jobs), (std::vector<std::size_t>{1}));
  EXPECT_EQ(jobs[0].cases[0].instance->id, "a/2");
}

TEST(Plan, CutsSmallerForSeveralChildren) {
  test_cases cases;
  for (int i = 0; i < 80; ++i) cases.add("a/" + std::to_string(100 + i));
  EXPECT_EQ(make_jobs(cases.pointers(), {.jobs = 2}).size(), 8u);
  EXPECT_EQ(make_jobs(cases.pointers(), {.jobs = 1}).size(), 2u);
}

TEST(Seeds, DifferByCaseAndAreStable) {
  EXPECT_NE(case_seed(1, "a/1"), case_seed(1, "a/2"));
  EXPECT_NE(case_seed(1, "a/1"), case_seed(2, "a/1"));
  EXPECT_EQ(case_seed(1, "a/1"), case_seed(1, "a/1"));
  EXPECT_EQ(repeat_seed(5, 0), 5u);
}

}  // namespace
}  // namespace streamcts::runner
