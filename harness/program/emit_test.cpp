// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/emit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/program/generate.h"
#include "harness/program/text.h"

namespace streamcts::program {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Emit, MakesTheCallsAndChecksWhatMustHold) {
  const std::string source = emit(
      parse("streamcts-program 1\nstream A blocking\nstream N nonblocking\nevent e\n"
            "K0: kernel A\nrecord e A\nwait e N\nH1: host_function N\nhold K0\n"),
      "a wait was lost");
  EXPECT_THAT(source, HasSubstr("// a wait was lost"));
  EXPECT_THAT(source, HasSubstr("DO(launch(s_A, item(0, 12)));"));
  EXPECT_THAT(source, HasSubstr("DO(cuStreamWaitEvent(s_N, e_e, 0));"));
  EXPECT_THAT(source, HasSubstr("DO(cuLaunchHostFunc(s_N, host_call_1, nullptr));"));
  EXPECT_THAT(source, HasSubstr("look(\"the start of H1\", 0x1, 0x0);"));
  EXPECT_THAT(source, HasSubstr("look(\"the look before K0 is let go\", 0x0, 0x2);"));
  EXPECT_THAT(source, Not(HasSubstr("kernel_node")));
  EXPECT_LT(std::ranges::count(source, '\n'), 150);
}

TEST(Emit, TakesWhateverIsGenerated) {
  std::size_t taken = 0;
  for (const generator g : {generator::enumerator, generator::idiom, generator::swarm}) {
    for (std::uint64_t i = 0; i < 150; ++i) {
      const stream_program p = generate(g, i * 57);
      if (!can_emit(p)) continue;
      ++taken;
      const std::string source = emit(p);
      EXPECT_EQ(std::ranges::count(source, '{'), std::ranges::count(source, '}')) << to_text(p);
    }
  }
  EXPECT_GT(taken, 150U);
}

TEST(Emit, RefusesFaultsAndManagedMemory) {
  EXPECT_FALSE(can_emit(parse("streamcts-program 1\nstream A blocking\nF0: fault A trap\n")));
  EXPECT_FALSE(can_emit(parse(
      "streamcts-program 1\nstream A blocking\nbuffer m managed 64K\nZ0: memset A write=m\n")));
  EXPECT_FALSE(can_emit(
      parse("streamcts-program 1\nstream P per_thread\nbuffer m mapped 64K\nZ0: memset_sync P "
            "write=m\n")));
}

}  // namespace
}  // namespace streamcts::program
