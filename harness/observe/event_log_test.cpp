// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/event_log.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace streamcts {
namespace {

TEST(EventLog, KeepsEntriesInOneOrder) {
  event_log log;
  EXPECT_EQ(log.add("host", "kernel 1", log_phase::enqueue), 0u);
  EXPECT_EQ(log.add("host call", "callback 1", log_phase::begin), 1u);
  const auto entries = log.entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].operation, "kernel 1");
  EXPECT_EQ(entries[1].lane, "host call");
  EXPECT_EQ(entries[1].phase, log_phase::begin);
  EXPECT_LE(entries[0].time, entries[1].time);
}

TEST(EventLog, TakesEntriesFromManyThreadsAndCountsWhatItDrops) {
  event_log log;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) log.add("lane", "operation", log_phase::mark);
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(log.entries().size(), event_log::capacity);
  EXPECT_EQ(log.dropped(), 800 - event_log::capacity);
  for (std::size_t i = 0; i < event_log::capacity; ++i) EXPECT_EQ(log.entries()[i].sequence, i);
}

TEST(EventLog, StartsAnewAfterClear) {
  event_log log;
  log.add("host", "old", log_phase::mark);
  log.clear();
  EXPECT_TRUE(log.entries().empty());
  EXPECT_EQ(log.dropped(), 0u);
}

}  // namespace
}  // namespace streamcts
