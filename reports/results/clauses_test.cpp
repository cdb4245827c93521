// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/clauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "reports/results/error.h"

namespace streamcts::results {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* one = R"({"id": "A-1", "family": "a.b", "statement": "It holds.",
  "strength": "prohibition on the user", "source": {"doc": "D", "locator": "L; derived"},
  "api": ["cuX"], "needs": ["memop"], "isolation": "own-process", "unknown": 7})";

TEST(clauses, the_catalogue_of_the_suite_is_read) {
  const clause_catalogue catalogue = load_clauses(STREAMCTS_CLAUSES_FILE);
  EXPECT_GE(catalogue.clauses().size(), 200u);
  const clause* found = catalogue.find("CB-ORDER-001");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->family, "callback.ordering");
  EXPECT_EQ(found->strength, clause_strength::guarantee);
  EXPECT_FALSE(found->derived);
  EXPECT_TRUE(catalogue.find("ST-DEF-008")->derived);
  EXPECT_EQ(catalogue.find("CB-ORDER-000"), nullptr);
}

TEST(clauses, fields) {
  const clause_catalogue catalogue = parse_clauses(std::string("[") + one + "]", "here");
  const clause& read = catalogue.clauses().at(0);
  EXPECT_EQ(read.id, "A-1");
  EXPECT_EQ(read.statement, "It holds.");
  EXPECT_EQ(read.strength, clause_strength::prohibition);
  EXPECT_EQ(read.source_document, "D");
  EXPECT_EQ(read.source_locator, "L; derived");
  EXPECT_THAT(read.api, ElementsAre("cuX"));
  EXPECT_THAT(read.needs, ElementsAre("memop"));
  EXPECT_EQ(read.isolation, "own-process");
  EXPECT_TRUE(read.derived);
}

TEST(clauses, strengths_are_read_back) {
  for (const auto each : {clause_strength::guarantee, clause_strength::permission,
                          clause_strength::prohibition, clause_strength::undefined}) {
    EXPECT_EQ(clause_strength_from_string(to_string(each)), each);
  }
  EXPECT_EQ(clause_strength_from_string("promise"), std::nullopt);
}

TEST(clauses, errors_name_the_place) {
  EXPECT_THAT([] { parse_clauses("{}", "here"); },
              ThrowsMessage<results_error>(HasSubstr("here: no array of clauses")));
  EXPECT_THAT([] { parse_clauses("[7]", "here"); },
              ThrowsMessage<results_error>(AllOf(HasSubstr("here: [0]"), HasSubstr("an object"))));
  EXPECT_THAT([] { parse_clauses(R"([{"id": "A"}])", "here"); },
              ThrowsMessage<results_error>(HasSubstr("[0].family is missing")));
  EXPECT_THAT(
      [] {
        parse_clauses(R"([{"id": "A", "family": "f", "statement": "s", "strength": "vow"}])",
                      "here");
      },
      ThrowsMessage<results_error>(HasSubstr("[0].strength is \"vow\"")));
  EXPECT_THAT([] { parse_clauses(std::string("[") + one + "," + one + "]", "here"); },
              ThrowsMessage<results_error>(HasSubstr("here: clause A-1 occurs twice")));
  EXPECT_THAT([] { load_clauses("/no/such/file"); },
              ThrowsMessage<results_error>(HasSubstr("cannot read /no/such/file")));
}

}  // namespace
}  // namespace streamcts::results
