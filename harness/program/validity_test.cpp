// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/validity.h"

#include <gmock/gmock.h>

#include "harness/program/builder.h"
#include "harness/program/generate.h"
#include "harness/program/text.h"

namespace streamcts::program {
namespace {

using testing::HasSubstr;

/// The message about a program; empty if it is valid.
std::string message(const stream_program& p) {
  const auto error = program_error_of(p);
  if (!error) return "";
  EXPECT_FALSE(error->remedy.empty());
  return error->message;
}

struct Validity : testing::Test {
  Validity() {
    a = b.stream(stream_kind::blocking, "A");
    n = b.stream(stream_kind::nonblocking, "N");
    l = b.stream(stream_kind::legacy, "L");
    e = b.event();
    x = b.buffer(memory_kind::mapped);
    y = b.buffer(memory_kind::device);
  }
  operation op(op_kind kind, index stream = none) {
    operation o;
    o.kind = kind;
    o.stream = stream;
    return o;
  }
  builder b;
  index a, n, l, e, x, y;
};

TEST_F(Validity, AnEmptyProgramIsValid) { EXPECT_EQ(message({}), ""); }

TEST_F(Validity, OperationsNeedTheirObjects) {
  b.add(op(op_kind::kernel));
  EXPECT_THAT(message(b.program), HasSubstr("a stream is missing"));
  b.program.ops[0] = op(op_kind::record, a);
  EXPECT_THAT(message(b.program), HasSubstr("an event is missing"));
  b.program.ops[0] = op(op_kind::launch, a);
  EXPECT_THAT(message(b.program), HasSubstr("a graph is missing"));
  b.program.ops[0] = op(op_kind::copy, a);
  EXPECT_THAT(message(b.program), HasSubstr("no source buffer"));
  b.program.ops[0].read = x;
  EXPECT_THAT(message(b.program), HasSubstr("no buffer"));
  b.program.ops[0].write = x;
  EXPECT_THAT(message(b.program), HasSubstr("a copy onto itself"));
  b.program.ops[0].write = y;
  EXPECT_EQ(message(b.program), "");
  b.program.buffers[1].bytes = 4;
  EXPECT_THAT(message(b.program), HasSubstr("different size"));
}

TEST_F(Validity, OperationsHaveNothingTheyDoNotUse) {
  b.add(op(op_kind::callback, a));
  b.program.ops[0].read = x;
  EXPECT_THAT(message(b.program), HasSubstr("a source that is not used"));
  b.program.ops[0] = op(op_kind::write_value, a);
  b.program.ops[0].write = x;
  EXPECT_THAT(message(b.program), HasSubstr("a buffer that is not used"));
}

TEST_F(Validity, MemoryFitsItsUser) {
  const index p = b.buffer(memory_kind::pageable);
  b.item(op_kind::kernel, a, p);
  EXPECT_THAT(message(b.program), HasSubstr("a kernel that uses pageable memory"));
  b.program.ops[0].kind = op_kind::memset;
  EXPECT_THAT(message(b.program), HasSubstr("a memset of pageable memory"));
  b.program.ops[0].kind = op_kind::callback;
  EXPECT_EQ(message(b.program), "");
  b.program.ops[0].write = y;
  EXPECT_THAT(message(b.program), HasSubstr("a host write into device memory"));
  b.program.ops[0] = op(op_kind::attach, a);
  b.program.ops[0].write = x;
  EXPECT_THAT(message(b.program), HasSubstr("not managed"));
}

TEST_F(Validity, DefaultStreamsHaveTheirOwnRules) {
  b.item(op_kind::copy_sync, a, x, y);
  EXPECT_THAT(message(b.program), HasSubstr("not a default one"));
  b.program.ops[0].stream = l;
  EXPECT_EQ(message(b.program), "");
  b.host(op_kind::destroy_stream, l);
  EXPECT_THAT(message(b.program), HasSubstr("destroying a default stream"));
  b.program.ops.clear();
  const index m = b.buffer(memory_kind::managed);
  b.item(op_kind::attach, l, m);
  EXPECT_EQ(message(b.program), "");
  b.program.ops[0].attach = attach_mode::single;
  EXPECT_THAT(message(b.program), HasSubstr("attached to the legacy stream"));
  b.program.ops.clear();
  const index p = b.stream(stream_kind::per_thread, "P", 0, 1);
  b.item(op_kind::kernel, p);
  EXPECT_THAT(message(b.program), HasSubstr("used by another thread"));
  b.program.ops[0].thread = 1;
  EXPECT_EQ(message(b.program), "");
  b.program.streams[2].priority = 1;
  EXPECT_THAT(message(b.program), HasSubstr("a default stream with a priority"));
  b.program.streams[2].priority = 0;
  b.stream(stream_kind::per_thread, "Q", 0, 1);
  EXPECT_THAT(message(b.program), HasSubstr("two per-thread streams"));
  b.program.streams.back() = {"M", stream_kind::legacy};
  EXPECT_THAT(message(b.program), HasSubstr("two legacy streams"));
}

TEST_F(Validity, NothingIsUsedAfterItsDestruction) {
  b.record(e, a);
  b.host(op_kind::destroy_event, none, e);
  b.wait(e, n);
  EXPECT_THAT(message(b.program), HasSubstr("an event used after its destruction"));
  b.program.ops.pop_back();
  b.host(op_kind::destroy_stream, a);
  b.item(op_kind::kernel, a);
  EXPECT_THAT(message(b.program), HasSubstr("a stream used after its destruction"));
}

TEST_F(Validity, AwaitHandoffAndFault) {
  b.item(op_kind::kernel, a);
  operation o = op(op_kind::await);
  o.target = 0;
  b.add(o);
  EXPECT_THAT(message(b.program), HasSubstr("no earlier host call"));
  b.program.ops[0].kind = op_kind::callback;
  EXPECT_EQ(message(b.program), "");
  b.item(op_kind::fault, n);
  EXPECT_THAT(message(b.program), HasSubstr("program with a fault"));
  b.program.ops.erase(b.program.ops.begin() + 1);
  b.item(op_kind::fault, n);
  EXPECT_THAT(message(b.program), HasSubstr("two faults"));
  b.program.ops.resize(1);
  o = op(op_kind::handoff);
  o.target = 0;
  b.add(o);
  EXPECT_THAT(message(b.program), HasSubstr("no other thread"));
}

TEST_F(Validity, ProgramsAreBounded) {
  b.item(op_kind::kernel, a);
  b.program.ops[0].repeat = 3000;
  EXPECT_THAT(message(b.program), HasSubstr("a repeat count"));
  b.program.ops[0].repeat = 1;
  b.program.ops.resize(300, b.program.ops[0]);
  EXPECT_THAT(message(b.program), HasSubstr("300 items"));
  b.program.ops.resize(600, b.program.ops[0]);
  EXPECT_THAT(message(b.program), HasSubstr("600 operations"));
  b.program.ops.resize(1);
  b.program.ops[0].thread = 9;
  EXPECT_THAT(message(b.program), HasSubstr("a thread above 3"));
  b.program.ops[0].thread = 0;
  b.program.buffers[0].bytes = 3;
  EXPECT_THAT(message(b.program), HasSubstr("less than 4 bytes"));
  b.program.buffers[0].bytes = 65 << 20;
  EXPECT_THAT(message(b.program), HasSubstr("64M"));
  b.program.buffers.clear();
  b.program.streams.resize(65, {"Z"});
  EXPECT_THAT(message(b.program), HasSubstr("65 streams"));
}

TEST_F(Validity, GraphsAreBuiltInOrder) {
  const index g = b.graph();
  EXPECT_THAT(message(b.program), HasSubstr("a graph without nodes"));
  b.node(g, node_kind::kernel);
  b.last_node(g).after = 1;
  EXPECT_THAT(message(b.program), HasSubstr("depends on itself"));
  b.last_node(g).after = 0;
  b.node(g, node_kind::host, {0});
  b.last_node(g).disabled = true;
  EXPECT_THAT(message(b.program), HasSubstr("a disabled host or empty node"));
  b.last_node(g).disabled = false;
  EXPECT_EQ(message(b.program), "");
}

TEST_F(Validity, CapturedGraphsForkAndJoin) {
  const index g = b.graph(graph_origin::captured);
  b.node(g, node_kind::kernel);
  b.node(g, node_kind::kernel, {0});
  b.last_node(g).lane = 1;
  EXPECT_THAT(message(b.program), HasSubstr("not joined back"));
  b.node(g, node_kind::host, {0, 1});
  EXPECT_EQ(message(b.program), "");
  b.program.graphs[0].nodes[1].after = 0;
  EXPECT_THAT(message(b.program), HasSubstr("does not follow its lane"));
  b.program.graphs[0].nodes[1].after = 1;
  b.program.graphs[0].nodes[2].after = 2;
  EXPECT_THAT(message(b.program), HasSubstr("does not follow its lane"));
  b.program.graphs[0].nodes[2].after = 3;
  b.program.graphs[0].nodes[2].kind = node_kind::empty;
  EXPECT_THAT(message(b.program), HasSubstr("an empty node in a captured graph"));
}

TEST_F(Validity, PerturbationsNameItems) {
  b.record(e, a);
  b.program.perturbations.push_back({perturbation::type::hold, 0});
  EXPECT_THAT(message(b.program), HasSubstr("a hold or delay of nothing"));
  b.program.ops[0] = op(op_kind::kernel, a);
  EXPECT_EQ(message(b.program), "");
  b.program.perturbations[0].node = 1;
  EXPECT_THAT(message(b.program), HasSubstr("a hold or delay of nothing"));
}

TEST_F(Validity, AccessesOfABufferAreOrdered) {
  b.item(op_kind::kernel, a, x);
  b.item(op_kind::copy, n, y, x);
  EXPECT_THAT(message(b.program), HasSubstr("both use buffer x0"));
  b.program.ops.insert(b.program.ops.begin() + 1, {op(op_kind::record, a), op(op_kind::wait, n)});
  b.program.ops[1].event = b.program.ops[2].event = e;
  EXPECT_EQ(message(b.program), "");
}

TEST_F(Validity, TheSourceOfASynchronousUploadMayBeOverwritten) {
  b.item(op_kind::copy_sync, l, y, x);
  b.item(op_kind::host_write, none, x);
  EXPECT_EQ(message(b.program), "");
  b.program.ops[0].kind = op_kind::copy;
  EXPECT_THAT(message(b.program), HasSubstr("both use buffer x0"));
}

TEST_F(Validity, AttachedMemoryStaysInItsStream) {
  const index m = b.buffer(memory_kind::managed);
  b.item(op_kind::attach, a, m);
  b.program.ops[0].attach = attach_mode::single;
  b.record(e, a);
  b.wait(e, n);
  b.item(op_kind::memset, n, m);
  EXPECT_THAT(message(b.program), HasSubstr("attached to one stream"));
  b.program.ops[0].attach = attach_mode::global;
  EXPECT_EQ(message(b.program), "");
}

TEST_F(Validity, PageableCopiesForbidHolds) {
  const index p = b.buffer(memory_kind::pageable);
  b.item(op_kind::kernel, a);
  b.item(op_kind::copy, a, x, p);
  const model m(b.program);
  EXPECT_FALSE(can_hold(m, 0));
  EXPECT_TRUE(can_hold(m, 1));
  b.program.ops.insert(b.program.ops.begin() + 1, op(op_kind::stream_sync, a));
  EXPECT_TRUE(can_hold(model(b.program), 0));
}

TEST(ValidityOfGenerated, AllAreValid) {
  for (std::uint64_t i = 0; i < enumerated_programs(); ++i) {
    const stream_program p = generate(generator::enumerator, i);
    ASSERT_EQ(message(p), "") << to_text(p);
  }
  for (const generator g : {generator::idiom, generator::swarm, generator::plain, generator::fault}) {
    for (std::uint64_t i = 0; i < 2000; ++i) {
      const stream_program p = generate(g, i);
      ASSERT_EQ(message(p), "") << to_text(p);
    }
  }
}

}  // namespace
}  // namespace streamcts::program
