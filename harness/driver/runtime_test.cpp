// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A program of its own: a driver with the SONAME libcuda.so.1 can be in a process once.

#include "harness/driver/runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "harness/driver/probe.h"

namespace streamcts::driver {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string fake(const std::string& name) {
  return std::string(STREAMCTS_FAKES_DIR) + "/lib" + name + ".so";
}

TEST(Runtime, OverADriverThatIsNotLibcudaByName) {
  // Whether or not one with that name is in the process already.
  const auto driver = driver_library::open(fake("fake_driver"));
  try {
    runtime_library::open(fake("fake_runtime"), driver);
    FAIL() << "opened";
  } catch (const not_supported& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("runtime bound to "), HasSubstr(driver.path())));
  }
}

TEST(Runtime, OverTheDriverUnderTest) {
  const auto driver = driver_library::open(fake("fake_named_driver"));
  const auto runtime = runtime_library::open(fake("fake_runtime"), driver);
  EXPECT_EQ(runtime.version(), CUDART_VERSION);
  EXPECT_THAT(runtime.path(), HasSubstr("libfake_runtime.so"));
  EXPECT_EQ(runtime.build_id(), "");
  EXPECT_EQ(runtime.functions(stream_mode::legacy).cudaDeviceSynchronize(), cudaSuccess);
  EXPECT_TRUE(runtime.functions(stream_mode::legacy).cudaStreamQuery);
  EXPECT_FALSE(runtime.functions(stream_mode::per_thread).cudaStreamQuery);
  EXPECT_TRUE(runtime.functions(stream_mode::per_thread).cudaFree);
  EXPECT_EQ(runtime.functions(stream_mode::legacy).cudaMallocHost(nullptr, 1),
            cudaErrorNotSupported);
}

TEST(Runtime, OfAnotherMajorVersion) {
  const auto driver = driver_library::open(fake("fake_named_driver"));
  try {
    runtime_library::open(fake("fake_old_runtime"), driver);
    FAIL() << "opened";
  } catch (const not_supported& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("12080"), HasSubstr("13.x")));
  }
}

TEST(Runtime, LibraryThatIsNone) {
  const auto driver = driver_library::open(fake("fake_named_driver"));
  for (const auto* name : {"no_driver", "fake_incomplete_runtime"}) {
    try {
      runtime_library::open(fake(name), driver);
      FAIL() << name << " opened";
    } catch (const load_error& error) {
      EXPECT_EQ(error.why(), load_error::cause::not_a_driver);
      EXPECT_THAT(error.what(), HasSubstr("is no CUDA runtime"));
    }
  }
  EXPECT_THROW(runtime_library::open("/nowhere/libcudart.so", driver), load_error);
}

TEST(Runtime, SystemNameFollowsTheHeaders) {
  EXPECT_EQ(system_runtime_name(), "libcudart.so.13");
}

capabilities probe_with(const std::string& runtime_name) {
  const auto driver = driver_library::open(fake("fake_named_driver"));
  const auto runtime = runtime_library::open(fake(runtime_name), driver);
  probe_options options;
  options.patience = std::chrono::milliseconds(5);
  for (const feature f : all_features()) {
    if (f < feature::runtime) options.skip[f] = "not in this test";
  }
  probe p(driver, options);
  p.use_runtime(runtime);
  return p.run();
}

TEST(RuntimeProbe, WorkThatDoesNotComplete) {
  const auto found = probe_with("fake_runtime");
  EXPECT_EQ(found.runtime_version, CUDART_VERSION);
  EXPECT_THAT(found.of(feature::runtime).reason, HasSubstr("did not complete"));
  EXPECT_EQ(found.of(feature::runtime_per_thread).reason,
            "cudaLaunchHostFunc returned CUDA_ERROR_NOT_SUPPORTED");
}

TEST(RuntimeProbe, RefusedCall) {
  EXPECT_EQ(probe_with("fake_refusing_runtime").of(feature::runtime).reason,
            "cudaLaunchHostFunc returned CUDA_ERROR_NOT_PERMITTED");
}

}  // namespace
}  // namespace streamcts::driver
