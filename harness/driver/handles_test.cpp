// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// context, stream, event: over a mocked table.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/driver/context.h"
#include "harness/driver/event.h"
#include "harness/driver/stream.h"
#include "harness/driver/testing/mock_driver.h"

namespace streamcts::driver {
namespace {

using ::testing::_;
using ::testing::AtLeast;
using ::testing::DoAll;
using ::testing::ElementsAre;
using ::testing::Return;
using ::testing::SetArgPointee;

template <typename Handle>
Handle fake(std::uintptr_t value) {
  return reinterpret_cast<Handle>(value);
}

class Handles : public ::testing::Test {
 protected:
  testing::mock_driver driver_;
  const function_table table_ = testing::mock_driver::table();
  const CUstream stream_ = fake<CUstream>(0x100);
  const CUevent event_ = fake<CUevent>(0x200);
  const CUcontext context_ = fake<CUcontext>(0x300);

  void expect_stream(unsigned flags) {
    EXPECT_CALL(driver_.cuStreamCreate, Call(_, flags))
        .WillOnce(DoAll(SetArgPointee<0>(stream_), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuStreamDestroy, Call(stream_)).WillOnce(Return(CUDA_SUCCESS));
  }
  void expect_event(unsigned flags) {
    EXPECT_CALL(driver_.cuEventCreate, Call(_, flags))
        .WillOnce(DoAll(SetArgPointee<0>(event_), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuEventDestroy, Call(event_)).WillOnce(Return(CUDA_SUCCESS));
  }
  void expect_device() {
    EXPECT_CALL(driver_.cuDeviceGet, Call(_, 1))
        .WillOnce(DoAll(SetArgPointee<0>(41), Return(CUDA_SUCCESS)));
  }
};

std::vector<std::string>& failures() {
  static std::vector<std::string> seen;
  return seen;
}
void remember(const char* call, CUresult code) noexcept {
  failures().push_back(std::string(call) + " " + result_name(code));
}

TEST_F(Handles, StreamOfEachKind) {
  expect_stream(CU_STREAM_DEFAULT);
  { const stream s(table_, stream_kind::blocking); }
  expect_stream(CU_STREAM_NON_BLOCKING);
  const stream s(table_, stream_kind::non_blocking);
  EXPECT_EQ(s.get(), stream_);
  EXPECT_EQ(s.kind(), stream_kind::non_blocking);
  EXPECT_EQ(s.name(), "non_blocking");
  EXPECT_EQ(&s.table(), &table_);
}

TEST_F(Handles, DefaultStreamsOwnNothing) {
  // StrictMock: nothing may be created or destroyed.
  const stream null(table_, stream_kind::null_stream);
  stream legacy(table_, stream_kind::legacy);
  const stream per_thread(table_, stream_kind::per_thread);
  EXPECT_EQ(null.get(), nullptr);
  EXPECT_EQ(legacy.get(), CU_STREAM_LEGACY);
  EXPECT_EQ(per_thread.get(), CU_STREAM_PER_THREAD);
  legacy.destroy();
  EXPECT_EQ(legacy.release(), nullptr);
  EXPECT_EQ(legacy.get(), CU_STREAM_LEGACY);
}

TEST_F(Handles, PriorityStreamsTakeTheEndsOfTheRange) {
  EXPECT_CALL(driver_.cuCtxGetStreamPriorityRange, Call(_, _))
      .Times(2)
      .WillRepeatedly(DoAll(SetArgPointee<0>(0), SetArgPointee<1>(-5), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuStreamCreateWithPriority, Call(_, CU_STREAM_NON_BLOCKING, -5))
      .WillOnce(DoAll(SetArgPointee<0>(stream_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuStreamCreateWithPriority, Call(_, CU_STREAM_NON_BLOCKING, 0))
      .WillOnce(DoAll(SetArgPointee<0>(stream_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuStreamDestroy, Call(stream_)).Times(2).WillRepeatedly(Return(CUDA_SUCCESS));
  EXPECT_EQ(stream(table_, stream_kind::high_priority).get(), stream_);
  EXPECT_EQ(stream(table_, stream_kind::low_priority).name(), "low_priority");
}

TEST_F(Handles, StreamWithAPriorityOfItsOwn) {
  EXPECT_CALL(driver_.cuStreamCreateWithPriority, Call(_, CU_STREAM_DEFAULT, -2))
      .WillOnce(DoAll(SetArgPointee<0>(stream_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuStreamCreateWithPriority, Call(_, CU_STREAM_NON_BLOCKING, -2))
      .WillOnce(DoAll(SetArgPointee<0>(stream_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuStreamDestroy, Call(stream_)).Times(2).WillRepeatedly(Return(CUDA_SUCCESS));
  EXPECT_EQ(stream::with_priority(table_, -2, CU_STREAM_DEFAULT).kind(), stream_kind::blocking);
  EXPECT_EQ(stream::with_priority(table_, -2, CU_STREAM_NON_BLOCKING).kind(),
            stream_kind::non_blocking);
}

TEST_F(Handles, StreamErrorsNameTheCallersLine) {
  EXPECT_CALL(driver_.cuStreamCreate, Call(_, _)).WillOnce(Return(CUDA_ERROR_OUT_OF_MEMORY));
  const int line = __LINE__ + 2;
  try {
    const stream s(table_, stream_kind::blocking);
    FAIL() << "created";
  } catch (const call_error& error) {
    EXPECT_EQ(error.code, CUDA_ERROR_OUT_OF_MEMORY);
    EXPECT_EQ(static_cast<int>(error.site.line()), line);
  }
}

TEST_F(Handles, StreamCalls) {
  expect_stream(CU_STREAM_NON_BLOCKING);
  const stream s(table_, stream_kind::non_blocking);
  EXPECT_CALL(driver_.cuStreamSynchronize, Call(stream_)).WillOnce(Return(CUDA_SUCCESS));
  s.synchronize();
  EXPECT_CALL(driver_.cuStreamQuery, Call(stream_))
      .WillOnce(Return(CUDA_ERROR_NOT_READY))
      .WillOnce(Return(CUDA_SUCCESS))
      .WillOnce(Return(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_FALSE(s.query());
  EXPECT_TRUE(s.query());
  EXPECT_THROW(s.query(), call_error);
  EXPECT_CALL(driver_.cuStreamWaitEvent, Call(stream_, event_, CU_EVENT_WAIT_DEFAULT))
      .Times(2)
      .WillRepeatedly(Return(CUDA_SUCCESS));
  s.wait(event_);
  expect_event(CU_EVENT_DISABLE_TIMING);
  const event e(table_);
  s.wait(e);
}

TEST_F(Handles, WaitsAreBounded) {
  expect_stream(CU_STREAM_NON_BLOCKING);
  expect_event(CU_EVENT_DEFAULT);
  const stream s(table_, stream_kind::non_blocking);
  const event e(table_, CU_EVENT_DEFAULT);
  EXPECT_CALL(driver_.cuStreamQuery, Call(stream_))
      .WillOnce(Return(CUDA_ERROR_NOT_READY))
      .WillOnce(Return(CUDA_SUCCESS));
  EXPECT_TRUE(s.wait_idle(std::chrono::seconds(60)));
  EXPECT_CALL(driver_.cuEventQuery, Call(event_))
      .Times(AtLeast(1))
      .WillRepeatedly(Return(CUDA_ERROR_NOT_READY));
  EXPECT_FALSE(e.wait(std::chrono::microseconds(200)));
}

TEST_F(Handles, EventCalls) {
  expect_event(CU_EVENT_BLOCKING_SYNC);
  const event e(table_, CU_EVENT_BLOCKING_SYNC);
  EXPECT_CALL(driver_.cuEventRecord, Call(event_, stream_)).WillOnce(Return(CUDA_SUCCESS));
  e.record(stream_);
  EXPECT_CALL(driver_.cuEventRecordWithFlags, Call(event_, stream_, CU_EVENT_RECORD_EXTERNAL))
      .WillOnce(Return(CUDA_ERROR_INVALID_VALUE));
  EXPECT_THROW(e.record_with_flags(stream_, CU_EVENT_RECORD_EXTERNAL), call_error);
  EXPECT_CALL(driver_.cuEventSynchronize, Call(event_)).WillOnce(Return(CUDA_SUCCESS));
  e.synchronize();
  EXPECT_CALL(driver_.cuEventQuery, Call(event_))
      .WillOnce(Return(CUDA_ERROR_NOT_READY))
      .WillOnce(Return(CUDA_SUCCESS));
  EXPECT_FALSE(e.query());
  EXPECT_TRUE(e.query());
}

TEST_F(Handles, ElapsedTime) {
  expect_event(CU_EVENT_DEFAULT);
  const event e(table_, CU_EVENT_DEFAULT);
  EXPECT_CALL(driver_.cuEventElapsedTime, Call(_, event_, event_))
      .WillOnce(DoAll(SetArgPointee<0>(1.5f), Return(CUDA_SUCCESS)));
  EXPECT_EQ(elapsed_ms(e, e), 1.5f);
}

TEST_F(Handles, ElapsedTimeByTheNewerCall) {
  function_table newer = table_;
  newer.cuEventElapsedTime = nullptr;
  expect_event(CU_EVENT_DEFAULT);
  const event e(newer, CU_EVENT_DEFAULT);
  EXPECT_CALL(driver_.cuEventElapsedTime_v2, Call(_, event_, event_))
      .WillOnce(DoAll(SetArgPointee<0>(2.5f), Return(CUDA_SUCCESS)));
  EXPECT_EQ(elapsed_ms(e, e), 2.5f);
}

TEST_F(Handles, MovingTransfersOwnership) {
  expect_event(CU_EVENT_DISABLE_TIMING);
  event first(table_);
  event second(std::move(first));
  EXPECT_FALSE(first);
  EXPECT_EQ(second.get(), event_);
  first = std::move(second);
  EXPECT_EQ(first.get(), event_);
  auto& self = first;
  first = std::move(self);
  EXPECT_EQ(first.get(), event_);
}

TEST_F(Handles, DestroyShowsTheResultAndEmpties) {
  EXPECT_CALL(driver_.cuEventCreate, Call(_, _))
      .WillOnce(DoAll(SetArgPointee<0>(event_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuEventDestroy, Call(event_)).WillOnce(Return(CUDA_ERROR_LAUNCH_FAILED));
  event e(table_);
  EXPECT_THROW(e.destroy(), call_error);
  EXPECT_FALSE(e);
  e.destroy();
}

TEST_F(Handles, AFailedDestroyInADestructorGoesToTheHook) {
  failures().clear();
  EXPECT_EQ(set_destroy_failure_hook(remember), nullptr);
  EXPECT_CALL(driver_.cuEventCreate, Call(_, _))
      .Times(2)
      .WillRepeatedly(DoAll(SetArgPointee<0>(event_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuEventDestroy, Call(event_))
      .WillOnce(Return(CUDA_ERROR_LAUNCH_FAILED))
      .WillOnce(Return(CUDA_ERROR_LAUNCH_FAILED));
  { const event e(table_); }
  EXPECT_THAT(failures(), ElementsAre("cuEventDestroy CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_EQ(set_destroy_failure_hook(nullptr), &remember);
  { const event e(table_); }
  EXPECT_THAT(failures(), ElementsAre("cuEventDestroy CUDA_ERROR_LAUNCH_FAILED"));
}

TEST_F(Handles, AReleasedHandleIsLeftAlone) {
  EXPECT_CALL(driver_.cuEventCreate, Call(_, _))
      .WillOnce(DoAll(SetArgPointee<0>(event_), Return(CUDA_SUCCESS)));
  event e(table_);
  EXPECT_EQ(e.release(), event_);
}

TEST_F(Handles, PrimaryContext) {
  expect_device();
  EXPECT_CALL(driver_.cuDevicePrimaryCtxRetain, Call(_, 41))
      .WillOnce(DoAll(SetArgPointee<0>(context_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuCtxSetCurrent, Call(context_)).WillOnce(Return(CUDA_SUCCESS));
  EXPECT_CALL(driver_.cuCtxSynchronize, Call()).WillOnce(Return(CUDA_SUCCESS));
  EXPECT_CALL(driver_.cuDevicePrimaryCtxRelease, Call(41)).WillOnce(Return(CUDA_SUCCESS));
  const context c = context::primary(table_, 1);
  c.synchronize();
  EXPECT_TRUE(c.is_primary());
  EXPECT_EQ(c.get(), context_);
  EXPECT_EQ(c.device(), 41);
}

TEST_F(Handles, PrimaryContextIsGivenBackWhenItCannotBeMadeCurrent) {
  expect_device();
  EXPECT_CALL(driver_.cuDevicePrimaryCtxRetain, Call(_, 41))
      .WillOnce(DoAll(SetArgPointee<0>(context_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuCtxSetCurrent, Call(context_)).WillOnce(Return(CUDA_ERROR_INVALID_CONTEXT));
  EXPECT_CALL(driver_.cuDevicePrimaryCtxRelease, Call(41)).WillOnce(Return(CUDA_SUCCESS));
  EXPECT_THROW(context::primary(table_, 1), call_error);
}

TEST_F(Handles, CreatedContextMovesAndDies) {
  expect_device();
  EXPECT_CALL(driver_.cuCtxCreate, Call(_, CU_CTX_SCHED_SPIN, 41))
      .WillOnce(DoAll(SetArgPointee<0>(context_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuCtxDestroy, Call(context_)).WillOnce(Return(CUDA_SUCCESS));
  context c = context::create(table_, 1, CU_CTX_SCHED_SPIN);
  EXPECT_FALSE(c.is_primary());
  context d(std::move(c));
  c = std::move(d);
  EXPECT_EQ(c.get(), context_);
  EXPECT_EQ(d.get(), nullptr);
}

TEST_F(Handles, CreatedContextByTheNewerCall) {
  function_table newer = table_;
  newer.cuCtxCreate = nullptr;
  expect_device();
  EXPECT_CALL(driver_.cuCtxCreate_v4, Call(_, nullptr, 0, 41))
      .WillOnce(DoAll(SetArgPointee<0>(context_), Return(CUDA_SUCCESS)));
  context c = context::create(newer, 1);
  EXPECT_EQ(c.release(), context_);
}

TEST_F(Handles, DeviceAttribute) {
  EXPECT_CALL(driver_.cuDeviceGetAttribute, Call(_, CU_DEVICE_ATTRIBUTE_INTEGRATED, 41))
      .WillOnce(DoAll(SetArgPointee<0>(1), Return(CUDA_SUCCESS)))
      .WillOnce(Return(CUDA_ERROR_INVALID_DEVICE));
  EXPECT_EQ(device_attribute(table_, 41, CU_DEVICE_ATTRIBUTE_INTEGRATED), 1);
  EXPECT_THROW(device_attribute(table_, 41, CU_DEVICE_ATTRIBUTE_INTEGRATED), call_error);
}

TEST(StreamKind, NamesAreUnique) {
  std::vector<std::string_view> names;
  for (const auto kind : all_stream_kinds) names.push_back(to_string(kind));
  EXPECT_THAT(names, ElementsAre("null", "legacy", "per_thread", "blocking", "non_blocking",
                                 "high_priority", "low_priority"));
}

TEST(StreamKind, SaysWhichSynchronizeWithTheLegacyStream) {
  EXPECT_TRUE(synchronizes_with_legacy(stream_kind::blocking));
  EXPECT_TRUE(synchronizes_with_legacy(stream_kind::per_thread));
  EXPECT_TRUE(synchronizes_with_legacy(stream_kind::null_stream, stream_mode::per_thread));
  EXPECT_FALSE(synchronizes_with_legacy(stream_kind::null_stream));
  EXPECT_FALSE(synchronizes_with_legacy(stream_kind::legacy));
  EXPECT_FALSE(synchronizes_with_legacy(stream_kind::non_blocking));
  EXPECT_FALSE(synchronizes_with_legacy(stream_kind::high_priority));
}

}  // namespace
}  // namespace streamcts::driver
