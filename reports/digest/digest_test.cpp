// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/digest/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace streamcts::reports {
namespace {

using results::clause_strength;
using results::verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

results::clause clause(std::string id, clause_strength strength = clause_strength::guarantee) {
  results::clause made;
  made.id = std::move(id);
  made.statement = "It holds.";
  made.strength = strength;
  return made;
}

results::case_record record(std::string id, std::vector<std::string> clauses, verdict how,
                            std::string reason = {}) {
  results::case_record made;
  made.id = std::move(id);
  made.clauses = std::move(clauses);
  made.verdict = how;
  made.reason = std::move(reason);
  return made;
}

class digests : public testing::Test {
 protected:
  digests() { run_.info.finished = "now"; }

  digest make() { return make_digest(run_, catalogue_); }
  clause_row row(const digest& all, std::string_view id) {
    const auto found = std::find_if(all.clauses.begin(), all.clauses.end(),
                                    [&](const clause_row& each) { return each.id == id; });
    return found == all.clauses.end() ? clause_row{} : *found;
  }
  void plan_all() {
    for (const auto& each : run_.records) run_.planned.push_back({each.id, each.clauses, ""});
  }

  results::clause_catalogue catalogue_{
      {clause("A"), clause("B"), clause("C"), clause("P", clause_strength::permission)}};
  results::run run_;
};

TEST_F(digests, a_failure_breaks_the_clause_it_names_only) {
  run_.records = {record("f/1", {"A", "B"}, verdict::fail)};
  run_.records[0].failure.emplace().clause = "A";
  const digest all = make();
  EXPECT_EQ(row(all, "A").state, clause_state::broken);
  EXPECT_EQ(row(all, "B").state, clause_state::inconclusive);
  EXPECT_EQ(row(all, "B").reason, "its cases broke on another clause");
  EXPECT_EQ(row(all, "C").state, clause_state::no_case);
  EXPECT_EQ(all.broken_promises, 1u);
}

TEST_F(digests, a_failure_may_name_a_clause_that_its_case_does_not_list) {
  run_.records = {record("f/1", {"A"}, verdict::fail)};
  run_.records[0].failure.emplace().clause = "X";
  const digest all = make();
  EXPECT_EQ(row(all, "X").state, clause_state::broken);
  EXPECT_EQ(row(all, "X").clause, nullptr);
  EXPECT_EQ(row(all, "A").state, clause_state::inconclusive);
}

TEST_F(digests, a_crash_puts_all_its_clauses_in_doubt) {
  run_.records = {record("f/1", {"A", "B"}, verdict::crash)};
  EXPECT_EQ(make().broken_promises, 2u);
}

TEST_F(digests, states_and_reasons) {
  const auto state_after = [&](std::vector<results::case_record> records) {
    run_.records = std::move(records);
    const digest all = make();
    return std::pair(row(all, "A").state, row(all, "A").reason);
  };
  using outcome = std::pair<clause_state, std::string>;
  EXPECT_EQ(state_after({record("1", {"A"}, verdict::pass), record("2", {"A"}, verdict::skipped)}),
            outcome(clause_state::held, ""));
  EXPECT_EQ(state_after({record("1", {"A"}, verdict::error, "e")}),
            outcome(clause_state::error, "e"));
  EXPECT_EQ(
      state_after({record("1", {"A"}, verdict::waived, "w"), record("2", {"A"}, verdict::pass)}),
      outcome(clause_state::waived, "w"));
  EXPECT_EQ(state_after({record("1", {"A"}, verdict::inconclusive, "i"),
                         record("2", {"A"}, verdict::not_supported, "n")}),
            outcome(clause_state::inconclusive, "i"));
  EXPECT_EQ(state_after({record("1", {"A"}, verdict::not_supported, "n"),
                         record("2", {"A"}, verdict::skipped, "s")}),
            outcome(clause_state::not_supported, "n"));
  EXPECT_EQ(state_after({record("1", {"A"}, verdict::skipped, "s")}),
            outcome(clause_state::skipped, "s"));
  run_.planned = {{"9", {"A"}, ""}};
  EXPECT_EQ(state_after({}), outcome(clause_state::not_reached, "the run ended before its cases"));
  EXPECT_EQ(row(make(), "A").not_reached, 1u);
  run_.planned.clear();
  EXPECT_EQ(state_after({}), outcome(clause_state::no_case, "no case of this run speaks of it"));
  run_.info.uncovered_clauses["A"] = "only in stress";
  EXPECT_EQ(state_after({}), outcome(clause_state::no_case, "only in stress"));
}

TEST_F(digests, what_is_not_judged_comes_last) {
  const digest all = make();
  EXPECT_EQ(all.clauses.back().id, "P");
  EXPECT_EQ(all.clauses.back().state, clause_state::not_judged);
  EXPECT_EQ(all.clauses.back().reason, "permission: not judged");
}

TEST_F(digests, opportunities_are_those_of_the_clause) {
  run_.records = {record("1", {"A", "B", "C"}, verdict::pass), record("2", {"A"}, verdict::pass)};
  run_.records[0].opportunities = {10, 20};
  run_.records[0].opportunities_by_clause = {{"A", {1, 2}}, {"B", {9, 18}}};
  run_.records[1].opportunities = {3, 0};
  const digest all = make();
  EXPECT_EQ(row(all, "A").opportunities, (results::opportunities{4, 2}));
  EXPECT_EQ(row(all, "B").opportunities, (results::opportunities{9, 18}));
  EXPECT_EQ(row(all, "C").opportunities, (results::opportunities{0, 0}));
}

TEST_F(digests, sentences) {
  run_.info.device.name = "a GPU";
  run_.records = {record("1", {"A"}, verdict::pass), record("2", {"B"}, verdict::not_supported)};
  EXPECT_EQ(make().sentence, "1 promise held and none was broken on a GPU");
  EXPECT_EQ(make().promises, "Other promises: 2 without a verdict.");
  EXPECT_EQ(make().detail, "1 of 2 cases passed; 1 not supported here.");

  run_.records.push_back(record("3", {"C"}, verdict::error));
  EXPECT_EQ(make().sentence, "No verdict on a GPU: the suite itself failed");
  run_.records.push_back(record("4", {"B"}, verdict::hang));
  EXPECT_EQ(make().sentence, "1 promise broken on a GPU");
  EXPECT_EQ(make().promises, "Other promises: 1 held, 1 without a verdict.");

  run_.records = {record("1", {"A"}, verdict::pass)};
  run_.planned = {{"1", {"A"}, ""}, {"2", {"B"}, ""}};
  EXPECT_EQ(make().sentence, "No verdict on a GPU: the run did not reach its end");
  run_.records.clear();
  run_.info.device.name.clear();
  EXPECT_EQ(make().sentence, "No verdict: nothing passed");
  EXPECT_EQ(make().detail, "0 of 2 cases passed; 2 not reached.");
}

TEST_F(digests, waived_promises_are_told) {
  run_.records = {record("1", {"A"}, verdict::pass), record("2", {"B"}, verdict::waived)};
  EXPECT_THAT(make().promises, HasSubstr("1 waived"));
}

TEST_F(digests, what_could_not_be_tried_is_grouped_by_reason) {
  run_.records = {record("1", {}, verdict::skipped, "x"),
                  record("2", {}, verdict::not_supported, "y"),
                  record("3", {}, verdict::not_supported, "y"),
                  record("4", {}, verdict::inconclusive), record("5", {}, verdict::pass)};
  const digest all = make();
  ASSERT_EQ(all.untried.size(), 3u);
  EXPECT_EQ(all.untried[0].reason, "y");
  EXPECT_EQ(all.untried[0].cases.size(), 2u);
  EXPECT_EQ(all.untried[1].reason, "no reason given");
  EXPECT_EQ(all.untried[2].cases[0]->id, "1");
}

TEST_F(digests, warnings) {
  EXPECT_THAT(make().warnings, IsEmpty());
  run_.info.finished.clear();
  EXPECT_THAT(make().warnings, ElementsAre(HasSubstr("did not come to its end")));
  run_.info.interrupted = "SIGINT";
  run_.info.environment.variables = {{"STREAMCTS_FAULT", "f"}, {"LD_PRELOAD", ""}};
  run_.damages = {{"plan.json", 0, "missing"}, {"cases.jsonl", 3, "torn"}};
  EXPECT_THAT(make().warnings,
              ElementsAre("The run was interrupted (SIGINT).", HasSubstr("STREAMCTS_FAULT=f"),
                          "plan.json: missing.", "cases.jsonl, line 3: torn."));
}

TEST_F(digests, the_reference_is_told) {
  EXPECT_FALSE(make().reference);
  run_.info.device.name = "streamcts reference device";
  EXPECT_TRUE(make().reference);
}

TEST(words, durations) {
  EXPECT_EQ(duration_text(0), "under 1 ms");
  EXPECT_EQ(duration_text(0.012), "12 ms");
  EXPECT_EQ(duration_text(0.9996), "1.0 s");
  EXPECT_EQ(duration_text(12.34), "12.3 s");
  EXPECT_EQ(duration_text(99.96), "1 min 40 s");
  EXPECT_EQ(duration_text(245), "4 min 05 s");
  EXPECT_EQ(duration_text(-1), "unknown");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "unknown");
}

TEST(words, counts_families_sources_states) {
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(0, "case"), "0 cases");
  EXPECT_EQ(counted(2, "entry", "entries"), "2 entries");
  EXPECT_EQ(family_of("a/b/c"), "a");
  EXPECT_EQ(family_of("abc"), "abc");
  results::clause from;
  EXPECT_EQ(source_text(from), "");
  from.source_locator = "L";
  EXPECT_EQ(source_text(from), "L");
  from.source_document = "D";
  EXPECT_EQ(source_text(from), "D, L");
  EXPECT_EQ(to_string(clause_state::not_judged), "not judged");
  EXPECT_EQ(to_string(clause_state::skipped), "skipped");
  EXPECT_EQ(to_string(clause_state::error), "error");
}

}  // namespace
}  // namespace streamcts::reports
