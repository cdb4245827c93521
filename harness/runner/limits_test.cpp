// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/limits.h"

#include <gtest/gtest.h>

namespace streamcts::runner {
namespace {

using namespace std::chrono_literals;

TEST(Limits, GrowWithTierAndSlowDrivers) {
  const case_definition definition{.arrangement = "a/b", .clauses = {}, .time_limit = 60s};
  time_limits limits;
  const auto quick = limits.of(definition);
  EXPECT_GE(quick, 60s);
  EXPECT_EQ(limits.factor(), 1);
  limits.run_tier = tier::standard;
  EXPECT_EQ(limits.of(definition), 2 * quick);
  limits.limits.enqueue_median = 60us;
  EXPECT_NEAR(limits.factor(), 3, 0.01);
  limits.limits.enqueue_median = 1s;
  EXPECT_EQ(limits.factor(), 10);
  EXPECT_LE(limits.of(definition), longest_limit(definition));
}

TEST(Limits, LeaveTimeForTheCasesOwnPatience) {
  const case_definition definition{.arrangement = "a/b", .clauses = {}, .time_limit = 1s};
  time_limits limits;
  EXPECT_GE(limits.of(definition), 2 * limits.limits.patience());
}

TEST(Limits, TheUsersWordCounts) {
  const case_definition definition{.arrangement = "a/b", .clauses = {}};
  time_limits limits;
  limits.timeout = 1500ms;
  EXPECT_EQ(limits.of(definition), 1500ms);
  EXPECT_GE(limits.of_start(), 60s);
}

}  // namespace
}  // namespace streamcts::runner
