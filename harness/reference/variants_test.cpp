// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Each legal variant keeps every promise, and does what it says.

#include "harness/reference/variants.h"

#include <cstdlib>
#include <set>
#include <thread>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

using u64 = std::uint64_t;

class variant_base : public driver_test {
 protected:
  void choose(const char* name) { ASSERT_TRUE(select_variant(name)); }
  void TearDown() override {
    EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
    select_variant("");
    driver_test::TearDown();
  }
};

class variants_test : public variant_base,
                      public ::testing::WithParamInterface<variant_description> {};

// What a host call finds when it starts, and in which order calls start.
struct observation {
  observation(const u64* first, u64 n, u64 last, std::atomic<int>* shared)
      : words(first), count(n), expected_last(last), order(shared) {}

  const u64* words;
  u64 count, expected_last;
  std::atomic<int>* order;
  int seen_order = 0;
  bool complete = false;
};

void CUDA_CB observe(void* data) {
  auto* o = static_cast<observation*>(data);
  o->complete = o->words[o->count - 1] == o->expected_last;
  o->seen_order = ++*o->order;
}
void CUDA_CB observe_callback(CUstream, CUresult status, void* data) {
  observe(data);
  if (status != CUDA_SUCCESS) static_cast<observation*>(data)->complete = false;
}

TEST_P(variants_test, order_and_visibility_hold) {
  choose(GetParam().name);
  constexpr u64 count = 1500;
  auto *first = pinned<u64>(count), *second = pinned<u64>(count);
  CUdeviceptr device = device_bytes(count * 8);
  CUstream a = make_stream(), b = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent e = make_event(CU_EVENT_DISABLE_TIMING);
  for (u64 round = 1; round <= 4; ++round) {
    std::atomic<int> order{0};
    const u64 base = round * 1000 + 1, last = base + 2 * (count - 1);
    observation written{first, count, last, &order}, copied{second, count, last, &order},
        in_legacy{second, count, last, &order};
    launch(a, "streamcts_write_pattern", device, count, base, u64{2}, u64{200'000});
    launch(a, "streamcts_copy_words", first, device, count);
    ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(a, observe_callback, &written, 0));
    ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, a));
    ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(b, e, 0));
    ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2(second, device, count * 8, b));
    ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(b, observe, &copied));
    ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, b));
    ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(a, e, 0));
    ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(nullptr, observe, &in_legacy));
    if (round % 2 == 0) {
      ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(nullptr));
    } else {
      EXPECT_TRUE(eventually([] { return cuStreamQuery(nullptr) == CUDA_SUCCESS; }));
    }
    EXPECT_TRUE(written.complete && copied.complete && in_legacy.complete);
    EXPECT_EQ(1, written.seen_order);
    EXPECT_EQ(2, copied.seen_order);
    EXPECT_EQ(3, in_legacy.seen_order);
  }
}

TEST_P(variants_test, a_callback_signals_without_further_calls) {
  choose(GetParam().name);
  auto* word = pinned<u64>();
  CUstream s = make_stream();
  call_record record;
  launch(s, "streamcts_write_pattern", word, u64{1}, u64{5}, u64{2}, u64{0});
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(s, count_callback, &record, 0));
  EXPECT_TRUE(eventually([&] { return record.calls == 1; }));
  EXPECT_EQ(5u, *word);  // VS-MAN-004, CB-THREAD-002
}

TEST_P(variants_test, graph_and_context_synchronization_hold) {
  choose(GetParam().name);
  auto* words = pinned<u64>(64);
  CUstream s = make_stream(CU_STREAM_NON_BLOCKING);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamBeginCapture_v2(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  std::atomic<int> order{0};
  observation inside{words, 64, 3 + 2 * 63, &order};
  launch(s, "streamcts_write_pattern", words, u64{64}, u64{3}, u64{2}, u64{300'000});
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, observe, &inside));
  CUgraph g = nullptr;
  CUgraphExec exec = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamEndCapture(s, &g));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphInstantiateWithFlags(&exec, g, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuGraphLaunch(exec, s));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_TRUE(inside.complete);
  EXPECT_EQ(CUDA_SUCCESS, cuGraphExecDestroy(exec));
  EXPECT_EQ(CUDA_SUCCESS, cuGraphDestroy(g));
}

INSTANTIATE_TEST_SUITE_P(all, variants_test, ::testing::ValuesIn(variants().begin(), variants().end()),
                         [](const auto& v) { return std::string(v.param.name); });

class one_variant_test : public variant_base {};

