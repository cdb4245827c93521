// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/printable.h"

#include <gtest/gtest.h>

#include <string>

namespace streamcts::results {
namespace {

std::string all_bytes() {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  return bytes;
}

TEST(printable, leaves_printable_text_alone) {
  const std::string text = "plain, tab\t, line\n, ä, €, 漢, 😀, \\x41 <&>\"'";
  EXPECT_EQ(to_printable(text), text);
}

TEST(printable, shows_every_control_byte_and_every_byte_that_is_no_text) {
  const std::string shown = to_printable(all_bytes());
  for (int i = 0; i < 256; ++i) {
    char name[5];
    std::snprintf(name, sizeof name, "\\x%02x", static_cast<unsigned>(i));
    const bool plain = (i >= 0x20 && i < 0x7F) || i == '\n' || i == '\t';
    EXPECT_EQ(shown.find(name) == std::string::npos, plain) << i;
  }
  for (const char byte : shown) {
    EXPECT_TRUE((byte >= 0x20 && byte < 0x7F) || byte == '\n' || byte == '\t');
  }
}

TEST(printable, shows_what_is_no_utf8) {
  EXPECT_EQ(to_printable("\xC0\xAF"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(to_printable("\xE0\x80\xAF"), "\\xe0\\x80\\xaf");           // overlong
  EXPECT_EQ(to_printable("\xF0\x80\x80\xAF"), "\\xf0\\x80\\x80\\xaf");  // overlong
  EXPECT_EQ(to_printable("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(to_printable("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  EXPECT_EQ(to_printable("\xF5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
  EXPECT_EQ(to_printable("a\xE2\x82"), "a\\xe2\\x82");  // cut short
  EXPECT_EQ(to_printable("\xE2\x41\x42"),
            "\\xe2"
            "AB");                           // not continued
  EXPECT_EQ(to_printable("\x80"), "\\x80");  // a continuation alone
}

TEST(printable, shows_what_would_hide_or_turn_text) {
  EXPECT_EQ(to_printable("\xC2\x85"), "\\u0085");
  EXPECT_EQ(to_printable("\xD8\x9C"), "\\u061c");
  EXPECT_EQ(to_printable("\xE2\x80\xAE"), "\\u202e");
  EXPECT_EQ(to_printable("\xE2\x80\xA8"), "\\u2028");
  EXPECT_EQ(to_printable("\xE2\x81\xA6"), "\\u2066");
  EXPECT_EQ(to_printable("\xEF\xBB\xBF"), "\\ufeff");
  EXPECT_EQ(to_printable("\xEF\xBF\xBE"), "\\ufffe");
  EXPECT_EQ(to_printable("\xF0\x9F\xBF\xBF"), "\\U0001ffff");
}

TEST(printable, twice_is_once) {
  const std::string once = to_printable(all_bytes() + "\xE2\x80\xAE\xF0\x9F\xBF\xBF");
  EXPECT_EQ(to_printable(once), once);
}

TEST(printable, one_line) {
  EXPECT_EQ(to_printable_line("a\nb\tc\rd"), "a\\nb c\\x0dd");
}

TEST(printable, tail_keeps_the_end_from_a_line_on) {
  EXPECT_EQ(tail("short", 5), "short");
  EXPECT_EQ(tail("first\nsecond line\n", 15), "[6 bytes before this are left out]\nsecond line\n");
  EXPECT_EQ(tail("abcdefghij", 4), "[6 bytes before this are left out]\nghij");
  EXPECT_EQ(tail("x\nabcdefg\nh", 4), "[7 bytes before this are left out]\nfg\nh");
}

}  // namespace
}  // namespace streamcts::results
