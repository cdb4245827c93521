// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/text.h"

#include <gmock/gmock.h>

#include "harness/program/generate.h"
#include "harness/program/validity.h"

namespace streamcts::program {
namespace {

constexpr std::string_view everything = R"(streamcts-program 1
origin by:hand
stream L legacy
stream P per_thread thread=1
stream A blocking priority=-2
stream N nonblocking
event e0
event e1 timing blocking_sync
buffer x mapped 64K
buffer y managed 64K
buffer z pageable 65535
buffer v device 1M
buffer w device 65535
graph g
node g a kernel write=x
node g b copy after=a read=x write=y
node g c empty after=a,b
node g d kernel after=c disabled
node g e host after=d
graph h captured
node h a kernel
node h b kernel after=a lane=1
node h c host after=a,b
K0: kernel A repeat=130
K1: kernel A write=v
M0: copy A read=w write=z
S0: memset A write=v
C0: callback A
H0: host_function N
V0: write_value N
T0: attach A single write=y
G0: launch A g
G1: launch N h
F0: fault N misaligned
Y0: copy_sync L read=w write=z
Z0: memset_sync L write=v
record e0 A
wait e0 N
stream_sync A
event_sync e0
context_sync
stream_query A
event_query e1
stream_poll A
event_poll e1
handoff 1
@1 K2: kernel P
destroy_event e1
destroy_stream N
hold K0
hold G0.b
delay K1 100us
)";

stream_program with_names(stream_program p) {
  name_operations(p);
  return p;
}

std::string error_of(std::string_view text) {
  try {
    parse(text);
  } catch (const parse_error& e) {
    return e.what();
  }
  return "no error";
}

/// The error of a program whose header is right.
std::string error_in(std::string_view lines) {
  return error_of("streamcts-program 1\nstream A blocking\nevent e\n" + std::string(lines));
}

TEST(ProgramText, EveryFormIsReadAndWritten) {
  const stream_program p = parse(everything);
  EXPECT_EQ(to_text(p), everything);
  EXPECT_EQ(p.ops.size(), 26U);
  EXPECT_EQ(p.ops[0].repeat, 130);
  EXPECT_EQ(p.streams[2].priority, -2);
  EXPECT_EQ(p.graphs[0].nodes[2].after, 3U);
  EXPECT_EQ(p.perturbations.size(), 3U);
}

TEST(ProgramText, GeneratedProgramsSurviveTheRoundTrip) {
  for (int g = 0; g < static_cast<int>(generator::count); ++g) {
    for (std::uint64_t i = 0; i < 300; ++i) {
      const auto which = static_cast<generator>(g);
      const std::uint64_t number = which == generator::enumerator ? i * 37 : i;
      const stream_program p = with_names(generate(which, number));
      const std::string text = to_text(p);
      ASSERT_EQ(parse(text), p) << text;
    }
  }
}

TEST(ProgramText, CommentsAndSpacesDoNotMatter) {
  const stream_program p = parse(
      "# a comment\n\nstreamcts-program 1\r\n  stream\tA   blocking # comment\n\nK: kernel A\n");
  EXPECT_EQ(to_text(p), "streamcts-program 1\nstream A blocking\nK: kernel A\n");
}

TEST(ProgramText, ErrorsNameTheLineAndTheRemedy) {
  EXPECT_EQ(error_of(""), "line 1: no program; begin with the line 'streamcts-program 1'");
  EXPECT_EQ(error_of("stream A blocking\n"),
            "line 1: no program; begin with the line 'streamcts-program 1'");
  EXPECT_EQ(error_of("streamcts-program 2\n"),
            "line 1: unknown version of the format; this program reads version 1");
  EXPECT_EQ(error_in("K0: kernel Q\n"),
            "line 4: unknown stream 'Q'; declare it in a line above");
  EXPECT_EQ(error_in("\nfrobnicate A\n"),
            "line 5: unknown operation 'frobnicate'; docs/programs.md lists them");
  EXPECT_EQ(error_in("kernel A\n"),
            "line 4: this operation needs a name; write it as in 'K0: kernel A'");
  EXPECT_EQ(error_in("R: record e A\n"),
            "line 4: this operation has no name; leave out what is before the colon");
  EXPECT_EQ(error_in("K0: kernel A\nK0: kernel A\n"),
            "line 5: 'K0' is used twice; use another name");
  EXPECT_EQ(error_in("stream A blocking\n"), "line 4: 'A' is declared twice; use another name");
  EXPECT_EQ(error_in("stream B sideways\n"),
            "line 4: unknown stream kind 'sideways'; use legacy or per_thread or blocking or "
            "nonblocking");
  EXPECT_EQ(error_in("stream B-B blocking\n"),
            "line 4: 'B-B' is no name; use 1 to 11 letters, digits and underscores");
  EXPECT_EQ(error_in("stream\n"),
            "line 4: the name is missing; write 'stream A blocking' or the like");
  EXPECT_EQ(error_in("stream B blocking priority=high\n"),
            "line 4: 'high' is no number from -9 to 9; give one");
  EXPECT_EQ(error_in("K0: kernel A twice\n"),
            "line 4: 'twice' does not belong here; take it out of the line");
  EXPECT_EQ(error_in("buffer x mapped 65M\n"), "line 4: '65' is no number from 1 to 64; give one");
  EXPECT_EQ(error_in("hold K9\n"), "line 4: unknown item; name an operation above");
  EXPECT_EQ(error_in("K0: kernel A\nhold K0.a\n"),
            "line 5: a node of something that is no launch; leave the node out");
  EXPECT_EQ(error_in("@7 K0: kernel A\n"), "line 4: '7' is no number from 0 to 3; give one");
}

TEST(ProgramText, InvalidProgramsAreRefusedAtTheirLine) {
  EXPECT_EQ(error_in("K0: kernel A\nK1: kernel A repeat=5\nC: callback A repeat=2\n"),
            "line 6: a repeated operation that is no kernel; write it several times");
  EXPECT_EQ(error_in("stream B blocking\nbuffer x mapped 4\nK0: kernel A write=x\n"
                     "K1: kernel B write=x\n"),
            "line 7: K0 and K1 both use buffer x and nothing orders them; order them by a stream, "
            "an event or a synchronization, or use two buffers");
  EXPECT_THAT(error_in("graph g\n"), testing::HasSubstr("a graph without nodes"));
}

TEST(ProgramText, LineOfAnOperation) {
  const stream_program p = parse(everything);
  EXPECT_EQ(line_of(p, p.ops[2]), "M0: copy A read=w write=z");
  EXPECT_EQ(line_of(p, p.ops[23]), "@1 K2: kernel P");
}

TEST(ProgramText, UnnamedOperationsGetNames) {
  stream_program p = parse("streamcts-program 1\nstream A blocking\nK1: kernel A\nC: callback A\n");
  p.ops.push_back(p.ops[0]);
  p.ops.back().name = {};
  p.ops.push_back(p.ops.back());
  name_operations(p);
  EXPECT_EQ(p.ops[2].name.view(), "K0");
  EXPECT_EQ(p.ops[3].name.view(), "K2");
}

}  // namespace
}  // namespace streamcts::program
