// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/registry.h"

#include <gmock/gmock.h>

namespace streamcts {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr clause_id order{"CB-ORDER-001"};
constexpr clause_id block{"CB-BLOCK-001"};

enum class letter { a, b };
std::string_view name(letter value) { return value == letter::a ? "a" : "b"; }

void body(case_context&) {}

std::vector<case_instance> made(const case_definition& definition) {
  return instances_of(definition, &body, "some_cases.cpp", 7);
}

std::string message_of(const case_definition& definition) {
  try {
    made(definition);
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(Instances, AreNamedByTheirParameters) {
  const case_definition definition{.arrangement = "family/thing",
                                   .clauses = {order},
                                   .axes = {make_axis<letter>("letter", {letter::a, letter::b})}};
  const auto all = made(definition);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].id, "family/thing/a");
  EXPECT_EQ(all[1].id, "family/thing/b");
  EXPECT_EQ(all[0].family(), "family");
  EXPECT_EQ(made({.arrangement = "family/plain", .clauses = {order}})[0].id, "family/plain");
}

TEST(Instances, OfACaseThatObservesHaveNoClause) {
  EXPECT_TRUE(made({.arrangement = "family/fact", .clauses = {}, .observes = true})[0]
                  .clauses.empty());
  EXPECT_THAT(message_of({.arrangement = "family/fact", .clauses = {order}, .observes = true}),
              HasSubstr("observes, and names a clause"));
}

TEST(Instances, HaveTheClausesAndNeedsOfTheirCombination) {
  const case_definition definition{
      .arrangement = "family/thing",
      .clauses = {order, block},
      .clauses_of = [](const parameters& values) -> std::vector<clause_id> {
        return {values.get<letter>("letter") == letter::a ? order : block};
      },
      .axes = {make_axis<letter>("letter", {letter::a, letter::b})},
      .from = tier::standard,
      .needs = {need::mapped_memory},
      .needs_of = [](const parameters& values) -> std::vector<need> {
        if (values.get<letter>("letter") == letter::a) return {};
        return {need::value_wait, need::mapped_memory};
      }};
  const auto all = made(definition);
  EXPECT_EQ(all[0].clauses, std::vector{order});
  EXPECT_EQ(all[1].clauses, std::vector{block});
  EXPECT_EQ(all[0].needs, std::vector{need::mapped_memory});
  EXPECT_EQ(all[1].needs, (std::vector{need::mapped_memory, need::value_wait}));
  EXPECT_EQ(all[0].from, tier::standard);
}

TEST(Instances, RefuseABrokenDefinition) {
  EXPECT_THAT(message_of({.arrangement = "family/Thing", .clauses = {order}}),
              HasSubstr("some_cases.cpp:7"));
  EXPECT_THAT(message_of({.arrangement = "thing", .clauses = {order}}), HasSubstr("family/"));
  EXPECT_THAT(message_of({.arrangement = "family/thing", .clauses = {}}),
              HasSubstr("names no clause"));
  EXPECT_THAT(message_of({.arrangement = "family/thing",
                          .clauses = {order},
                          .clauses_of = [](const parameters&) { return std::vector{block}; }}),
              HasSubstr("judges CB-BLOCK-001"));
  EXPECT_THAT(message_of({.arrangement = "family/thing",
                          .clauses = {order},
                          .clauses_of =
                              [](const parameters&) { return std::vector<clause_id>{}; }}),
              HasSubstr("has no clause"));
}

TEST(Instances, AreSortedAndUnique) {
  const case_definition b{.arrangement = "family/b", .clauses = {order}};
  const case_definition a{.arrangement = "family/a", .clauses = {order}};
  auto all = made(b);
  all.push_back(made(a).front());
  EXPECT_EQ(sorted(all).front().id, "family/a");
  all.push_back(made(a).front());
  EXPECT_THROW(sorted(all), std::logic_error);
}

TEST(Needs, AreMissingByAttributeAndValue) {
  driver::capabilities none;
  for (const need each :
       {need::mapped_memory, need::managed_memory, need::registered_memory, need::device_gate,
        need::host_gate, need::value_wait, need::stream_priorities, need::stream_ids,
        need::ipc_events}) {
    const auto lacking = missing(each, none);
    ASSERT_TRUE(lacking) << name(each);
    EXPECT_THAT(*lacking, HasSubstr(" = "));
    EXPECT_NE(name(each), "unknown");
  }
  driver::capabilities some;
  some.of(driver::feature::mapped).works = true;
  some.driver_version = 12000;
  some.attributes["ipc_event_supported"] = 1;
  for (const need each : {need::mapped_memory, need::stream_ids, need::ipc_events,
                          need::two_contexts, need::faults}) {
    EXPECT_EQ(missing(each, some), std::nullopt) << name(each);
  }
  some.attributes["mps_enabled"] = 1;
  EXPECT_EQ(missing(need::faults, some), "mps_enabled = 1");
}

}  // namespace
}  // namespace streamcts
