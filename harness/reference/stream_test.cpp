// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream order, the legacy stream's edges, synchronization, scale.

#include <thread>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

class stream_test : public driver_test {
 protected:
  void hold(CUstream s, const gate& g) {
    launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  }
  void signal(CUstream s, std::uint32_t* word) { launch(s, "streamcts_signal", word, 1u); }
  static bool set(const std::uint32_t* word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0; }
  /// Whether work enqueued now in a stream of no relation runs: whatever else could, has had a chance.
  bool canary() {
    CUstream s = make_stream(CU_STREAM_NON_BLOCKING);
    signal(s, canary_word_ != nullptr ? canary_word_ : canary_word_ = pinned());
    return cuStreamSynchronize(s) == CUDA_SUCCESS && set(canary_word_);
  }

 private:
  std::uint32_t* canary_word_ = nullptr;
};

TEST_F(stream_test, work_waits_for_earlier_work_of_its_stream) {
  CUstream s = make_stream();
  gate g(pinned(2));
  std::uint32_t* after = pinned();
  hold(s, g);
  signal(s, after);
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_TRUE(canary());
  EXPECT_FALSE(set(after));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_TRUE(set(after));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamQuery(s));
}

TEST_F(stream_test, legacy_stream_waits_for_blocking_streams_and_holds_them_back) {
  CUstream blocking = make_stream(), other = make_stream(),
           free = make_stream(CU_STREAM_NON_BLOCKING);
  gate g(pinned(2));
  std::uint32_t *in_legacy = pinned(), *in_other = pinned(), *in_free = pinned();
  hold(blocking, g);
  signal(nullptr, in_legacy);
  signal(other, in_other);
  signal(free, in_free);
  EXPECT_TRUE(canary());
  EXPECT_TRUE(eventually([&] { return set(in_free); }));
  EXPECT_FALSE(set(in_legacy));
  EXPECT_FALSE(set(in_other));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(other));
  EXPECT_TRUE(set(in_legacy));
  EXPECT_TRUE(set(in_other));
}

TEST_F(stream_test, per_thread_stream_is_a_blocking_stream_of_its_thread) {
  gate g(pinned(2));
  std::uint32_t *mine = pinned(), *theirs = pinned(), *legacy = pinned();
  void* parameters[] = {nullptr, nullptr, nullptr};
  hold(CU_STREAM_PER_THREAD, g);
  std::uint32_t one = 1;
  parameters[0] = &mine;
  parameters[1] = &one;
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchKernel_ptsz(kernel("streamcts_signal"), 1, 1, 1, 1, 1, 1, 0,
                                              nullptr, parameters, nullptr));
  std::thread([&] {
    ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
    signal(CU_STREAM_PER_THREAD, theirs);
    EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(CU_STREAM_PER_THREAD));
  }).join();
  EXPECT_TRUE(set(theirs));
  EXPECT_FALSE(set(mine));
  signal(CU_STREAM_LEGACY, legacy);
  EXPECT_TRUE(canary());
  EXPECT_FALSE(set(legacy));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize_ptsz(nullptr));
  EXPECT_TRUE(set(mine));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(nullptr));
  EXPECT_TRUE(set(legacy));
}

TEST_F(stream_test, context_synchronization_covers_destroyed_streams) {
  CUstream s = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  gate g(pinned(2));
  std::uint32_t* after = pinned();
  hold(s, g);
  signal(s, after);
  EXPECT_EQ(CUDA_SUCCESS, cuStreamDestroy_v2(s));
  EXPECT_FALSE(set(after));
  std::thread opener([&] { g.open(); });
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  EXPECT_TRUE(set(after));
  opener.join();
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuStreamQuery(s));
}

TEST_F(stream_test, a_thousand_streams) {
  constexpr int count = 1000;
  std::uint32_t* words = pinned(count);
  for (int i = 0; i < count; ++i) {
    signal(make_stream(i % 2 == 0 ? CU_STREAM_DEFAULT : CU_STREAM_NON_BLOCKING), words + i);
  }
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  for (int i = 0; i < count; ++i) ASSERT_TRUE(set(words + i)) << i;
}

TEST_F(stream_test, many_shut_gates_leave_other_streams_running) {
  constexpr int count = 96;
  std::uint32_t* words = pinned(2 * count);
  std::vector<std::unique_ptr<gate>> gates;
  for (int i = 0; i < count; ++i) {
    gates.push_back(std::make_unique<gate>(words + 2 * i));
    hold(make_stream(CU_STREAM_NON_BLOCKING), *gates.back());
  }
  for (const auto& g : gates) EXPECT_TRUE(eventually([&] { return g->begun(); }));
  EXPECT_TRUE(canary());
  for (const auto& g : gates) g->open();
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  for (const auto& g : gates) EXPECT_FALSE(g->expired());
}

}  // namespace
}  // namespace streamcts::reference::test
