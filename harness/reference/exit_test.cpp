// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Leaving the process with work pending: neither a crash nor a hang.

#include <cstdlib>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

class exit_test : public driver_test {
 protected:
  void SetUp() override {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    driver_test::SetUp();
  }
  void leave_with_work() {
    auto* words = pinned(2);
    gate g(words);
    static call_record record;
    CUstream s = make_stream(), busy = make_stream(CU_STREAM_NON_BLOCKING);
    launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
    for (int i = 0; i < 100; ++i) {
      cuLaunchHostFunc(busy, [](void*) { std::this_thread::yield(); }, nullptr);
      cuStreamAddCallback(s, count_callback, &record, 0);
      launch(busy, "streamcts_delay", std::uint64_t{10'000});
    }
    std::exit(eventually([&] { return g.begun(); }) ? 7 : 1);
  }
};

TEST_F(exit_test, with_gates_host_calls_and_kernels) {
  EXPECT_EXIT(leave_with_work(), ::testing::ExitedWithCode(7), "");
}

// Destroyed in exit(), after the driver has stopped: its calls must not wait.
struct late_caller {
  ~late_caller() {
    if (active && cuCtxSynchronize() != CUDA_ERROR_DEINITIALIZED) std::abort();
  }
  bool active = false;
} late;

TEST_F(exit_test, calls_in_destructors_do_not_wait) {
  EXPECT_EXIT(
      {
        late.active = true;
        leave_with_work();
      },
      ::testing::ExitedWithCode(7), "");
}

void check_two_devices() {
  setenv("STREAMCTS_REFERENCE_DEVICES", "2", 1);
  int count = 0, access = 0;
  CUcontext first = nullptr, second = nullptr;
  CUdevice device = -1;
  cuInit(0);
  cuDeviceGetCount(&count);
  cuDeviceCanAccessPeer(&access, 0, 1);
  cuDevicePrimaryCtxRetain(&first, 0);
  cuDevicePrimaryCtxRetain(&second, 1);
  cuCtxSetCurrent(first);
  const bool peers = cuCtxEnablePeerAccess(second, 0) == CUDA_SUCCESS &&
                     cuCtxDisablePeerAccess(second) == CUDA_SUCCESS;
  cuCtxSetCurrent(second);
  cuCtxGetDevice(&device);
  std::exit(count == 2 && access == 1 && peers && device == 1 ? 7 : 1);
}

TEST(several_devices_test, by_the_environment) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(check_two_devices(), ::testing::ExitedWithCode(7), "");
}

TEST(uninitialized_test, calls_before_init_are_refused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        int count = 0;
        std::exit(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "");
}

TEST(uninitialized_test, unknown_variant_is_named) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("STREAMCTS_VARIANT", "Z99", 1);
        std::exit(cuInit(0) == CUDA_ERROR_NOT_INITIALIZED ? 7 : 1);
      },
      ::testing::ExitedWithCode(7), "STREAMCTS_VARIANT=Z99 is unknown; one of: one_queue ");
}

}  // namespace
}  // namespace streamcts::reference::test
