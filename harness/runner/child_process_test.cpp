// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <csignal>
#include <thread>

#include "harness/runner/errors.h"
#include "harness/runner/launcher.h"
#include "harness/runner/stacks.h"

namespace streamcts::runner {
namespace {

using testing::Contains;
using testing::HasSubstr;

child_command shell(const std::string& script) {
  return {"/bin/sh", {"-c", script}, {"PATH=/usr/bin:/bin"}};
}

void await_end(child_process& child) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!child.ended() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST(ChildProcess, HasPipesAndAChannelAndNoInput) {
  child_process child(shell("cat; echo out; echo err >&2; read line <&3; echo \"got $line\" >&3"));
  EXPECT_TRUE(child.channel().send("hello"));
  EXPECT_EQ(child.channel().wait(), "got hello");
  await_end(child);
  child.output().drain();
  child.errors().drain();
  EXPECT_EQ(child.output().take(), "out\n");
  EXPECT_EQ(child.errors().take(), "err\n");
  const child_exit how = child.finish();
  EXPECT_FALSE(how.by_signal);
  EXPECT_EQ(how.code, 0);
  EXPECT_TRUE(child.ended());
}

TEST(ChildProcess, SaysHowItEnded) {
  child_process left(shell("exit 7"));
  await_end(left);
  EXPECT_EQ(to_string(left.finish()), "exit status 7");
  child_process died(shell("kill -SEGV $$"));
  await_end(died);
  EXPECT_EQ(to_string(died.finish()), "SIGSEGV");
  child_process stayed(shell("trap '' TERM; sleep 1000"));
  EXPECT_FALSE(stayed.ended());
  EXPECT_EQ(to_string(stayed.finish()), "SIGKILL");
  EXPECT_EQ(to_string(child_exit{true, 64}), "signal 64");
}

TEST(ChildProcess, TakesItsGroupWithIt) {
  child_process child(shell("sleep 1000 & echo $! >&3; wait"));
  const std::string line = child.channel().wait().value_or("0");
  const pid_t grandchild = std::stoi(line);
  ASSERT_GT(grandchild, 0);
  child.finish();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  // It may be a zombie until init has reaped it, but it no longer sleeps.
  std::string state = "S";
  while (state != "Z" && state != "gone" && std::chrono::steady_clock::now() < end) {
    std::FILE* file = std::fopen(("/proc/" + line + "/stat").c_str(), "r");
    char letter = 0;
    state = file != nullptr && std::fscanf(file, "%*d %*s %c", &letter) == 1
                ? std::string(1, letter)
                : "gone";
    if (file != nullptr) std::fclose(file);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(state == "Z" || state == "gone") << state;
}

TEST(ChildProcess, RefusesProgramsThatAreNone) {
  EXPECT_THROW(child_process({"/no/such/program", {}, {}}), usage_error);
  EXPECT_THROW(child_process({"/etc/passwd", {}, {}}), usage_error);
}

TEST(ChildProcess, DumpsNoCore) {
  child_process child(shell("ulimit -c >&3"));
  EXPECT_EQ(child.channel().wait(), "0");
}

TEST(Stacks, ShowsThreadsOfAnotherProcess) {
  child_process child(shell("echo ready >&3; sleep 1000"));
  EXPECT_EQ(child.channel().wait(), "ready");
  const auto lines = take_stacks(child.pid());
  ASSERT_GE(lines.size(), 2u);
  EXPECT_THAT(lines[0], HasSubstr("'sh'"));
  EXPECT_THAT(lines[1], testing::AnyOf(HasSubstr("#0"), HasSubstr("no frames")));
  child.finish();
  EXPECT_TRUE(take_stacks(child.pid()).empty());
}

TEST(Stacks, EndsInTime) {
  child_process child(shell("echo ready >&3; sleep 1000"));
  EXPECT_EQ(child.channel().wait(), "ready");
  EXPECT_THAT(take_stacks(child.pid(), std::chrono::milliseconds(0)),
              Contains(HasSubstr("are over")));
}

TEST(Launcher, RunsACommandBefore) {
  const launcher plain(shell("exit 0"), "true");
  await_end(*plain.start());
  const launcher failing(shell("exit 0"), "exit 5");
  EXPECT_THROW(failing.start(), machine_error);
  EXPECT_EQ(run_shell("exit 3", std::chrono::seconds(10)), 3);
  EXPECT_EQ(run_shell("kill -TERM $$", std::chrono::seconds(10)), 128 + SIGTERM);
  EXPECT_EQ(run_shell("exec sleep 1000", std::chrono::milliseconds(20)), 124);
}

}  // namespace
}  // namespace streamcts::runner
