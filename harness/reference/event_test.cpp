// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events.

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

class event_test : public driver_test {
 protected:
  void hold(CUstream s, const gate& g) {
    launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  }
  void signal(CUstream s, std::uint32_t* word) { launch(s, "streamcts_signal", word, 1u); }
  static bool set(const std::uint32_t* word) {
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0;
  }
};

TEST_F(event_test, never_recorded_stands_for_nothing) {
  CUevent e = make_event();
  EXPECT_EQ(CUDA_SUCCESS, cuEventQuery(e));
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(e));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(make_stream(), e, 0));
  float ms = 0;
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime(&ms, e, e));
}

TEST_F(event_test, wait_binds_to_the_record_at_the_call) {
  CUstream a = make_stream(CU_STREAM_NON_BLOCKING), b = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent e = make_event(CU_EVENT_DISABLE_TIMING);
  gate first(pinned(2)), second(pinned(2));
  std::uint32_t* after = pinned();
  hold(a, first);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, a));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(e));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(b, e, 0));
  signal(b, after);
  hold(a, second);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(e, a));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(b));
  EXPECT_FALSE(set(after));
  first.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b));  // although the second record is still held
  EXPECT_TRUE(set(after));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(e));
  second.open();
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(e));
}

TEST_F(event_test, destroyed_event_keeps_the_wait) {
  CUstream a = make_stream(), b = make_stream();
  CUevent e = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuEventCreate(&e, 0));
  gate g(pinned(2));
  std::uint32_t* after = pinned();
  hold(a, g);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord_ptsz(e, a));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent_ptsz(b, e, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuEventDestroy(e));
  signal(b, after);
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_FALSE(set(after));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b));
  EXPECT_TRUE(set(after));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventQuery(e));
}

TEST_F(event_test, joins_are_transitive_without_work_in_between) {
  CUstream a = make_stream(), b = make_stream(), c = make_stream();
  CUevent first = make_event(), second = make_event();
  gate g(pinned(2));
  call_record record;
  hold(a, g);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(first, a));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(b, first, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(second, b));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(c, second, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamAddCallback(c, count_callback, &record, 0));
  EXPECT_TRUE(eventually([&] { return g.begun(); }));
  EXPECT_EQ(0, record.calls);
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(c));
  EXPECT_EQ(1, record.calls);
}

TEST_F(event_test, legacy_record_and_wait_are_ordered_with_blocking_streams) {
  CUstream a = make_stream(), b = make_stream(), free = make_stream(CU_STREAM_NON_BLOCKING);
  CUevent in_legacy = make_event(), in_free = make_event();
  gate g(pinned(2)), other(pinned(2));
  std::uint32_t* after = pinned();
  hold(a, g);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(in_legacy, nullptr));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventQuery(in_legacy));
  g.open();
  EXPECT_EQ(CUDA_SUCCESS, cuEventSynchronize(in_legacy));

  hold(free, other);
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(in_free, free));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitEvent(nullptr, in_free, 0));
  signal(b, after);
  EXPECT_TRUE(eventually([&] { return other.begun(); }));
  EXPECT_FALSE(set(after));
  other.open();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(b));
  EXPECT_TRUE(set(after));
}

TEST_F(event_test, elapsed_time) {
  CUstream s = make_stream();
  CUevent start = make_event(), end = make_event(), untimed = make_event(CU_EVENT_DISABLE_TIMING);
  float ms = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(start, s));
  launch(s, "streamcts_delay", std::uint64_t{2'000'000});
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecord(end, s));
  EXPECT_EQ(CUDA_ERROR_NOT_READY, cuEventElapsedTime_v2(&ms, start, end));
  ASSERT_EQ(CUDA_SUCCESS, cuEventRecordWithFlags(untimed, s, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuEventSynchronize(untimed));
  EXPECT_EQ(CUDA_SUCCESS, cuEventElapsedTime_v2(&ms, start, end));
  EXPECT_GE(ms, 2.0f);
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventElapsedTime_v2(&ms, start, untimed));
}

TEST_F(event_test, refuses_wrong_use) {
  CUevent e = nullptr;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&e, 0x80));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuEventCreate(&e, CU_EVENT_INTERPROCESS));
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED,
            cuEventCreate(&e, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
  e = make_event();
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuEventRecordWithFlags(e, nullptr, CU_EVENT_RECORD_EXTERNAL));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWaitEvent(nullptr, e, CU_EVENT_WAIT_EXTERNAL));
  CUcontext other = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuCtxCreate_v4(&other, nullptr, 0, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuEventRecord(e, nullptr));  // of the other context
  ASSERT_EQ(CUDA_SUCCESS, cuCtxDestroy_v2(other));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
}

}  // namespace
}  // namespace streamcts::reference::test
