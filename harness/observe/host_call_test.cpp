// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/host_call.h"

#include <gtest/gtest.h>

#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// A driver that runs every host call at once, or twice, or refuses.
int times_to_run = 1;
CUresult answer = CUDA_SUCCESS;

CUresult CUDAAPI add_callback(CUstream stream, CUstreamCallback callback, void* data, unsigned) {
  for (int i = 0; i < times_to_run; ++i) callback(stream, CUDA_ERROR_NOT_READY, data);
  return answer;
}
CUresult CUDAAPI launch_host_func(CUstream, CUhostFn function, void* data) {
  for (int i = 0; i < times_to_run; ++i) function(data);
  return answer;
}

class HostCall : public testing::Test {
 protected:
  HostCall() {
    times_to_run = 1;
    answer = CUDA_SUCCESS;
    table_.cuStreamAddCallback = &add_callback;
    table_.cuLaunchHostFunc = &launch_host_func;
  }
  driver::function_table table_;
  host_call_slot slot_;
  const CUstream stream_ = reinterpret_cast<CUstream>(std::uintptr_t{0x5150});
};

TEST_F(HostCall, RecordsWhatACallbackWasGiven) {
  slot_.enqueue(table_, host_call::add_callback, stream_);
  EXPECT_EQ(slot_.times(), 1u);
  EXPECT_TRUE(slot_.ended());
  EXPECT_EQ(slot_.stream(), stream_);
  EXPECT_EQ(slot_.status(), CUDA_ERROR_NOT_READY);
}

TEST_F(HostCall, ActsInOrderAndStamps) {
  host_call_counts counts;
  event_log log;
  std::string acts;
  slot_.counts = &counts;
  slot_.log = &log;
  slot_.label = "host function 1";
  slot_.at_start = [&] { acts += "start "; };
  slot_.before_return = [&] { acts += "end"; };
  slot_.enqueue(table_, host_call::launch_host_func, stream_);
  EXPECT_EQ(acts, "start end");
  EXPECT_LT(slot_.begin_stamp(), slot_.end_stamp());
  EXPECT_EQ(slot_.in_flight(), 1);
  EXPECT_EQ(counts.in_flight.load(), 0);
  ASSERT_EQ(log.entries().size(), 2u);
  EXPECT_EQ(log.entries()[1].phase, log_phase::end);
}

TEST_F(HostCall, CountsASecondExecutionAndDoesNothingElse) {
  int acts = 0;
  slot_.at_start = [&] { ++acts; };
  times_to_run = 2;
  slot_.enqueue(table_, host_call::add_callback, stream_);
  EXPECT_EQ(slot_.times(), 2u);
  EXPECT_EQ(acts, 1);
}

TEST_F(HostCall, PassesOnARefusal) {
  answer = CUDA_ERROR_INVALID_VALUE;
  EXPECT_THROW(slot_.enqueue(table_, host_call::add_callback, stream_), driver::call_error);
  EXPECT_THROW(slot_.enqueue(table_, host_call::launch_host_func, stream_), driver::call_error);
}

TEST_F(HostCall, HasNames) {
  EXPECT_EQ(name(host_call::add_callback), "add_callback");
  EXPECT_EQ(name(host_call::launch_host_func), "launch_host_func");
}

}  // namespace
}  // namespace streamcts
