// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/line_channel.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

#include "harness/runner/output_tail.h"

namespace streamcts::runner {
namespace {

TEST(LineChannel, CarriesLinesBothWays) {
  channel_pair pair = make_channel_pair();
  line_channel a(std::move(pair.ours));
  line_channel b(std::move(pair.theirs));
  EXPECT_TRUE(a.send("one"));
  EXPECT_TRUE(a.send("two"));
  EXPECT_EQ(b.wait(), "one");
  EXPECT_EQ(b.next(), "two");
  EXPECT_EQ(b.next(), std::nullopt);
  EXPECT_TRUE(b.send(""));
  EXPECT_EQ(a.wait(), "");
}

TEST(LineChannel, JoinsPiecesAndKeepsWhatCameBeforeTheEnd) {
  channel_pair pair = make_channel_pair();
  line_channel reader(std::move(pair.ours));
  ASSERT_EQ(::send(pair.theirs.get(), "ab", 2, 0), 2);
  reader.receive();
  EXPECT_EQ(reader.next(), std::nullopt);
  ASSERT_EQ(::send(pair.theirs.get(), "c\nrest", 6, 0), 6);
  pair.theirs.close();
  reader.receive();
  EXPECT_FALSE(reader.open());
  EXPECT_EQ(reader.next(), "abc");
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_EQ(reader.wait(), std::nullopt);
  EXPECT_FALSE(reader.send("x"));
}

TEST(LineChannel, SendingToNobodyFailsWithoutASignal) {
  channel_pair pair = make_channel_pair();
  line_channel writer(std::move(pair.ours));
  pair.theirs.close();
  EXPECT_FALSE(writer.send("x"));
}

TEST(LineChannel, SendingGivesUpWhereNobodyReads) {
  channel_pair pair = make_channel_pair();
  line_channel writer(std::move(pair.ours));
  const std::string large(4 << 20, 'x');
  EXPECT_FALSE(writer.send(large, std::chrono::milliseconds(20)));
}

TEST(LineChannel, CarriesLargeLines) {
  channel_pair pair = make_channel_pair();
  line_channel writer(std::move(pair.ours));
  line_channel reader(std::move(pair.theirs));
  const std::string large(3 << 20, 'x');
  std::thread sender([&] { EXPECT_TRUE(writer.send(large)); });
  EXPECT_EQ(reader.wait(), large);
  sender.join();
}

TEST(LineChannel, ClosesOnEndlessLines) {
  channel_pair pair = make_channel_pair();
  line_channel writer(std::move(pair.ours));
  line_channel reader(std::move(pair.theirs));
  std::thread sender([&] {
    writer.send(std::string(line_channel::max_line + (1 << 20), 'x'));
    writer.close();
  });
  while (reader.open()) {
    reader.receive();
    reader.next();
  }
  EXPECT_EQ(reader.wait(), std::nullopt);
  sender.join();
}

TEST(OutputTail, KeepsTheLastPart) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  output_tail tail{descriptor(ends[0]), 10};
  descriptor writer(ends[1]);
  EXPECT_FALSE(tail.drain());
  const std::string text = "0123456789abcdefghijklmnopqrstuvwxyz";
  ASSERT_EQ(::write(writer.get(), text.data(), text.size()), 36);
  EXPECT_TRUE(tail.drain());
  EXPECT_EQ(tail.total(), 36u);
  EXPECT_EQ(tail.take(), "[26 bytes before this are not kept]\nqrstuvwxyz");
  EXPECT_EQ(tail.take(), "");
  ASSERT_EQ(::write(writer.get(), "abc", 3), 3);
  writer.close();
  EXPECT_TRUE(tail.drain());
  EXPECT_EQ(tail.take(), "abc");
  EXPECT_FALSE(tail.drain());
  EXPECT_EQ(tail.descriptor_to_poll(), -1);
}

}  // namespace
}  // namespace streamcts::runner
