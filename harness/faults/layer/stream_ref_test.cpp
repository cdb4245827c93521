// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/layer/stream_ref.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "harness/faults/layer/behaviour.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/load.h"
#include "harness/faults/layer/lost_context.h"

namespace streamcts::faults {
namespace {

/// The fake driver refuses every question about such a stream by the error of this number.
CUstream stream_of(CUresult error) {
  return reinterpret_cast<CUstream>(static_cast<std::uintptr_t>(error));
}

class StreamRef : public testing::Test {
 protected:
  StreamRef() {
    set_active(nullptr);
    setenv("STREAMCTS_REAL_DRIVER", STREAMCTS_FAKE_DRIVER, 1);
    setenv("STREAMCTS_FAULT", "stream_sync_returns_at_once", 1);
    unsetenv("STREAMCTS_FAULT_HITS");
    EXPECT_EQ(load_table(), "");
  }
  ~StreamRef() override {
    set_active(nullptr);
    unsetenv("STREAMCTS_FAULT");
    load_table();
  }
};

TEST_F(StreamRef, CountsAsCapturedWhereThatCannotBeTold) {
  const stream_ref stream{stream_of(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT)};
  EXPECT_TRUE(stream.is_capturing());
  EXPECT_TRUE(stream.is_waited_for_in_capture());
  EXPECT_NE(cuStreamSynchronize(stream.handle), CUDA_SUCCESS) << "passed by the fault";
}

TEST_F(StreamRef, WaitsOfALostContextAreTheMatterOfFaults) {
  const stream_ref stream{stream_of(CUDA_ERROR_ILLEGAL_ADDRESS)};
  EXPECT_TRUE(stream.is_capturing());
  EXPECT_FALSE(stream.is_waited_for_in_capture());
  const std::uint64_t before = hits();
  EXPECT_EQ(cuStreamSynchronize(stream.handle), CUDA_SUCCESS);
  EXPECT_EQ(hits(), before + 1);
}

TEST_F(StreamRef, IsAskedForItsCapture) {
  const stream_ref stream{reinterpret_cast<CUstream>(std::uintptr_t{3})};
  EXPECT_FALSE(stream.is_capturing());
  EXPECT_FALSE(stream.is_waited_for_in_capture());
}

TEST(LostContext, IsToldFromARefusal) {
  EXPECT_TRUE(means_lost_context(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_TRUE(means_lost_context(CUDA_ERROR_ASSERT));
  EXPECT_FALSE(means_lost_context(CUDA_ERROR_INVALID_VALUE));
  EXPECT_FALSE(means_lost_context(CUDA_SUCCESS));
}

}  // namespace
}  // namespace streamcts::faults
