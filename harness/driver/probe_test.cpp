// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Probing poor drivers: what works is said to work, what does not is said with its reason.

#include "harness/driver/probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "harness/driver/result.h"

namespace streamcts::driver {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

driver_library fake(const std::string& name) {
  return driver_library::open(std::string(STREAMCTS_FAKES_DIR) + "/lib" + name + ".so");
}

probe_options quick() {
  probe_options options;
  options.patience = std::chrono::milliseconds(20);
  return options;
}

TEST(Features, HaveNamesThatLeadBack) {
  EXPECT_THAT(all_features(), SizeIs(feature_count));
  for (const feature f : all_features()) {
    ASSERT_FALSE(to_string(f).empty());
    EXPECT_EQ(feature_from(to_string(f)), f);
  }
  EXPECT_EQ(to_string(feature::managed_concurrent), "managed_concurrent");
  EXPECT_EQ(to_string(feature::gate_value_wait), "gate_value_wait");
  EXPECT_EQ(to_string(feature::runtime_per_thread), "runtime_per_thread");
  EXPECT_EQ(feature_from("telepathy"), std::nullopt);
}

TEST(Capabilities, ReadsAttributesByName) {
  capabilities c;
  c.attributes["managed_memory"] = 1;
  EXPECT_EQ(c.attribute("managed_memory"), 1);
  EXPECT_EQ(c.attribute("unknown", -1), -1);
  EXPECT_EQ(c.of(feature::mapped).reason, "not tried");
  c.of(feature::mapped).works = true;
  EXPECT_TRUE(c.works(feature::mapped));
}

TEST(Capabilities, KnowsTheReferenceByTheDevicesName) {
  capabilities c;
  c.device_name = "NVIDIA H200";
  EXPECT_FALSE(c.is_reference());
  c.device_name = "streamcts reference 0";
  EXPECT_TRUE(c.is_reference());
}

TEST(Probe, DriverWithoutDevices) {
  const auto driver = fake("fake_empty_driver");
  try {
    probe(driver, quick()).run();
    FAIL() << "probed";
  } catch (const not_supported& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("no device"), HasSubstr("libfake_empty_driver.so")));
  }
}

TEST(Probe, DeviceThatIsNotThere) {
  const auto driver = fake("fake_driver");
  auto options = quick();
  options.device_ordinal = 3;
  EXPECT_THROW(probe(driver, options).run(), not_supported);
}

TEST(Probe, SaysWhatAPoorDriverCannotDo) {
  const auto driver = fake("fake_driver");
  std::vector<std::string> steps;
  std::vector<feature> results;
  auto options = quick();
  options.on_step = [&](std::string_view step) { steps.emplace_back(step); };
  options.on_result = [&](feature f, const ability&) { results.push_back(f); };
  options.skip[feature::ipc_events] = "killed a child before";
  const capabilities found = probe(driver, options).run();

  const auto reason = [&](feature f) { return found.of(f).reason; };
  EXPECT_EQ(found.device_name, "fake");
  EXPECT_EQ(found.device_count, 1);
  EXPECT_EQ(found.driver_path, driver.path());
  EXPECT_EQ(found.driver_build_id, "0123456789abcdef");
  EXPECT_THAT(found.missing_functions, Contains("cuGraphLaunch"));
  EXPECT_THAT(found.mapped_files, Contains(driver.path()));

  // No such call, and the other way works.
  EXPECT_EQ(reason(feature::kernel_library), "cuLibraryLoadData returned CUDA_ERROR_NOT_SUPPORTED");
  EXPECT_TRUE(found.works(feature::kernel_module));
  EXPECT_EQ(reason(feature::stream_callback),
            "cuStreamAddCallback returned CUDA_ERROR_NOT_SUPPORTED");
  EXPECT_TRUE(found.works(feature::host_function));
  EXPECT_THAT(reason(feature::host_function), IsEmpty());
  // Attributes that deny it, or that the driver does not know.
  EXPECT_EQ(reason(feature::managed), "managed_memory is unknown");
  EXPECT_EQ(reason(feature::managed_concurrent), "concurrent_managed_access = 0");
  EXPECT_THAT(reason(feature::priorities), HasSubstr("single"));
  EXPECT_THAT(reason(feature::per_thread_mode), HasSubstr("no per-thread entry points"));
  EXPECT_TRUE(found.works(feature::pinned));
  EXPECT_TRUE(found.works(feature::mapped));
  EXPECT_THAT(reason(feature::registered), HasSubstr("cuMemHostRegister"));
  // Gates: calls that wait for their work, kernels that never run.
  EXPECT_THAT(reason(feature::gate_host_function), HasSubstr("calls wait for their work"));
  EXPECT_THAT(reason(feature::gate_kernel_mapped), HasSubstr("did not begin"));
  EXPECT_THAT(reason(feature::gate_kernel_device), HasSubstr("did not begin"));
  EXPECT_THAT(reason(feature::gate_value_wait), HasSubstr("calls wait for their work"));
  EXPECT_TRUE(found.works(feature::memop_32));
  EXPECT_EQ(reason(feature::memop_64), "can_use_64_bit_stream_mem_ops = 0");
  EXPECT_EQ(reason(feature::multi_device), "there is one device");
  EXPECT_EQ(reason(feature::peer_access), "there is one device");
  EXPECT_EQ(reason(feature::ipc_events), "killed a child before");
  EXPECT_EQ(reason(feature::runtime), "no runtime was given");

  EXPECT_THAT(steps, Contains("context"));
  EXPECT_THAT(steps, Contains("gate_kernel_mapped"));
  EXPECT_THAT(steps, ::testing::Not(Contains("ipc_events")));
  EXPECT_THAT(results, ::testing::ElementsAreArray(all_features()));
}

TEST(Probe, WaitsForAStuckDriverOnlySoLong) {
  const auto driver = fake("fake_stuck_driver");
  auto options = quick();
  options.patience = std::chrono::milliseconds(2);
  const capabilities found = probe(driver, options).run();
  EXPECT_THAT(found.of(feature::kernel_module).reason, HasSubstr("did not finish within 2 ms"));
  EXPECT_THAT(found.of(feature::host_function).reason, HasSubstr("did not complete within 2 ms"));
  EXPECT_EQ(found.of(feature::mapped).reason, "no kernel could be loaded");
  for (const feature f : all_features()) EXPECT_FALSE(found.works(f)) << to_string(f);
}

TEST(Probe, SeveralDevicesWithoutPeers) {
  const auto driver = fake("fake_pair_driver");
  const capabilities found = probe(driver, quick()).run();
  EXPECT_EQ(found.device_count, 2);
  EXPECT_TRUE(found.works(feature::multi_device));
  EXPECT_THAT(found.of(feature::peer_access).reason, HasSubstr("cuDeviceCanAccessPeer = 0"));
}

TEST(Probe, SaysWhyThereIsNoRuntime) {
  const auto driver = fake("fake_driver");
  probe p(driver, quick());
  p.no_runtime("runtime bound to elsewhere");
  EXPECT_EQ(p.run().of(feature::runtime_per_thread).reason, "runtime bound to elsewhere");
}

}  // namespace
}  // namespace streamcts::driver
