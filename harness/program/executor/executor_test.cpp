// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "harness/driver/context.h"
#include "harness/driver/driver_library.h"
#include "harness/program/executor/contents.h"
#include "harness/program/executor/driver_search.h"
#include "harness/program/text.h"

namespace streamcts::program {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The reference driver, with functions that a test may replace.
struct device {
  device()
      : library(driver::driver_library::open(STREAMCTS_REFERENCE_DRIVER)),
        table(library.functions(driver::stream_mode::legacy)),
        per_thread(library.functions(driver::stream_mode::per_thread)),
        context((driver::initialize(table), driver::context::primary(table))),
        image(table),
        kernels(table, image) {
    where.cuda = &table;
    where.per_thread = &per_thread;
    where.kernels = &kernels;
    where.context = context.get();
    where.make_current = [this] { context.make_current(); };
    where.managed = where.memops = true;
  }

  driver::driver_library library;
  driver::function_table table, per_thread;
  driver::context context;
  driver::kernel_image image;
  driver::kernel_set kernels;
  environment where;
};

constexpr const char* joined =
    "streamcts-program 1\nstream A blocking\nstream N nonblocking\nevent e\n"
    "K0: kernel A\nrecord e A\nwait e N\nH1: host_function N\n";

TEST(Executor, RunsWithoutAndWithAHold) {
  device d;
  executor by(d.where);
  const auto program = ready_program::make(parse(joined));
  const run_outcome plain = by.run(program);
  EXPECT_TRUE(plain.seen.finished);
  EXPECT_EQ(plain.seen.host_calls.size(), 1U);
  EXPECT_THAT(check(program->expectations(), plain.seen), IsEmpty());
  const index held = 0;
  const auto outcomes = by.run(program, {&held, 1});
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].seen.held, 0);
  EXPECT_THAT(check(program->expectations(), outcomes[0].seen), IsEmpty());
  EXPECT_TRUE(by.usable());
}

TEST(Executor, NothingFailsOnGeneratedPrograms) {
  device d;
  executor by(d.where);
  judge j(by);
  program_list programs(7);
  for (int i = 0; i < 24; ++i) {
    const stream_program p = programs.next();
    const auto f = j.run(p);
    ASSERT_FALSE(f) << to_text(p) << f->why.text();
  }
  EXPECT_GT(j.counts().by_canary, 0U);
}

TEST(Executor, EveryKindOfOperationRuns) {
  device d;
  executor by(d.where);
  judge j(by);
  const stream_program p = parse(
      "streamcts-program 1\nstream L legacy\nstream A blocking priority=-1\nstream P per_thread\n"
      "stream N nonblocking\nevent e timing blocking_sync\nbuffer d device 65537\n"
      "buffer h mapped 65537\nbuffer w write_combined 128K\nbuffer g pageable 65537\n"
      "buffer m managed 64K\ngraph x captured\nnode x a kernel\nnode x b host after=a lane=1\n"
      "node x c memset after=a,b write=w\ngraph y\nnode y a kernel\nnode y b host after=a\n"
      "node y c empty after=b\nK0: kernel A write=d repeat=5\nM1: copy A read=d write=h\n"
      "Z2: memset A write=m\nT3: attach A single write=m\nT4: attach A global write=m\n"
      "V5: write_value A\nC6: callback A\nstream_query A\nawait C6\nG7: launch A x\n"
      "G8: launch N y\nG9: launch N y\nrecord e A\nevent_query e\nevent_poll e\nstream_poll N\n"
      "event_sync e\nO0: host_write write=h\nU1: copy_sync L read=h write=d\n"
      "U2: memset_sync P write=h\nM3: copy L read=d write=g\ncontext_sync\nstream_sync A\n"
      "@1 H4: host_function A write=h\n@1 handoff 0\ndestroy_event e\ndestroy_stream N\n");
  const auto f = j.run(p);
  EXPECT_FALSE(f) << f->why.text();
  EXPECT_THAT(j.counts().not_supported, IsEmpty());
}

