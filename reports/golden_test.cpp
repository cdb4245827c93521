// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Reports of the run folders under testdata/, compared byte for byte with what is checked in beside
// them. STREAMCTS_UPDATE_GOLDEN=1 writes them anew; look at the difference before it is committed.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "reports/digest/digest.h"
#include "reports/html/html_report.h"
#include "reports/junit/junit_report.h"
#include "reports/markdown/markdown_report.h"
#include "reports/results/clauses.h"
#include "reports/results/folder.h"

namespace streamcts::reports {
namespace {

namespace fs = std::filesystem;

const fs::path testdata = STREAMCTS_REPORTS_TESTDATA;

// The first line that differs, so that a failure can be read.
testing::AssertionResult same_text(std::string_view expected, std::string_view actual) {
  if (expected == actual) return testing::AssertionSuccess();
  std::size_t number = 1;
  while (!expected.empty() || !actual.empty()) {
    const std::string_view want = expected.substr(0, expected.find('\n'));
    const std::string_view got = actual.substr(0, actual.find('\n'));
    if (want != got) {
      return testing::AssertionFailure() << "line " << number << "\nexpected: " << want
                                         << "\n  actual: " << got;
    }
    expected.remove_prefix(std::min(expected.size(), want.size() + 1));
    actual.remove_prefix(std::min(actual.size(), got.size() + 1));
    ++number;
  }
  return testing::AssertionFailure() << "they differ in their last line feed";
}

void check(const fs::path& expected, const std::string& actual) {
  const char* const update = std::getenv("STREAMCTS_UPDATE_GOLDEN");
  if (update != nullptr && std::string_view(update) == "1") {
    fs::create_directories(expected.parent_path());
    results::write_file_atomically(expected, actual);
  }
  EXPECT_TRUE(same_text(results::read_file(expected), actual)) << expected.string();
}

class golden : public testing::TestWithParam<const char*> {};

TEST_P(golden, reports_are_as_checked_in) {
  const results::clause_catalogue catalogue = results::load_clauses(testdata / "clauses.json");
  const results::run run = results::load_run(testdata / GetParam());
  const digest all = make_digest(run, catalogue);
  const fs::path expected = testdata / (std::string(GetParam()) + ".expected");
  check(expected / results::run_file, results::run_text(run));
  check(expected / results::html_file, html_report(all));
  check(expected / results::junit_file, junit_report(all));
  check(expected / results::markdown_file, markdown_report(all));
}

INSTANTIATE_TEST_SUITE_P(runs, golden,
                         testing::Values("all_pass", "mixed", "killed", "torn", "hostile"),
                         [](const auto& run) { return std::string(run.param); });

}  // namespace
}  // namespace streamcts::reports
