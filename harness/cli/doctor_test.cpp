// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/cli/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "harness/cli/numbers.h"
#include "harness/runner/errors.h"

namespace streamcts::cli {
namespace {

namespace fs = std::filesystem;
using grade = finding::grade;
using testing::HasSubstr;

class Doctor : public testing::Test {
 protected:
  Doctor() {
    std::string name = fs::temp_directory_path() / "streamcts-doctor-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~Doctor() override { fs::remove_all(root_); }
  void file(const std::string& name, const std::string& text = {}) {
    std::ofstream(root_ / name) << text;
  }
  fs::path root_;
};

TEST_F(Doctor, LooksAtDeviceNodes) {
  EXPECT_EQ(check_device_nodes(root_).how, grade::lacking);
  file("nvidiactl");
  EXPECT_EQ(check_device_nodes(root_).how, grade::note);
  file("nvidia0");
  file("nvidia-uvm");
  EXPECT_EQ(check_device_nodes(root_).how, grade::good);
  if (::geteuid() != 0) {
    fs::permissions(root_ / "nvidia0", fs::perms::none);
    EXPECT_EQ(check_device_nodes(root_).how, grade::lacking);
  }
}

TEST_F(Doctor, LooksAtTheKernel) {
  EXPECT_EQ(check_kernel_module(root_ / "version").how, grade::note);
  file("version", "NVRM version: x\nmore\n");
  EXPECT_EQ(check_kernel_module(root_ / "version").state, "NVRM version: x");
  EXPECT_EQ(check_ptrace(root_ / "scope").how, grade::good);
  file("scope", "1\n");
  EXPECT_EQ(check_ptrace(root_ / "scope").how, grade::good);
  file("scope", "3\n");
  EXPECT_EQ(check_ptrace(root_ / "scope").how, grade::note);
}

TEST_F(Doctor, LooksAtTools) {
  EXPECT_EQ(check_nvcc("", root_ / "nvcc").how, grade::note);
  file("nvcc");
  fs::permissions(root_ / "nvcc", fs::perms::owner_all);
  EXPECT_EQ(check_nvcc("/nowhere:" + root_.string(), "/none").state, (root_ / "nvcc").string());
  EXPECT_EQ(check_nvcc("", root_ / "nvcc").how, grade::good);
  EXPECT_THAT(check_folder(root_).state, HasSubstr("MiB free"));
  EXPECT_EQ(check_folder("/proc/none").how, grade::note);
  EXPECT_FALSE(check_cores().state.empty());
}

TEST_F(Doctor, NamesVariablesThatChangeThings) {
  EXPECT_TRUE(check_variables({{"HOME", "x"}}).empty());
  const auto found = check_variables({{"CUDA_LAUNCH_BLOCKING", "1"}, {"STREAMCTS_FAULT", "x"}});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].what, "CUDA_LAUNCH_BLOCKING=1");
}

TEST_F(Doctor, PrintsRemedies) {
  EXPECT_EQ(text_of({grade::good, "a", "b", {}}), "ok    a: b");
  EXPECT_EQ(text_of({grade::lacking, "a", "b", "c"}), "LACKS a: b\n      -> c");
}

TEST(Numbers, AreStrict) {
  EXPECT_EQ(parse_number("--x", "0x1F", 0, 100), 31u);
  EXPECT_EQ(parse_number("--x", "18446744073709551615", 0, ~0ull), ~0ull);
  EXPECT_EQ(parse_seconds("--x", "1.5"), 1.5);
  for (const char* each : {"", "+1", "-1", " 1", "1 ", "0x", "1e3", "101"}) {
    EXPECT_THROW(parse_number("--x", each, 0, 100), runner::usage_error) << each;
  }
  for (const char* each : {"", "-1", "0", "nan", "inf", "1e9", "1s"}) {
    EXPECT_THROW(parse_seconds("--x", each), runner::usage_error) << each;
  }
}

}  // namespace
}  // namespace streamcts::cli
