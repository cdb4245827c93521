// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/side_task.h"

#include <gmock/gmock.h>

#include <csignal>
#include <cstdlib>
#include <thread>

namespace streamcts {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

// The tests of this program start it again: gtest's main() must give way to the side task.
[[gnu::constructor]] void give_way(int count, char** words, char**) {
  do_side_task_if_asked(count, words);
}

int task(const side_arguments& arguments, const side_lines& out) {
  for (const std::string& each : arguments) out.say(each);
  if (arguments.empty()) return 7;
  if (arguments.back() == "die") std::raise(SIGKILL);
  if (arguments.back() == "throw") throw std::runtime_error("what went wrong");
  if (arguments.back() == "sleep") std::this_thread::sleep_for(60s);
  return 0;
}
[[gnu::init_priority(101)]] const side_task registered("test", &task);

TEST(SideTask, SaysItsLinesAndItsExit) {
  const side_end end = run_side_task("test", {"one", "two words"}, 10s, 10s);
  EXPECT_EQ(end.ended, side_end::how::exited);
  EXPECT_EQ(end.code, 0);
  EXPECT_THAT(end.lines, ElementsAre("one", "two words"));
  EXPECT_EQ(run_side_task("test", {}, 10s, 10s).code, 7);
}

TEST(SideTask, CutsALongLine) {
  const side_end end = run_side_task("test", {std::string(600, 'x')}, 10s, 10s);
  EXPECT_THAT(end.lines, ElementsAre(std::string(511, 'x')));
}

TEST(SideTask, TellsASignalFromAnException) {
  const side_end dead = run_side_task("test", {"before", "die"}, 10s, 10s);
  EXPECT_EQ(dead.ended, side_end::how::signalled);
  EXPECT_EQ(dead.code, SIGKILL);
  EXPECT_THAT(dead.lines, ElementsAre("before", "die"));
  const side_end thrown = run_side_task("test", {"throw"}, 10s, 10s);
  EXPECT_EQ(thrown.code, 1);
  EXPECT_THAT(thrown.lines, ElementsAre("throw", "error what went wrong"));
}

TEST(SideTask, IsKilledWhenItSaysNothing) {
  const side_end end = run_side_task("test", {"sleep"}, 300ms, 10s);
  EXPECT_EQ(end.ended, side_end::how::silent);
  EXPECT_THAT(end.lines, ElementsAre("sleep"));
}

TEST(SideTask, RefusesAnUnknownName) {
  const side_end end = run_side_task("no such task", {}, 10s, 10s);
  EXPECT_EQ(end.code, 64);
  EXPECT_THAT(end.lines, IsEmpty());
}

}  // namespace
}  // namespace streamcts
