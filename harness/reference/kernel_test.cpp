// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels: launching, visibility of their stores, faults, modules.

#include <cstring>

#include "harness/reference/process.h"
#include "harness/reference/test_support.h"
#include "kernels/pattern.h"

namespace streamcts::reference::test {
namespace {

using u64 = std::uint64_t;

class kernel_test : public driver_test {
 protected:
  void TearDown() override {
    cuCtxSynchronize();
    clear_fault_for_test();
    driver_test::TearDown();
  }
};

TEST_F(kernel_test, plain_stores_stay_invisible_until_the_kernel_ends) {
  constexpr u64 count = 3000;
  auto* out = pinned<u64>(count + 1);
  auto* words = pinned(4);
  CUstream s = make_stream();
  // Writes the payload, releases the flag, waits for the reply: the flag carries the payload along.
  launch(s, "streamcts_message", out, count, u64{1}, u64{2}, words, 5u, words + 1,
         u64{20'000'000'000});
  ASSERT_TRUE(eventually([&] { return __atomic_load_n(words, __ATOMIC_ACQUIRE) == 5; }));
  EXPECT_EQ(1u + 2 * (count - 1), out[count - 1]);
  __atomic_store_n(words + 1, 5u, __ATOMIC_RELEASE);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));

  // Nothing carries these along: the last block dawdles, and the others' words are kept back.
  std::memset(out, 0, count * 8);
  u64 base = 7, step = 2, late = 30'000'000, n = count;
  void* parameters[] = {&out, &n, &base, &step, &late};
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchKernel(kernel("streamcts_write_pattern"), 4, 1, 1, 32, 1, 1, 0, s,
                                         parameters, nullptr));
  while (std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(10)) {
    ASSERT_EQ(0u, __atomic_load_n(out, __ATOMIC_RELAXED));
  }
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  for (u64 i = 0; i < count; ++i) ASSERT_EQ(base + i * step, out[i]);
  EXPECT_EQ(0u, out[count]);
}

TEST_F(kernel_test, scattered_stores_of_every_width_make_the_pattern) {
  constexpr u64 count = 1024;
  CUstream s = make_stream();
  for (const unsigned width : {1u, 2u, 4u, 8u, 16u}) {
    auto* out = pinned<u64>(count);
    launch(s, "streamcts_scatter", out, count, u64{width} | 1, u64{2}, width);
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
    for (u64 i = 0; i < count; ++i) ASSERT_EQ((width | 1) + i * 2, out[i]) << width;
  }
}

TEST_F(kernel_test, host_and_running_kernel_share_words) {
  auto* shared = pinned<u64>(64);
  auto *in = pinned<u64>(64), *out = pinned<u64>(64);
  auto* words = pinned(4);
  CUstream s = make_stream();
  launch(s, "streamcts_alternate", shared, u64{5}, words, u64{20'000'000'000});
  for (int i = 0; i < 1000; ++i) {
    const u64 seen = __atomic_load_n(shared, __ATOMIC_RELAXED);
    ASSERT_TRUE(seen == 0 || seen == 5 || seen == ~u64{5}) << seen;
  }
  __atomic_store_n(words, 1u, __ATOMIC_RELEASE);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));

  launch(s, "streamcts_gated_copy", words + 1, words + 2, 3u, u64{20'000'000'000}, out, in, u64{64});
  ASSERT_TRUE(eventually([&] { return __atomic_load_n(words + 2, __ATOMIC_ACQUIRE) == 3; }));
  for (u64 i = 0; i < 64; ++i) in[i] = i;
  __atomic_store_n(words + 1, 1u, __ATOMIC_RELEASE);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  for (u64 i = 0; i < 64; ++i) ASSERT_EQ(i, out[i]);

  const u64 before = *shared;
  launch(s, "streamcts_count", shared, u64{100});
  for (int i = 0; i < 1000; ++i) __atomic_fetch_add(shared, u64{1}, __ATOMIC_RELAXED);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(before + 1100, *shared);
}

TEST_F(kernel_test, kernels_see_their_own_and_earlier_stores) {
  constexpr u64 count = 2000;
  auto *a = pinned<u64>(count), *b = pinned<u64>(count);
  CUdeviceptr device = device_bytes(count * 8), counter = device_bytes(8);
  auto* result = pinned<kernels::check_result>();
  CUstream s = make_stream();
  launch(s, "streamcts_write_pattern", a, count, u64{3}, u64{2}, u64{0});
  launch(s, "streamcts_copy_words", device, a, count);
  launch(s, "streamcts_copy_words", b, device, count);
  launch(s, "streamcts_check", b, count, u64{3}, u64{2}, result);
  launch(s, "streamcts_hash_step", b, b, count, u64{5});
  launch(s, "streamcts_hash_step", b, b, count, u64{6});
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32Async(counter, 0, 2, s));
  launch(s, "streamcts_add", counter, u64{4});
  launch(s, "streamcts_add", counter, u64{5});
  u64 sum = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2(&sum, counter, 8, s));
  EXPECT_EQ(9u, sum);
  EXPECT_EQ(0u, result->mismatches);
  EXPECT_EQ(kernels::mix((kernels::mix(3 ^ 5) | 1) ^ 6) | 1, b[0]);
}

TEST_F(kernel_test, large_payload) {
  constexpr u64 count = (1 << 20) / 8;
  auto* out = pinned<u64>(count);
  CUstream s = make_stream();
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 5; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    launch(s, "streamcts_write_pattern", out, count, u64{1}, u64{2}, u64{0});
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
    best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - begin);
  }
  RecordProperty("best_ns", static_cast<int>(best.count()));
  EXPECT_EQ(1 + 2 * (count - 1), out[count - 1]);
}

