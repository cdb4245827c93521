// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The whole layer over the reference driver, reached by path as any driver under test.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "harness/driver/context.h"
#include "harness/driver/graph.h"
#include "harness/driver/kernels.h"
#include "harness/driver/memory.h"
#include "harness/driver/probe.h"
#include "harness/driver/runtime_as_driver.h"
#include "harness/driver/stream.h"
#include "kernels/parameters.h"

namespace streamcts::driver {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::chrono::seconds patience{30};

/// Loaded once; context, kernels and a stream for each test.
class Reference : public ::testing::Test {
 protected:
  static const driver_library& library() {
    static const driver_library loaded = driver_library::open(STREAMCTS_REFERENCE_DRIVER);
    return loaded;
  }
  Reference() : table_(library().functions(stream_mode::legacy)) {
    initialize(table_);
    context_ = std::make_unique<context>(context::primary(table_));
    image_ = std::make_unique<kernel_image>(table_);
    kernels_ = std::make_unique<kernel_set>(table_, *image_);
  }
  void finish(const stream& s) const { ASSERT_TRUE(s.wait_idle(patience)); }

  const function_table& table_;
  std::unique_ptr<context> context_;
  std::unique_ptr<kernel_image> image_;
  std::unique_ptr<kernel_set> kernels_;
};

TEST_F(Reference, LoadsWithEveryRequiredFunctionInBothModes) {
  EXPECT_GE(library().version(), 13000);
  EXPECT_EQ(library().lookup(), "cuGetProcAddress_v2");
  EXPECT_THAT(library().path(), HasSubstr("libcuda.so.1"));
  EXPECT_THAT(library().mapped_files(), Contains(library().path()));
  EXPECT_THAT(missing_functions(library().functions(stream_mode::per_thread), need::required),
              IsEmpty());
  EXPECT_NE(table_.cuStreamSynchronize.get(),
            library().functions(stream_mode::per_thread).cuStreamSynchronize.get());
}

TEST_F(Reference, KernelWritesHostMemoryOfEveryKind) {
  const stream s(table_, stream_kind::non_blocking);
  const auto pattern = kernels::ramp(5);
  for (const host_memory kind : all_host_memory) {
    SCOPED_TRACE(to_string(kind));
    const host_buffer buffer(table_, 1 << 16, kind);
    std::memset(buffer.data(), kernels::sentinel_byte, buffer.size());
    kernels_->write_pattern(s, buffer.device_address(), buffer.words().size(), pattern, 1000,
                            {4, 32});
    finish(s);
    for (std::size_t i = 0; i < buffer.words().size(); ++i) {
      ASSERT_EQ(buffer.words()[i], pattern.word(i)) << "word " << i;
    }
  }
}

TEST_F(Reference, KernelsWorkOnDeviceMemory) {
  const stream s(table_, stream_kind::blocking);
  const device_buffer first(table_, 4096), second(table_, 4096);
  const host_buffer result(table_, sizeof(kernels::check_result));
  const auto pattern = kernels::ramp(6);
  kernels_->write_pattern(s, first.address(), 512, pattern);
  kernels_->copy_words(s, second.address(), first.address(), 512);
  kernels_->add(s, second.address() + 8 * 3, 2);
  kernels_->check(s, second.address(), 512, pattern, result.device_address());
  finish(s);
  const auto& found = *result.as<kernels::check_result>();
  EXPECT_EQ(found.mismatches, 1u);
  EXPECT_EQ(found.first_index, 3u);
  EXPECT_EQ(found.first_seen, pattern.word(3) + 2);
}

TEST_F(Reference, GateHoldsAStreamUntilOpened) {
  const stream s(table_, stream_kind::non_blocking);
  const host_buffer page(table_, 4096);
  std::memset(page.data(), 0, page.size());
  const std::atomic_ref gate(page.as<std::uint32_t>()[0]), begun(page.as<std::uint32_t>()[1]);
  kernels_->gate(s, page.device_address(), page.device_address() + 4, 9, 20'000'000'000);
  const event after(table_);
  after.record(s.get());
  while (begun.load() != 9) std::this_thread::yield();
  EXPECT_FALSE(after.query());
  gate.store(kernels::gate_opened);
  EXPECT_TRUE(after.wait(patience));
  EXPECT_EQ(gate.load(), static_cast<std::uint32_t>(kernels::gate_opened));
}

TEST_F(Reference, GraphRunsItsNodesInOrder) {
  const stream s(table_, stream_kind::non_blocking);
  const host_buffer buffer(table_, 4096);
  struct seen {
    const std::uint64_t* word;
    std::uint64_t value = 0;
  } look{buffer.words().data()};
  std::memset(buffer.data(), 0, buffer.size());
  graph g(table_);
  const CUgraphNode set = g.add_memset(buffer.device_address(), 7, 4, 2, context_->get());
  const CUgraphNode add =
      g.add_kernel(kernels_->get().add, {}, set, buffer.device_address(), std::uint64_t{1});
  g.add_host(
      [](void* opaque) {
        auto& to = *static_cast<seen*>(opaque);
        to.value = *to.word;
      },
      &look, {add});
  const graph_exec exec(g);
  exec.launch(s.get());
  finish(s);
  EXPECT_EQ(look.value, 0x0000000700000007u + 1);
}

TEST_F(Reference, ManagedMemoryIsOneAddress) {
  const stream s(table_, stream_kind::non_blocking);
  const managed_buffer buffer(table_, 4096);
  kernels_->write_pattern(s, buffer.address(), 8, kernels::ramp(1), 0, {1, 8});
  finish(s);
  EXPECT_EQ(buffer.words()[7], kernels::ramp(1).word(7));
}

TEST_F(Reference, EveryKindOfStreamRunsAHostFunction) {
  for (const stream_kind kind : all_stream_kinds) {
    SCOPED_TRACE(to_string(kind));
    const stream s(table_, kind);
    std::atomic<int> calls{0};
    STREAMCTS_CHECK(table_.cuLaunchHostFunc(
        s.get(), [](void* p) { static_cast<std::atomic<int>*>(p)->fetch_add(1); }, &calls));
    finish(s);
    EXPECT_EQ(calls.load(), 1);
  }
}

TEST_F(Reference, WarmUpRuns) {
  const stream s(table_, stream_kind::non_blocking);
  EXPECT_NO_THROW(kernels_->warm_up(s, patience));
}

TEST_F(Reference, CreatedContextIsSeparate) {
  {
    const context other = context::create(table_);
    EXPECT_NE(other.get(), context_->get());
    other.synchronize();
  }
  context_->make_current();
  context_->synchronize();
}

TEST_F(Reference, RefusalsNameTheCall) {
  try {
    STREAMCTS_CHECK(table_.cuStreamAddCallback(nullptr, nullptr, nullptr, 0));
    FAIL() << "accepted";
  } catch (const call_error& error) {
    EXPECT_EQ(error.code, CUDA_ERROR_INVALID_VALUE);
    EXPECT_STREQ(error.call, "cuStreamAddCallback");
  }
}

TEST_F(Reference, ProbeFindsItAble) {
  probe_options options;
  options.patience = std::chrono::seconds(20);
  std::vector<std::string> steps;
  options.on_step = [&](std::string_view step) { steps.emplace_back(step); };
  probe p(library(), options);
  const capabilities found = p.run();
  EXPECT_TRUE(found.is_reference());
  EXPECT_THAT(found.device_uuid, ::testing::StartsWith("GPU-"));
  EXPECT_EQ(found.driver_path, library().path());
  for (const feature f : all_features()) {
    if (f == feature::multi_device || f == feature::peer_access || f == feature::ipc_events ||
        f == feature::runtime || f == feature::runtime_per_thread) {
      continue;
    }
    EXPECT_TRUE(found.works(f)) << to_string(f) << ": " << found.of(f).reason;
  }
}

TEST_F(Reference, RuntimeOverIt) {
  const runtime_library runtime = runtime_library::open(STREAMCTS_REFERENCE_RUNTIME, library());
  probe_options options;
  for (const feature f : all_features()) {
    if (f < feature::runtime) options.skip[f] = "not in this test";
  }
  options.patience = std::chrono::seconds(20);
  probe p(library(), options);
  p.use_runtime(runtime);
  const capabilities found = p.run();
  EXPECT_TRUE(found.works(feature::runtime)) << found.of(feature::runtime).reason;
  EXPECT_TRUE(found.works(feature::runtime_per_thread))
      << found.of(feature::runtime_per_thread).reason;
}

TEST_F(Reference, RuntimeHasEveryFunctionInBothModes) {
  const runtime_library runtime = runtime_library::open(STREAMCTS_REFERENCE_RUNTIME, library());
  EXPECT_EQ(runtime.version(), CUDART_VERSION);
  for (const stream_mode mode : {stream_mode::legacy, stream_mode::per_thread}) {
    const runtime_table& r = runtime.functions(mode);
#define RUNTIME_FUNCTION(level, name, per_thread_suffix) EXPECT_TRUE(r.name) << #name;
#include "harness/driver/runtime_functions.def"
  }
}

TEST_F(Reference, RuntimeUnderTheDriversNames) {
  const runtime_library runtime = runtime_library::open(STREAMCTS_REFERENCE_RUNTIME, library());
  for (const stream_mode mode : {stream_mode::legacy, stream_mode::per_thread}) {
    SCOPED_TRACE(to_string(mode));
    const function_table both =
        runtime_as_driver(library().functions(mode), runtime.functions(mode), mode);
    EXPECT_NE(both.cuStreamQuery.get(), library().functions(mode).cuStreamQuery.get());
    EXPECT_EQ(both.cuStreamWaitValue32.get(), library().functions(mode).cuStreamWaitValue32.get());
    const kernel_image image(both);
    const kernel_set set(both, image);
    const stream s(both, stream_kind::non_blocking), null(both, stream_kind::null_stream);
    set.warm_up(s);
    const device_buffer memory(both, 4096);
    const host_buffer seen(both, 4096);
    set.write_pattern(null, memory.address(), 512, kernels::ramp(7));
    const event written(both);
    written.record(null.get());
    s.wait(written);
    STREAMCTS_CHECK(both.cuMemcpyDtoHAsync(seen.data(), memory.address(), 4096, s.get()));
    std::atomic<int> calls{0};
    const auto count = [](void* to) { ++*static_cast<std::atomic<int>*>(to); };
    STREAMCTS_CHECK(both.cuLaunchHostFunc(s.get(), count, &calls));
    STREAMCTS_CHECK(both.cuStreamAddCallback(
        s.get(), [](CUstream, CUresult, void* to) { ++*static_cast<std::atomic<int>*>(to); },
        &calls, 0));
    EXPECT_TRUE(s.wait_idle(patience));
    EXPECT_EQ(calls, 2);
    EXPECT_EQ(seen.words()[511], kernels::ramp(7).word(511));
    STREAMCTS_CHECK(both.cuMemcpyHtoD(memory.address(), seen.data(), 8));
    STREAMCTS_CHECK(both.cuMemcpyDtoH(seen.data(), memory.address() + 8, 8));
    EXPECT_EQ(seen.words()[0], kernels::ramp(7).word(1));
    EXPECT_EQ(both.cuStreamDestroy(nullptr), CUDA_ERROR_INVALID_HANDLE);
  }
  // What the runtime lacks does not go by the driver unnoticed, but kernels do.
  const function_table none = runtime_as_driver(table_, runtime_table{}, stream_mode::legacy);
  EXPECT_FALSE(none.cuStreamQuery);
  EXPECT_EQ(none.cuLaunchKernel.get(), table_.cuLaunchKernel.get());
}

TEST_F(Reference, RuntimeSharesHandlesAndTheContext) {
  const runtime_library runtime = runtime_library::open(STREAMCTS_REFERENCE_RUNTIME, library());
  const runtime_table& r = runtime.functions(stream_mode::legacy);
  const stream s(table_, stream_kind::non_blocking);
  unsigned flags = 0;
  STREAMCTS_CHECK(r.cudaStreamGetFlags(s.get(), &flags));
  EXPECT_EQ(flags, unsigned{cudaStreamNonBlocking});
  cudaStream_t theirs = nullptr;
  STREAMCTS_CHECK(r.cudaStreamCreateWithFlags(&theirs, cudaStreamDefault));
  CUcontext where = nullptr;
  STREAMCTS_CHECK(table_.cuStreamGetCtx(theirs, &where));
  EXPECT_EQ(where, context_->get());
  STREAMCTS_CHECK(table_.cuStreamDestroy(theirs));
}

}  // namespace
}  // namespace streamcts::driver