TEST(Executor, FaultsAreToldOf) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";  // earlier tests have left threads
  // In a child: the context is lost.
  EXPECT_EXIT(
      {
        device d;
        executor by(d.where);
        judge j(by);
        const auto f = j.run(
            parse("streamcts-program 1\nstream A blocking\nC0: callback A\n"
                  "F1: fault A trap\nC2: callback A\nstream_sync A\n"));
        if (f) std::fputs(f->why.text().c_str(), stderr);
        std::_Exit(f ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Executor, SaysWhatADriverLacks) {
  device d;
  d.where.managed = d.where.memops = false;
  d.table.cuStreamAddCallback = nullptr;
  executor by(d.where);
  const std::string start = "streamcts-program 1\nstream A blocking\n";
  EXPECT_EQ(by.lacks(parse(start + "buffer m managed 64K\nZ: memset A write=m\n")),
            "managed memory");
  EXPECT_EQ(by.lacks(parse(start + "V: write_value A\n")), "stream value writes");
  EXPECT_EQ(by.lacks(parse(start + "C: callback A\n")), "cuStreamAddCallback");
  judge j(by);
  EXPECT_FALSE(j.run(parse(start + "C: callback A\n")));
  EXPECT_EQ(j.counts().not_supported.count("cuStreamAddCallback"), 1U);
}

TEST(Executor, ARefusedCallIsNotSupportedOrAFailure) {
  device d;
  d.table.cuStreamWaitEvent = [](CUstream, CUevent, unsigned) { return CUDA_ERROR_NOT_SUPPORTED; };
  executor by(d.where);
  judge j(by);
  EXPECT_FALSE(j.run(parse(joined)));
  EXPECT_EQ(j.counts().not_supported.size(), 1U);
  d.table.cuStreamWaitEvent = [](CUstream, CUevent, unsigned) { return CUDA_ERROR_INVALID_VALUE; };
  const auto f = j.run(parse(joined));
  ASSERT_TRUE(f);
  EXPECT_EQ(f->found.kind, violation_kind::wrong_status);
}

TEST(DriverSearch, FindsALostWaitAndMakesItSmall) {
  device d;
  d.table.cuStreamWaitEvent = [](CUstream, CUevent, unsigned) { return CUDA_SUCCESS; };
  executor by(d.where);
  judge j(by);
  const auto found =
      search_driver(j, 1, std::chrono::seconds(60), [](const std::string&) {});
  ASSERT_TRUE(found);
  EXPECT_LE(found->failure.program.ops.size(), 4U) << to_text(found->failure.program);
  EXPECT_GT(found->again, 0U);
  EXPECT_THAT(found->failure.why.text(), HasSubstr("wait"));
  EXPECT_FALSE(found->failure.stuck);
}

/// A callback that may never come back waits for this.
std::atomic<bool> released{false};

TEST(Executor, AStuckCallEndsTheExecutor) {
  device d;
  d.where.limits.haste = 40;
  d.table.cuStreamSynchronize = [](CUstream) {
    while (!released) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return CUDA_SUCCESS;
  };
  executor by(d.where);
  judge j(by);
  const auto f = j.run(parse("streamcts-program 1\nstream A blocking\nK0: kernel A\nstream_sync A\n"));
  ASSERT_TRUE(f);
  EXPECT_TRUE(f->stuck);
  EXPECT_EQ(f->found.kind, violation_kind::hang);
  EXPECT_FALSE(by.usable());
  EXPECT_FALSE(j.run(parse(joined)));
  const found_program same = make_small(j, *f, std::chrono::seconds(1));
  EXPECT_EQ(same.evaluations, 0U);
  released = true;
}

TEST(ContentsBook, KnowsWhoseBytesTheyAre) {
  const stream_program p = parse(
      "streamcts-program 1\nstream A blocking\nbuffer x mapped 65535\nbuffer y mapped 64K\n"
      "K0: kernel A write=x\nZ1: memset A write=x\nZ2: memset A write=y\n");
  const model m(p);
  contents_book book;
  book.prepare(m, 5);
  std::vector<std::uint64_t> words(8192);
  for (const buffer_value v : {buffer_value::initial(0), buffer_value::of_item(0),
                               buffer_value::of_item(1)}) {
    book.fill(words.data(), 65535, v);
    EXPECT_EQ(book.identify(words.data(), 65535, buffer_value::torn(), false), v);
    EXPECT_EQ(book.identify(words.data(), 65535, v, true), v);
  }
  words[4000] ^= 1;
  EXPECT_TRUE(book.identify(words.data(), 65535, buffer_value::of_item(1), false).is_torn());
  contents_book later;
  later.prepare(m, 6);
  later.fill(words.data(), 65535, buffer_value::of_item(0));
  EXPECT_TRUE(book.identify(words.data(), 65535, buffer_value::of_item(0), false).is_torn());
}

TEST(ReadingPlan, KnowsWhatWaitsAndWhatCanBeHeld) {
  const stream_program p = parse(
      "streamcts-program 1\nstream A blocking\nstream B blocking\nK0: kernel A\nstream_sync A\n"
      "K1: kernel B\n");
  const model m(p);
  reading_plan plan;
  plan.build(m);
  EXPECT_TRUE(plan.may_wait(1, 0));
  EXPECT_TRUE(plan.may_wait(2, 0));  // the thread is not that far
  EXPECT_FALSE(plan.may_wait(0, 0));
  EXPECT_TRUE(plan.holdable().has(0));
  EXPECT_FALSE(plan.holdable().has(1));  // nothing comes after it
  EXPECT_TRUE(plan.independent());
}

}  // namespace
}  // namespace streamcts::program