TEST_F(kernel_test, refuses_bad_launches_and_goes_on) {
  CUfunction f = kernel("streamcts_signal");
  std::uint32_t *word = pinned(), value = 1;
  void* parameters[] = {&word, &value};
  const auto launch_with = [&](unsigned grid, unsigned block, unsigned shared, void** p) {
    return cuLaunchKernel(f, grid, 1, 1, block, 1, 1, shared, nullptr, p, nullptr);
  };
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, launch_with(0, 1, 0, parameters));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, launch_with(1, 1025, 0, parameters));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, launch_with(1, 1, 1 << 30, parameters));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, launch_with(1, 1, 0, nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE,
            cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(nullptr));
  EXPECT_EQ(0u, *word);

  struct {
    std::uint32_t* word;
    std::uint32_t value;
  } packed{word, 8};
  size_t size = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &size,
                   CU_LAUNCH_PARAM_END};
  EXPECT_EQ(CUDA_SUCCESS, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(nullptr));
  EXPECT_EQ(8u, *word);
  size = 4;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(CUDA_SUCCESS,
            cuLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters));

  CUevent done = make_event(CU_EVENT_DISABLE_TIMING);
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
  attribute.value.launchCompletionEvent.event = done;
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = config.blockDimY = config.blockDimZ = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  value = 9;
  EXPECT_EQ(CUDA_SUCCESS, cuLaunchKernelEx(&config, f, parameters, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(done));
  EXPECT_EQ(9u, *word);
}

struct fault_case {
  const char* kernel;
  CUresult code;
};

class fault_test : public kernel_test, public ::testing::WithParamInterface<fault_case> {};

TEST_P(fault_test, ends_all_work_of_the_process) {
  CUstream s = make_stream(), joined = make_stream(), other = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent e = make_event(CU_EVENT_DISABLE_TIMING);
  std::uint32_t own_words[4]{};  // not the context's, which ends in the test
  ASSERT_EQ(CUDA_SUCCESS, cuMemHostRegister_v2(own_words, sizeof own_words, 0));
  gate g(own_words), unrelated(own_words + 2);
  call_record before, callback, function, again, in_joined;
  auto* buffer = pinned<unsigned char>(64);
  launch(other, "streamcts_gate", unrelated.word(), unrelated.begun_word(), 1u, gate_limit_ns);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(s, count_callback, &before, 0));
  launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  if (GetParam().code == CUDA_ERROR_MISALIGNED_ADDRESS) {
    launch(s, GetParam().kernel, buffer);
  } else {
    launch(s, GetParam().kernel);
  }
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(s, count_callback, &callback, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, count_function, &function));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(s, count_callback, &again, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(joined, e, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(joined, count_callback, &in_joined, 0));
  EXPECT_TRUE(eventually([&] { return g.begun() && unrelated.begun(); }));
  g.open();
  const CUresult code = GetParam().code;
  EXPECT_EQ(code, cuStreamSynchronize(s));
  EXPECT_EQ(code, cuCtxSynchronize());  // the unrelated gate is given up
  EXPECT_EQ(code, cuEventSynchronize(e));
  EXPECT_EQ(code, cuStreamQuery(other));
  EXPECT_EQ(code, cuEventQuery(e));
  EXPECT_EQ(1, before.calls);
  EXPECT_EQ(CUDA_SUCCESS, before.status);
  for (call_record* r : {&callback, &again, &in_joined}) {
    EXPECT_EQ(1, r->calls);
    EXPECT_EQ(code, r->status);
  }
  EXPECT_EQ(0, function.calls);
  CUdeviceptr p = 0;
  CUstream none = nullptr;
  EXPECT_EQ(code, cuMemAlloc_v2(&p, 64));
  EXPECT_EQ(code, cuStreamCreate(&none, 0));
  EXPECT_EQ(code, cuStreamAddCallback(s, count_callback, &callback, 0));
  EXPECT_EQ(code, cuLaunchHostFunc(s, count_function, &function));
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxReset_v2(0));
  CUcontext c = nullptr;
  EXPECT_EQ(code, cuDevicePrimaryCtxRetain(&c, 0));
  EXPECT_EQ(1, callback.calls);
}

