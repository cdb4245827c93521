// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace streamcts::runner {
namespace {

using testing::ElementsAre;

TEST(Environment, ChildrenInheritButWriteNoCores) {
  const std::map<std::string, std::string> given{{"A", "1"},
                                                 {"CUDA_COREDUMP_FILE", "x"},
                                                 {"CUDA_DEVICE_WAITS_ON_EXCEPTION", "1"},
                                                 {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION", "1"},
                                                 {"CUDA_LAUNCH_BLOCKING", "1"},
                                                 {"GTEST_FILTER", "none"},
                                                 {"LD_PRELOAD", "x.so"}};
  EXPECT_THAT(child_environment(given),
              ElementsAre("A=1", "CUDA_LAUNCH_BLOCKING=1", "LD_PRELOAD=x.so"));
  EXPECT_THAT(child_environment(given, {{"A", ""}, {"B", "2"}, {"LD_PRELOAD", "y.so"}}),
              ElementsAre("B=2", "CUDA_LAUNCH_BLOCKING=1", "LD_PRELOAD=y.so"));
}

TEST(Environment, RecordsWhatTells) {
  const std::map<std::string, std::string> given{
      {"CUDA_X", "1"}, {"HOME", "x"}, {"LD_LIBRARY_PATH", "y"}, {"STREAMCTS_VARIANT", "z"}};
  EXPECT_EQ(telling_variables(given).size(), 3u);
  EXPECT_FALSE(telling_variables(given).contains("HOME"));
}

TEST(Environment, ReadsItsOwn) { EXPECT_TRUE(current_environment().contains("PATH")); }

TEST(Environment, QuotesForAShell) {
  EXPECT_EQ(shell_quoted("a/b-c.1:2"), "a/b-c.1:2");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("*"), "'*'");
}

}  // namespace
}  // namespace streamcts::runner
