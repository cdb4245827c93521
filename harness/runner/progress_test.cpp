// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/runner/calibrate.h"
#include "harness/runner/host_facts.h"

namespace streamcts::runner {
namespace {

using results::verdict;
using testing::HasSubstr;

results::case_record record(verdict how) {
  results::case_record made;
  made.id = "a/1";
  made.verdict = how;
  made.reason = "line\nbreak";
  return made;
}

/// What @p act prints on a stream that is no terminal.
template <typename Act>
std::string printed(progress_mode mode, Act act) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* stream = ::open_memstream(&text, &size);
  {
    progress shown(stream, mode);
    act(shown);
  }
  std::fclose(stream);
  std::string all(text, size);
  std::free(text);
  return all;
}

TEST(Progress, ShowsRedAtOnceAndOnOneLine) {
  const std::string text = printed(progress_mode::never, [](progress& shown) {
    shown.begin(2);
    shown.record(record(verdict::pass));
    shown.record(record(verdict::crash));
    shown.tick();
  });
  EXPECT_EQ(text, "Crash  a/1: line\\nbreak\n");
}

TEST(Progress, ShowsWhatARetestFound) {
  results::case_record again = record(verdict::fail);
  again.incidence = results::incidence{3, 11, ""};
  const std::string text =
      printed(progress_mode::automatic, [&](progress& shown) { shown.record(again); });
  EXPECT_THAT(text, HasSubstr("failed 3 of 11"));
  again.verdict = verdict::inconclusive;
  EXPECT_THAT(printed(progress_mode::automatic, [&](progress& shown) { shown.record(again); }),
              HasSubstr("now Inconclusive"));
}

TEST(Progress, TellsAFailureInWords) {
  results::case_record failed = record(verdict::fail);
  failed.failure.emplace();
  failed.failure->clause = "CB-ORDER-001";
  failed.failure->kind = results::failure_kind::stale;
  failed.failure->expected = "epoch 2";
  failed.failure->seen = std::string(900, 'x');
  const std::string line = red_line(failed);
  EXPECT_THAT(line, HasSubstr("CB-ORDER-001 stale: expected epoch 2, seen xxx"));
  EXPECT_LT(line.size(), 450u);
}

TEST(Quantile, TakesRanks) {
  using std::chrono::nanoseconds;
  std::vector<nanoseconds> values;
  for (int i = 1; i <= 1000; ++i) values.emplace_back(1001 - i);
  EXPECT_EQ(quantile(values, 0.5), nanoseconds(500));
  EXPECT_EQ(quantile(values, 0.999), nanoseconds(999));
  EXPECT_EQ(quantile(values, 1), nanoseconds(1000));
  EXPECT_EQ(quantile({nanoseconds(7)}, 0.5), nanoseconds(7));
  EXPECT_EQ(quantile({nanoseconds(7), nanoseconds(9)}, 0), nanoseconds(7));
}

TEST(HostFacts, KnowsThisMachine) {
  const results::environment_info info = read_environment();
  EXPECT_FALSE(info.kernel.empty());
  EXPECT_GE(info.cores, 1u);
  EXPECT_THAT(utc_now(), testing::MatchesRegex("....-..-..T..:..:..Z"));
  EXPECT_THAT(utc_stamp(), testing::MatchesRegex("........T......Z"));
}

}  // namespace
}  // namespace streamcts::runner
