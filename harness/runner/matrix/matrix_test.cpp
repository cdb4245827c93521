// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

// The catalogue, the order of cases, the files of hits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/runner/errors.h"
#include "harness/runner/matrix/case_order.h"
#include "harness/runner/matrix/catalogue.h"
#include "harness/runner/matrix/hits_file.h"
#include "harness/runner/matrix/matrix_run.h"
#include "harness/runner/test_cases.h"

namespace streamcts::runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view two_faults = R"([
  {"id": "one", "class": "A", "clauses": ["X-1"], "sentence": "s", "carriers": ["reference"],
   "benign": false, "analogue": "there", "witness": "w", "needs": ["memop"]},
  {"id": "legal_two", "class": "B", "clauses": ["X-2"], "sentence": "s", "carriers": ["system"],
   "benign": true}
])";

TEST(Catalogue, IsRead) {
  const auto all = parse_catalogue(two_faults, "c.json");
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].analogue, "there");
  EXPECT_THAT(all[0].needs, ElementsAre("memop"));
  EXPECT_TRUE(all[1].benign);
}

TEST(Catalogue, SaysWhatIsWrong) {
  const auto message = [](std::string_view text) {
    try {
      parse_catalogue(text, "c.json");
    } catch (const usage_error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_THAT(message("{}"), HasSubstr("c.json"));
  EXPECT_THAT(message("[{]"), HasSubstr("c.json"));
  EXPECT_THAT(message(R"([{"id": "one"}])"), HasSubstr("fault 1"));
  std::string twice(two_faults);
  twice.replace(twice.find("legal_two"), 9, "one");
  EXPECT_THAT(message(twice), HasSubstr("twice"));
}

TEST(Catalogue, IsSelectedFrom) {
  const auto all = parse_catalogue(two_faults, "c.json");
  EXPECT_EQ(select_faults(all, {}).size(), 2u);
  EXPECT_EQ(select_faults(all, {{"legal_*"}, {}}).at(0).id, "legal_two");
  EXPECT_EQ(select_faults(all, {{"one", "legal_*"}, {"A"}}).at(0).id, "one");
  EXPECT_EQ(select_faults(all, {{}, {}, 1}).size(), 1u) << "no legal oddity";
  EXPECT_THROW(select_faults(all, {{}, {"B"}, 1}), usage_error);
  EXPECT_THROW(select_faults(all, {{"three"}, {}}), usage_error);
  EXPECT_THROW(select_faults(all, {{}, {"Z"}}), usage_error);
  EXPECT_THROW(select_faults(all, {{"one"}, {"B"}}), usage_error);
}

TEST(Catalogue, IsSpreadOverEachClass) {
  std::vector<fault> all(7);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].id = std::string(1, static_cast<char>('a' + i));
    all[i].fault_class = i < 6 ? "A" : "B";
  }
  std::vector<std::string> ids;
  for (const fault& each : select_faults(all, {{}, {}, 2})) ids.push_back(each.id);
  EXPECT_THAT(ids, ElementsAre("a", "d", "g"));
}

TEST(Holds, HaveNames) {
  for (const hold_kind each :
       {hold_kind::gates, hold_kind::none, hold_kind::equal, hold_kind::random}) {
    EXPECT_EQ(hold_kind_from(name(each)), each);
  }
  EXPECT_EQ(hold_kind_from("sleep"), std::nullopt);
}

/// Cases of two arrangements in family f with the clause X-1, and others.
class CaseOrder : public testing::Test {
 protected:
  timed_case make(const std::string& id, const char* arrangement, const char* clause,
                  double seconds, isolation where = isolation::batched) {
    case_instance& made = cases_.add(id, tier::quick, where, {clause_id{clause}});
    definitions_.push_back(case_definition{.arrangement = arrangement, .clauses = {}});
    made.definition = &definitions_.back();
    return {&made, seconds};
  }
  static std::vector<std::string> ids(const std::vector<const case_instance*>& of) {
    std::vector<std::string> made;
    for (const case_instance* each : of) made.push_back(each->id);
    return made;
  }
  test_cases cases_;
  std::deque<case_definition> definitions_;
  std::vector<timed_case> usable_{make("f/a/slow", "f/a", "X-1", 3),
                                  make("f/a/quick", "f/a", "X-1", 1),
                                  make("f/b/own", "f/b", "X-1", 0.1, isolation::own_process),
                                  make("f/c/x", "f/c", "X-1", 2),
                                  make("f/d/other", "f/d", "Y-1", 0.1),
                                  make("g/e/far", "g/e", "Y-1", 0.1),
                                  make("g/e/slow", "g/e", "Y-1", 0.2)};
};

TEST_F(CaseOrder, PutsCasesOfTheClauseFirst) {
  fault of;
  of.clauses = {"X-1"};
  const case_queue queue = order_cases(of, usable_);
  EXPECT_EQ(queue.own, 4u);
  EXPECT_THAT(ids(queue.cases), ElementsAre("f/a/quick", "f/c/x", "f/a/slow", "f/b/own",
                                            "f/d/other", "g/e/far", "g/e/slow"));
}

TEST_F(CaseOrder, PutsCasesOfManyClausesBehindItsOwn) {
  timed_case program = make("p/random", "p/random", "X-1", 0.01);
  const_cast<case_instance*>(program.instance)->clauses.resize(33, clause_id{"X-1"});
  usable_.push_back(program);
  fault of;
  of.clauses = {"X-1"};
  const case_queue queue = order_cases(of, usable_);
  EXPECT_EQ(queue.own, 5u);
  EXPECT_EQ(queue.cases.at(4)->id, "p/random");
}

TEST_F(CaseOrder, KnowsWhichClausesAreRedByThemselves) {
  fault of;
  of.clauses = {"X-1", "X-2"};
  EXPECT_THAT(masked_clauses(of, {"X-2", "Y-1"}), ElementsAre("X-2"));
  EXPECT_THAT(masked_clauses(of, {}), ElementsAre());
}

TEST_F(CaseOrder, TakesAllWhereNoneCarriesTheClause) {
  fault of;
  of.clauses = {"Z-1"};
  const case_queue queue = order_cases(of, usable_);
  EXPECT_EQ(queue.own, 0u);
  EXPECT_EQ(queue.cases.size(), usable_.size());
}

TEST_F(CaseOrder, CoversEveryArrangement) {
  fault of;
  of.clauses = {"X-1"};
  const auto cover = cover_of(of, usable_);
  EXPECT_EQ(cover.size(), 6u);  // all but the slower one of g/e
  of.clauses = {"Y-1"};
  EXPECT_EQ(cover_of(of, usable_).size(), 6u);  // all but the slower one of f/a
}

TEST(HitsFile, IsReadAsItIsCounted) {
  const std::filesystem::path path = testing::TempDir() + "hits_test";
  {
    const hits_file file(path);
    EXPECT_EQ(file.count(), 0u);
    const std::uint64_t count = 12;
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&count), 8);
    EXPECT_EQ(file.count(), 12u);
    std::filesystem::resize_file(path, 3);
    EXPECT_EQ(file.count(), 0u);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(hits_file("/proc/no/such/place"), machine_error);
}

}  // namespace
}  // namespace streamcts::runner