TEST_F(one_variant_test, table_is_in_order_and_names_each_decoy_once) {
  std::set<std::string> decoys;
  int position = 0;
  for (const variant_description& v : variants()) {
    EXPECT_EQ(++position, static_cast<int>(v.id)) << v.name;
    if (std::string(v.decoy) == "-") continue;
    EXPECT_TRUE(decoys.insert(v.decoy).second) << v.decoy;
  }
  EXPECT_EQ(15u, decoys.size());
  EXPECT_EQ(position, static_cast<int>(variant::wait_covers_more));
}

TEST_F(one_variant_test, unknown_name_is_refused) {
  EXPECT_FALSE(select_variant("no_such_variant"));
  setenv("STREAMCTS_VARIANT", "no_such_variant", 1);
  EXPECT_FALSE(select_variant_from_environment());
  setenv("STREAMCTS_VARIANT", "lazy_submit", 1);
  setenv("CUDA_LAUNCH_BLOCKING", "1", 1);
  EXPECT_TRUE(select_variant_from_environment());
  EXPECT_TRUE(active(variant::lazy_submit));
  EXPECT_TRUE(active(variant::launch_blocking));
  unsetenv("STREAMCTS_VARIANT");
  unsetenv("CUDA_LAUNCH_BLOCKING");
  EXPECT_TRUE(select_variant_from_environment());
  EXPECT_FALSE(active(variant::launch_blocking));
}

TEST_F(one_variant_test, inline_and_blocking_calls_return_when_done) {
  for (const char* name : {"inline_host_calls", "launch_blocking"}) {
    choose(name);
    call_record record;
    ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(make_stream(), count_function, &record));
    EXPECT_EQ(1, record.calls) << name;
  }
}

TEST_F(one_variant_test, queries_lie_for_a_while) {
  choose("spurious_not_ready");
  CUstream s = make_stream();
  call_record record;
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, count_function, &record));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
  EXPECT_TRUE(eventually([&] { return cuStreamQuery(s) == CUDA_SUCCESS; }));
}

TEST_F(one_variant_test, calls_in_host_functions_are_refused) {
  choose("not_permitted_inside");
  static std::atomic<CUresult> inside;
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(
                              nullptr,
                              [](void*) {
                                CUdevice d;
                                inside = cuDeviceGet(&d, 0);
                              },
                              nullptr));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(nullptr));
  EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, inside);
}

TEST_F(one_variant_test, writes_come_late_but_in_time) {
  choose("visibility_late");
  auto *word = pinned<u64>(), *copy = pinned<u64>();
  CUstream s = make_stream();
  CUevent e = make_event();
  launch(s, "streamcts_write_pattern", word, u64{1}, u64{9}, u64{2}, u64{0});
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32Async(reinterpret_cast<CUdeviceptr>(copy), 7, 1, s));
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, s));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_EQ(0u, __atomic_load_n(copy, __ATOMIC_RELAXED));  // finished, not visible
  EXPECT_TRUE(eventually([&] { return cuEventQuery(e) == CUDA_SUCCESS; }));
  EXPECT_EQ(9u, *word);
  EXPECT_EQ(7u, *copy);
}

TEST_F(one_variant_test, fresh_threads) {
  choose("fresh_thread");
  std::atomic<int> order{0};
  auto* word = pinned<u64>();
  observation first{word, 1, 0, &order}, second{word, 1, 0, &order};
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, observe, &first));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, observe, &second));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(2, second.seen_order);
}

TEST_F(one_variant_test, non_blocking_streams_wait_for_the_legacy_stream) {
  choose("legacy_syncs_non_blocking");
  gate g(pinned(2));
  CUstream s = make_stream(CU_STREAM_NON_BLOCKING);
  call_record record;
  launch(nullptr, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, count_function, &record));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
  EXPECT_EQ(0, record.calls);
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1, record.calls);
}

TEST_F(one_variant_test, independent_host_calls_run_in_reverse) {
  choose("reverse_host_calls");
  gate g(pinned(2));
  auto* word = pinned<u64>();
  std::atomic<int> order{0};
  CUstream held = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent e = make_event();
  launch(held, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, held));
  std::vector<observation> calls(3, observation{word, 1, 0, &order});
  for (observation& o : calls) {
    CUstream s = make_stream(CU_STREAM_NON_BLOCKING);
    ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(s, e, 0));
    ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, observe, &o));
  }
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_EQ(3, calls[0].seen_order);
  EXPECT_EQ(1, calls[2].seen_order);
}

}  // namespace
}  // namespace streamcts::reference::test
