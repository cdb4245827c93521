// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/process_maps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "harness/runner/thread_facts.h"

namespace streamcts::runner {
namespace {

TEST(ProcessMaps, NamesFileAndOffset) {
  std::istringstream text(
      "1000-2000 r-xp 00000000 00:00 0 \n"
      "4000-6000 r-xp 00003000 08:01 77    /usr/lib/my lib.so.1\n"
      "8000-9000 rw-p 00000000 00:00 0     [heap]\n"
      "nonsense\n");
  const process_maps maps(text);
  EXPECT_EQ(maps.place_of(0x4010), "my lib.so.1+0x3010");
  EXPECT_EQ(maps.place_of(0x8001), "[heap]+0x1");
  EXPECT_EQ(maps.place_of(0x1001), "0x1001");
  EXPECT_EQ(maps.place_of(0x6000), "0x6000");
}

TEST(ProcessMaps, ReadsThisProcess) {
  const process_maps maps(::getpid());
  const auto here = reinterpret_cast<std::uint64_t>(&demangled);
  EXPECT_NE(maps.place_of(here).find('+'), std::string::npos);
}

TEST(Demangled, LeavesCSymbolsAlone) {
  EXPECT_EQ(demangled("main"), "main");
  EXPECT_EQ(demangled("_ZN9streamcts4gate4openEv"), "streamcts::gate::open()");
}

TEST(ThreadFacts, KnowsThisProcess) {
  const auto threads = threads_of(::getpid());
  ASSERT_FALSE(threads.empty());
  EXPECT_EQ(threads[0], ::getpid());
  EXPECT_NE(thread_heading(::getpid(), ::getpid()).find("thread"), std::string::npos);
  EXPECT_TRUE(threads_of(-5).empty());
}

}  // namespace
}  // namespace streamcts::runner
