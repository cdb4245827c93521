// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/verdict.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "reports/results/record.h"

namespace streamcts::results {
namespace {

verdict_counts counts_of(std::initializer_list<verdict> verdicts) {
  verdict_counts counts;
  for (const verdict each : verdicts) counts.add(each);
  return counts;
}

TEST(verdict, names_are_read_back) {
  for (const verdict each : all_verdicts) EXPECT_EQ(verdict_from_string(to_string(each)), each);
  EXPECT_EQ(verdict_from_string("pass"), std::nullopt);
  EXPECT_EQ(verdict_from_string(""), std::nullopt);
}

TEST(verdict, worse_never_makes_a_pass_of_something_else) {
  for (const verdict a : all_verdicts) {
    for (const verdict b : all_verdicts) {
      const verdict sum = worse(a, b);
      EXPECT_EQ(sum, worse(b, a));
      EXPECT_TRUE(sum == a || sum == b);
      if (sum == verdict::pass) {
        EXPECT_EQ(a, verdict::pass);
        EXPECT_EQ(b, verdict::pass);
      }
      EXPECT_EQ(is_red(sum), is_red(a) || is_red(b));
    }
  }
  EXPECT_EQ(worse(verdict::inconclusive, verdict::error), verdict::error);
}

TEST(verdict, counts) {
  const verdict_counts counts =
      counts_of({verdict::pass, verdict::pass, verdict::hang, verdict::crash, verdict::skipped});
  EXPECT_EQ(counts.total(), 5u);
  EXPECT_EQ(counts.red(), 2u);
  EXPECT_EQ(counts[verdict::pass], 2u);
}

TEST(verdict, exit_codes) {
  EXPECT_EQ(exit_code(counts_of({verdict::pass}), 0), exit_held);
  EXPECT_EQ(exit_code(counts_of({verdict::pass, verdict::not_supported, verdict::inconclusive,
                                 verdict::skipped, verdict::waived}),
                      0),
            exit_held);
  for (const verdict red : {verdict::fail, verdict::hang, verdict::crash}) {
    EXPECT_EQ(exit_code(counts_of({verdict::pass, verdict::error, red}), 3), exit_broken);
  }
  EXPECT_EQ(exit_code(counts_of({verdict::pass, verdict::error}), 0), exit_no_verdict);
  EXPECT_EQ(exit_code(counts_of({verdict::pass}), 1), exit_no_verdict);
  EXPECT_EQ(exit_code({}, 0), exit_no_verdict);
  EXPECT_EQ(exit_code(counts_of({verdict::inconclusive, verdict::waived}), 0), exit_no_verdict);
}

TEST(record, names_are_read_back) {
  for (int i = 0; i <= static_cast<int>(failure_kind::other); ++i) {
    const auto kind = static_cast<failure_kind>(i);
    EXPECT_EQ(failure_kind_from_string(to_string(kind)), kind);
  }
  for (int i = 0; i <= static_cast<int>(event_phase::mark); ++i) {
    const auto phase = static_cast<event_phase>(i);
    EXPECT_EQ(event_phase_from_string(to_string(phase)), phase);
  }
  EXPECT_EQ(to_string(failure_kind::progress), "progress");
  EXPECT_EQ(to_string(failure_kind::overlap), "overlap");
  EXPECT_EQ(failure_kind_from_string("Early"), std::nullopt);
  EXPECT_EQ(event_phase_from_string("middle"), std::nullopt);
}

TEST(record, incidence_in_words) {
  EXPECT_EQ(incidence_text({4, 11, ""}), "failed 4 of 11");
  EXPECT_EQ(incidence_text({0, 10, "only after a/b/c"}), "failed 0 of 10, only after a/b/c");
  EXPECT_EQ(incidence_text({0, 0, "not retested"}), "not retested");
}

}  // namespace
}  // namespace streamcts::results
