// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Callbacks and host functions.

#include <mutex>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

class host_call_test : public driver_test {
 protected:
  void hold(CUstream s, const gate& g) {
    launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  }
};

TEST_F(host_call_test, runs_after_earlier_work_with_its_handle_and_status) {
  CUstream s = make_stream();
  gate g(pinned(2));
  call_record callback, function;
  hold(s, g);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(s, count_callback, &callback, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, count_function, &function));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(0, callback.calls);
  EXPECT_EQ(0, function.calls);
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1, callback.calls);
  EXPECT_EQ(s, callback.stream);
  EXPECT_EQ(CUDA_SUCCESS, callback.status);
  EXPECT_EQ(1, function.calls);
}

TEST_F(host_call_test, special_handles_come_back_as_passed) {
  for (CUstream handle : {CUstream{nullptr}, CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    call_record record;
    record.stream = reinterpret_cast<CUstream>(7);
    ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(handle, count_callback, &record, 0));
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(handle));
    EXPECT_EQ(handle, record.stream);
    EXPECT_EQ(1, record.calls);
  }
  call_record record;
  record.stream = reinterpret_cast<CUstream>(7);
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback_ptsz(nullptr, count_callback, &record, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize_ptsz(nullptr));
  EXPECT_EQ(nullptr, record.stream);
}

TEST_F(host_call_test, holds_back_later_work_until_it_returns) {
  struct blocker {
    std::atomic<bool> begun{false}, release{false};
  } b;
  CUstream s = make_stream();
  std::uint32_t* after = pinned();
  ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(
                              s,
                              [](void* data) {
                                auto* self = static_cast<blocker*>(data);
                                self->begun = true;
                                while (!self->release) std::this_thread::yield();
                              },
                              &b));
  launch(s, "streamcts_signal", after, 1u);
  EXPECT_TRUE(eventually([&] { return b.begun.load(); }));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
  EXPECT_EQ(0u, __atomic_load_n(after, __ATOMIC_ACQUIRE));
  b.release = true;
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1u, *after);
}

TEST_F(host_call_test, refuses_bad_arguments) {
  CUstream s = make_stream();
  call_record record;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(s, nullptr, &record, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamAddCallback(s, count_callback, &record, 1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuLaunchHostFunc(s, nullptr, &record));
  const auto unknown = reinterpret_cast<CUstream>(0x5555);
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuLaunchHostFunc(unknown, count_function, &record));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuLaunchHostFunc(nullptr, count_function, &record));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
  EXPECT_EQ(0, record.calls);
}

TEST_F(host_call_test, cuda_calls_inside) {
  struct results {
    CUstream stream;
    CUresult enqueue, wait;
  } in_callback{make_stream(), CUDA_SUCCESS, CUDA_SUCCESS}, in_function = in_callback;
  const auto call_cuda = [](results& r) {
    static call_record ignored;
    r.enqueue = cuLaunchHostFunc(r.stream, count_function, &ignored);
    r.wait = cuStreamSynchronize(r.stream);
  };
  static const auto body = call_cuda;
  CUstream s = in_function.stream;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(
                              s, [](CUstream, CUresult, void* r) { body(*static_cast<results*>(r)); },
                              &in_callback, 0));
  ASSERT_EQ(CUDA_SUCCESS,
            cuLaunchHostFunc(s, [](void* r) { body(*static_cast<results*>(r)); }, &in_function));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, in_callback.enqueue);
  EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, in_callback.wait);
  EXPECT_EQ(CUDA_SUCCESS, in_function.enqueue);
  EXPECT_EQ(CUDA_ERROR_NOT_PERMITTED, in_function.wait);
}

TEST_F(host_call_test, many_in_a_row_run_once_and_in_order) {
  // The user data is the next number expected.
  static std::atomic<std::uintptr_t> next;
  next = 0;
  CUstream s = make_stream();
  constexpr std::uintptr_t rounds = 2000;
  const auto begin = std::chrono::steady_clock::now();
  for (std::uintptr_t i = 0; i < rounds; ++i) {
    ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(
                                s,
                                [](CUstream, CUresult, void* number) {
                                  auto expected = reinterpret_cast<std::uintptr_t>(number);
                                  next.compare_exchange_strong(expected, expected + 1);
                                },
                                reinterpret_cast<void*>(i), 0));
  }
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  const auto mean = (std::chrono::steady_clock::now() - begin) / rounds;
  RecordProperty("mean_ns", static_cast<int>(mean.count()));
  EXPECT_EQ(rounds, next);
}

}  // namespace
}  // namespace streamcts::reference::test
