// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/markdown/markdown_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reports/results/example.h"

namespace streamcts::reports {
namespace {

using results::verdict;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class markdown : public testing::Test {
 protected:
  std::string make() { return markdown_report(make_digest(run_, catalogue_)); }

  results::clause_catalogue catalogue_;
  results::run run_;
};

TEST_F(markdown, starts_with_the_verdict) {
  run_ = results::example_run();
  const std::string text = make();
  EXPECT_THAT(text, StartsWith("# 1 promise broken on a GPU\n"));
  EXPECT_THAT(text, HasSubstr("| Fail | `callback/order/null.kernel` | failed 4 of 11, note | "
                              "`CUDA_VISIBLE_DEVICES=0 streamcts replay x` |"));
  EXPECT_THAT(text, HasSubstr("| `CB-ORDER-001` | not in the catalogue | 1 of 2 | epoch 1 |"));
  EXPECT_THAT(text, HasSubstr("| threads | one | **differs** |"));
  EXPECT_THAT(text, HasSubstr("| not reached | the run ended before | 1 |"));
}

TEST_F(markdown, nothing_of_a_text_is_read_as_markup) {
  results::case_record& made = run_.records.emplace_back();
  made.id = "a``b|c";
  made.verdict = verdict::fail;
  made.clauses = {"X"};
  made.failure.emplace().seen = "<img src=x> | `x` **b** [l](u) &amp; line\nline";
  const std::string text = make();
  EXPECT_THAT(text, HasSubstr("``` a``b\\|c ```"));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, HasSubstr("&lt;img src=x\\> \\| \\`x\\` \\*\\*b\\*\\* \\[l\\]\\(u\\) &amp;amp; "
                              "line\\\\nline"));
}

TEST_F(markdown, tables_and_warnings_without_end_are_cut) {
  const std::string long_text(2000, 'x');
  for (int i = 0; i < 3000; ++i) {
    results::case_record& made = run_.records.emplace_back();
    made.id = "a/" + std::to_string(i) + "ä" + long_text;
    made.verdict = i % 2 == 0 ? verdict::fail : verdict::skipped;
    made.reason = std::to_string(i) + long_text;
    made.clauses = {"X-" + std::to_string(i)};
    run_.damages.push_back({long_text, 1, long_text});
    run_.observations.emplace_back().name = long_text;
  }
  const std::string text = make();
  EXPECT_LE(text.size(), markdown_limit);
  EXPECT_THAT(text, HasSubstr("more warnings are in report.html"));
  EXPECT_THAT(text, HasSubstr("more; they are in report.html"));
  EXPECT_THAT(text, HasSubstr("What was tested"));
}

TEST_F(markdown, a_reference_run_says_so) {
  run_.info.device.name = "streamcts reference device";
  EXPECT_THAT(make(), HasSubstr("> **This ran on the reference driver."));
}

TEST_F(markdown, derived_clauses_and_tables_are_told) {
  results::clause known;
  known.id = "CB-ORDER-001";
  known.statement = "Callbacks wait.";
  known.derived = true;
  catalogue_ = results::clause_catalogue({known});
  run_ = results::example_run();
  run_.observations[0].value.clear();
  const std::string text = make();
  EXPECT_THAT(text, HasSubstr("Callbacks wait. \\(derived\\)"));
  EXPECT_THAT(text, HasSubstr("| threads | 2 rows |"));
}

}  // namespace
}  // namespace streamcts::reports
