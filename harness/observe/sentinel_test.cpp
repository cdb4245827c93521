// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/sentinel.h"

#include <gtest/gtest.h>

#include <vector>

namespace streamcts {
namespace {

const kernels::pattern now = kernels::ramp(2);
const kernels::pattern before = kernels::ramp(1);

std::vector<std::uint64_t> filled(std::size_t words) {
  std::vector<std::uint64_t> made(words);
  fill_with_pattern(made, now);
  return made;
}

TEST(Pattern, NeverProducesTheSentinel) {
  for (std::uint64_t epoch = 0; epoch < 1000; ++epoch) {
    EXPECT_EQ(kernels::ramp(epoch).base % 2, 1u);
    EXPECT_EQ(kernels::ramp(epoch).step % 2, 0u);
    EXPECT_EQ(kernels::uniform(epoch).base % 2, 1u);
  }
  EXPECT_EQ(kernels::sentinel % 2, 0u);
}

TEST(Pattern, EpochsDifferInEveryWord) {
  for (std::uint64_t index = 0; index < 1000; ++index) EXPECT_NE(now.word(index), before.word(index));
  EXPECT_NE(kernels::uniform(1).base, kernels::uniform(2).base);
}

TEST(Look, AcceptsThePatternAtEverySize) {
  for (std::size_t words : {0u, 1u, 7u, 8u, 9u, 511u, 512u, 513u, 8192u, 8195u}) {
    const sighting seen = look(filled(words), now, before);
    EXPECT_TRUE(seen.good()) << words;
    EXPECT_EQ(seen.words, words);
  }
}

TEST(Look, FindsAWrongWordWhereverItIs) {
  for (std::size_t words : {1u, 9u, 513u, 2048u, 2051u}) {
    for (std::size_t at = 0; at < words; at += 1 + words / 97) {
      auto data = filled(words);
      data[at] ^= 1ull << 63;
      const sighting seen = look(data, now, before);
      EXPECT_EQ(seen.mismatches, 1u);
      EXPECT_EQ(seen.first_index, at);
      EXPECT_EQ(seen.first_expected, now.word(at));
      EXPECT_EQ(seen.first_seen, data[at]);
      EXPECT_EQ(seen.first_origin, word_origin::foreign);
    }
  }
}

TEST(Look, TellsTheSentinelAndThePreviousEpochFromForeignValues) {
  auto data = filled(1024);
  data[1023] = kernels::sentinel;
  EXPECT_EQ(look(data, now, before).first_origin, word_origin::sentinel);
  data[1023] = before.word(1023);
  EXPECT_EQ(look(data, now, before).first_origin, word_origin::previous_epoch);
  data[1023] = before.word(1022);
  EXPECT_EQ(look(data, now, before).first_origin, word_origin::foreign);
}

TEST(Look, LooksAtTheLastWordsFirst) {
  auto data = filled(1024);
  data[0] = kernels::sentinel;
  data[1020] = before.word(1020);
  const sighting seen = look(data, now, before);
  EXPECT_EQ(seen.mismatches, 2u);
  EXPECT_EQ(seen.first_index, 1020u);
}

TEST(Look, KnowsWhenNothingArrived) {
  std::vector<std::uint64_t> data(100);
  fill_with_sentinel(data);
  EXPECT_TRUE(look(data, now, before).nothing_arrived());
  EXPECT_TRUE(look_for_sentinel(data).good());
  data[50] = now.word(50);
  EXPECT_FALSE(look(data, now, before).nothing_arrived());
  EXPECT_EQ(look_for_sentinel(data).first_index, 50u);
}

TEST(Look, InParallelFindsTheSame) {
  auto data = filled(100'000);
  for (unsigned threads : {0u, 1u, 2u, 5u, 64u}) {
    EXPECT_TRUE(look_parallel(data, now, before, threads).good());
  }
  data[700] = 0;
  data[99'999] = kernels::sentinel;
  for (unsigned threads : {1u, 3u, 8u}) {
    const sighting seen = look_parallel(data, now, before, threads);
    EXPECT_EQ(seen.mismatches, 2u);
    EXPECT_EQ(seen.words, data.size());
    EXPECT_EQ(seen.first_index, 700u);
  }
}

TEST(Describe, NamesWordValueAndOrigin) {
  auto data = filled(16);
  EXPECT_EQ(describe(look(data, now, before)), "all 16 words as expected");
  data[15] = kernels::sentinel;
  EXPECT_NE(describe(look(data, now, before)).find("word 15 is 0xa6a6a6a6a6a6a6a6, the sentinel"),
            std::string::npos);
  data[15] = before.word(15);
  EXPECT_NE(describe(look(data, now, before)).find("previous epoch (stale)"), std::string::npos);
  data[15] = 4;
  EXPECT_NE(describe(look(data, now, before)).find("a foreign value"), std::string::npos);
}

}  // namespace
}  // namespace streamcts