INSTANTIATE_TEST_SUITE_P(
    kinds, fault_test,
    ::testing::Values(fault_case{"streamcts_fault_illegal_address", CUDA_ERROR_ILLEGAL_ADDRESS},
                      fault_case{"streamcts_fault_trap", CUDA_ERROR_LAUNCH_FAILED},
                      fault_case{"streamcts_fault_assert", CUDA_ERROR_ASSERT},
                      fault_case{"streamcts_fault_misaligned", CUDA_ERROR_MISALIGNED_ADDRESS}),
    [](const auto& i) { return std::string(i.param.kernel + 16); });

TEST_F(kernel_test, pageable_memory_is_out_of_reach) {
  std::vector<u64> own(16);
  launch(nullptr, "streamcts_write_pattern", own.data(), u64{16}, u64{1}, u64{2}, u64{0});
  EXPECT_EQ(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
  EXPECT_EQ(0u, own[0]);
}

TEST_F(kernel_test, modules_and_libraries) {
  CUmodule m = nullptr;
  CUlibrary l = nullptr, same = nullptr;
  CUfunction f = nullptr, of_kernel = nullptr;
  CUkernel k = nullptr;
  const char image[] = "ignored";
  ASSERT_EQ(CUDA_SUCCESS, cuModuleLoadData(&m, image));
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&f, m, "no_such_kernel"));
  ASSERT_EQ(CUDA_SUCCESS, cuModuleGetFunction(&f, m, "streamcts_signal"));
  const char* name = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuFuncGetName(&name, f));
  EXPECT_STREQ("streamcts_signal", name);
  size_t offset = 99, size = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuFuncGetParamInfo(f, 1, &offset, &size));
  EXPECT_EQ(8u, offset);
  EXPECT_EQ(4u, size);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuFuncGetParamInfo(f, 2, &offset, &size));
  CUmodule owner = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuFuncGetModule(&owner, f));
  EXPECT_EQ(m, owner);
  int value = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  EXPECT_EQ(1024, value);
  EXPECT_EQ(CUDA_SUCCESS,
            cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50));
  EXPECT_EQ(CUDA_SUCCESS,
            cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, f));
  EXPECT_EQ(50, value);
  EXPECT_EQ(CUDA_SUCCESS, cuFuncSetCacheConfig(f, CU_FUNC_CACHE_PREFER_L1));
  CUfunctionLoadingState loading{};
  EXPECT_EQ(CUDA_SUCCESS, cuFuncIsLoaded(&loading, f));
  EXPECT_EQ(CUDA_SUCCESS, cuFuncLoad(f));
  CUmoduleLoadingMode mode{};
  EXPECT_EQ(CUDA_SUCCESS, cuModuleGetLoadingMode(&mode));
  int blocks = 0, grid = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, f, 256, 0));
  EXPECT_EQ(8, blocks);
  EXPECT_EQ(CUDA_SUCCESS,
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, f, 256, 0, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSize(&grid, &blocks, f, nullptr, 0, 0));
  EXPECT_EQ(CUDA_SUCCESS,
            cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &blocks, f, nullptr, 0, 128, 0));
  EXPECT_EQ(128, blocks);
  ASSERT_EQ(CUDA_SUCCESS, cuModuleUnload(m));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuFuncGetName(&name, f));
  ASSERT_EQ(CUDA_SUCCESS, cuModuleLoadDataEx(&m, image, 0, nullptr, nullptr));
  ASSERT_EQ(CUDA_SUCCESS, cuModuleUnload(m));
  ASSERT_EQ(CUDA_SUCCESS, cuModuleLoadFatBinary(&m, image));
  ASSERT_EQ(CUDA_SUCCESS, cuModuleUnload(m));

  ASSERT_EQ(CUDA_SUCCESS, cuLibraryLoadData(&l, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuLibraryGetKernel(&k, l, "streamcts_add"));
  EXPECT_EQ(CUDA_SUCCESS, cuKernelGetName(&name, k));
  EXPECT_STREQ("streamcts_add", name);
  EXPECT_EQ(CUDA_SUCCESS, cuKernelGetLibrary(&same, k));
  EXPECT_EQ(l, same);
  EXPECT_EQ(CUDA_SUCCESS, cuLibraryGetModule(&m, l));
  EXPECT_EQ(CUDA_SUCCESS, cuKernelGetFunction(&of_kernel, k));
  EXPECT_EQ(CUDA_SUCCESS, cuKernelGetParamInfo(k, 0, &offset, nullptr));
  EXPECT_EQ(CUDA_SUCCESS, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, k, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuLibraryUnload(l));
}

}  // namespace
}  // namespace streamcts::reference::test
