// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/runner/errors.h"
#include "harness/runner/test_cases.h"

namespace streamcts::runner {
namespace {

TEST(Glob, MatchesStarsAndQuestionMarks) {
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_TRUE(glob_matches("a*c*e", "abcde"));
  EXPECT_TRUE(glob_matches("*ab", "aab"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_TRUE(glob_matches("ab**", "ab"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_FALSE(glob_matches("ab", "abc"));
  EXPECT_FALSE(glob_matches("*x", "abc"));
  EXPECT_FALSE(glob_matches("", "a"));
}

class Selection : public testing::Test {
 protected:
  Selection() {
    cases_.add("callback/order/one");
    cases_.add("callback/order/two", tier::standard);
    cases_.add("callbacks/other", tier::stress, isolation::batched, {clause_id{"JN-EVENT-001"}});
  }
  std::vector<std::string> ids(tier up_to, const std::vector<std::string>& filters) {
    const auto all = cases_.list();
    std::vector<std::string> made;
    for (const auto* each : select_cases(all, up_to, filters)) made.push_back(each->id);
    return made;
  }
  test_cases cases_;
};

TEST_F(Selection, ATierContainsThoseBefore) {
  EXPECT_EQ(ids(tier::quick, {}).size(), 1u);
  EXPECT_EQ(ids(tier::standard, {}).size(), 2u);
  EXPECT_EQ(ids(tier::stress, {}).size(), 3u);
}

TEST_F(Selection, FiltersByIdFamilyArrangementAndClause) {
  using testing::ElementsAre;
  EXPECT_THAT(ids(tier::stress, {"callback"}),
              ElementsAre("callback/order/one", "callback/order/two"));
  EXPECT_THAT(ids(tier::stress, {"callback/order"}).size(), 2u);
  EXPECT_THAT(ids(tier::stress, {"callback/order/t*"}), ElementsAre("callback/order/two"));
  EXPECT_THAT(ids(tier::stress, {"JN-EVENT-001"}), ElementsAre("callbacks/other"));
  EXPECT_THAT(ids(tier::stress, {"CB-*", "JN-*"}).size(), 3u);
  EXPECT_THAT(ids(tier::quick, {"callback/order/two"}), ElementsAre());
}

TEST_F(Selection, RefusesAFilterWithoutCases) {
  EXPECT_THROW(ids(tier::stress, {"callback", "hostfunc"}), usage_error);
  EXPECT_THROW(ids(tier::stress, {"EV-REC-001"}), usage_error);
}

TEST_F(Selection, KnowsTheLowestTier) {
  const auto all = cases_.list();
  EXPECT_EQ(lowest_tier(all, {}), tier::quick);
  EXPECT_EQ(lowest_tier(all, {"callback/order/two"}), tier::standard);
}

}  // namespace
}  // namespace streamcts::runner
