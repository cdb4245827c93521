// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/axes.h"

#include <gmock/gmock.h>

#include <set>

namespace streamcts {
namespace {

enum class colour { red, green, blue };
std::string_view name(colour value) {
  constexpr std::string_view names[] = {"red", "green", "blue"};
  return names[static_cast<int>(value)];
}
enum class size { small, large };
std::string_view name(size value) { return value == size::small ? "small" : "large"; }
enum class shape { round, square, flat };
std::string_view name(shape value) {
  constexpr std::string_view names[] = {"round", "square", "flat"};
  return names[static_cast<int>(value)];
}

const std::vector<axis> three_axes = {
    make_axis<colour>("colour", {colour::red, colour::green, colour::blue}),
    make_axis<size>("size", {size::small, size::large}),
    make_axis<shape>("shape", {shape::round, shape::square, {shape::flat, tier::stress}})};

TEST(Expand, MakesTheWholeProduct) { EXPECT_EQ(expand(three_axes).size(), 18u); }

TEST(Expand, CoversEveryPairInQuick) {
  std::set<std::pair<std::string, std::string>> pairs;
  std::size_t quick = 0;
  for (const combination& each : expand(three_axes)) {
    if (each.from != tier::quick) continue;
    ++quick;
    for (const auto& a : each.values.entries()) {
      for (const auto& b : each.values.entries()) pairs.emplace(a.name, b.name);
    }
  }
  for (const char* a : {"red", "green", "blue"}) {
    for (const char* b : {"small", "large", "round", "square"}) EXPECT_TRUE(pairs.count({a, b}));
  }
  EXPECT_LT(quick, 12u);
}

TEST(Expand, PutsCombinationsIntoTheTierOfTheirLatestValue) {
  for (const combination& each : expand(three_axes)) {
    const bool flat = each.values.get<shape>("shape") == shape::flat;
    EXPECT_EQ(each.from == tier::stress, flat);
  }
}

TEST(Expand, LeavesOutWhatMakesNoSense) {
  const auto all = expand(three_axes, [](const parameters& values) {
    return values.get<colour>("colour") != colour::blue;
  });
  EXPECT_EQ(all.size(), 12u);
}

TEST(Expand, KeepsASingleAxisAndNoAxisInQuick) {
  for (const combination& each : expand({three_axes[0]})) EXPECT_EQ(each.from, tier::quick);
  const auto plain = expand({});
  ASSERT_EQ(plain.size(), 1u);
  EXPECT_EQ(plain[0].from, tier::quick);
  EXPECT_EQ(plain[0].values.id(), "");
}

TEST(Expand, IsTheSameEveryTime) {
  const auto one = expand(three_axes);
  const auto two = expand(three_axes);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].values.id(), two[i].values.id());
    EXPECT_EQ(one[i].from, two[i].from);
  }
}

TEST(Parameters, RefuseAnAxisThatIsNotThere) {
  const auto all = expand({three_axes[0]});
  EXPECT_TRUE(all[0].values.has("colour"));
  EXPECT_FALSE(all[0].values.has("size"));
  EXPECT_THROW(all[0].values.get<size>("size"), std::logic_error);
}

TEST(Tier, IsParsedByName) {
  for (const tier each : {tier::quick, tier::standard, tier::stress}) {
    EXPECT_EQ(parse_tier(name(each)), each);
  }
  EXPECT_THROW(parse_tier("slow"), std::invalid_argument);
}

}  // namespace
}  // namespace streamcts
