// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// kernel_image, launch and kernel_set: over a mocked table.

#include "harness/driver/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "harness/driver/testing/mock_driver.h"
#include "kernels/embedded.h"

namespace streamcts::driver {
namespace {

using ::testing::_;
using ::testing::AnyNumber;
using ::testing::DoAll;
using ::testing::EndsWith;
using ::testing::InSequence;
using ::testing::Return;
using ::testing::SetArgPointee;

const auto library = reinterpret_cast<CUlibrary>(0x10);
const auto module_handle = reinterpret_cast<CUmodule>(0x20);
const auto some_kernel = reinterpret_cast<CUkernel>(0x30);
const auto some_function = reinterpret_cast<CUfunction>(0x40);
const auto some_stream = reinterpret_cast<CUstream>(0x50);

class KernelImage : public ::testing::Test {
 protected:
  testing::mock_driver driver_;
  const function_table table_ = testing::mock_driver::table();

  void expect_library() {
    EXPECT_CALL(driver_.cuLibraryLoadData,
                Call(_, kernels::embedded_image().data(), _, _, _, _, _, _))
        .WillOnce(DoAll(SetArgPointee<0>(library), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuLibraryUnload, Call(library)).WillOnce(Return(CUDA_SUCCESS));
  }
  void expect_module() {
    EXPECT_CALL(driver_.cuModuleLoadData, Call(_, kernels::embedded_image().data()))
        .WillOnce(DoAll(SetArgPointee<0>(module_handle), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuModuleUnload, Call(module_handle)).WillOnce(Return(CUDA_SUCCESS));
  }
  void expect_kernels() {
    for (const char* name : kernel_names()) {
      EXPECT_CALL(driver_.cuLibraryGetKernel, Call(_, library, ::testing::StrEq(name)))
          .WillOnce(DoAll(SetArgPointee<0>(some_kernel), Return(CUDA_SUCCESS)));
    }
  }
};

TEST_F(KernelImage, LoadsByLibraryAndLooksEveryKernelUp) {
  expect_library();
  expect_kernels();
  const kernel_image image(table_);
  EXPECT_EQ(image.loading(), kernel_loading::library);
  EXPECT_EQ(image.get("streamcts_gate").library_kernel, some_kernel);
  EXPECT_EQ(image.get("streamcts_gate").launchable(), reinterpret_cast<CUfunction>(some_kernel));
  EXPECT_THROW(image.get("streamcts_nothing"), not_supported);
}

TEST_F(KernelImage, FallsBackToAModule) {
  EXPECT_CALL(driver_.cuLibraryLoadData, Call(_, _, _, _, _, _, _, _))
      .WillOnce(Return(CUDA_ERROR_NOT_SUPPORTED));
  expect_module();
  EXPECT_CALL(driver_.cuModuleGetFunction, Call(_, module_handle, _))
      .WillRepeatedly(DoAll(SetArgPointee<0>(some_function), Return(CUDA_SUCCESS)));
  const kernel_image image(table_);
  EXPECT_EQ(image.loading(), kernel_loading::module);
  EXPECT_EQ(image.get("streamcts_add").launchable(), some_function);
}

TEST_F(KernelImage, FallsBackWhenTheLibraryHasTrouble) {
  expect_library();
  EXPECT_CALL(driver_.cuLibraryGetKernel, Call(_, _, _)).WillOnce(Return(CUDA_ERROR_UNKNOWN));
  expect_module();
  EXPECT_CALL(driver_.cuModuleGetFunction, Call(_, _, _))
      .WillRepeatedly(Return(CUDA_ERROR_NOT_FOUND));
  const kernel_image image(table_);
  EXPECT_EQ(image.find("streamcts_add").launchable(), nullptr);
}

TEST_F(KernelImage, OneWayOnlyFailsWithItsError) {
  EXPECT_CALL(driver_.cuModuleLoadData, Call(_, _)).WillOnce(Return(CUDA_ERROR_NO_BINARY_FOR_GPU));
  try {
    const kernel_image image(table_, kernel_loading::module);
    FAIL() << "loaded";
  } catch (const call_error& error) {
    EXPECT_EQ(error.code, CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_STREQ(error.call, "cuModuleLoadData");
  }
}

TEST_F(KernelImage, MovesAndReleases) {
  expect_library();
  expect_kernels();
  kernel_image first(table_);
  kernel_image second(std::move(first));
  first = std::move(second);
  EXPECT_NO_THROW(first.get("streamcts_add"));
  EXPECT_THROW(second.get("streamcts_add"), not_supported);
  auto& self = first;
  first = std::move(self);
  EXPECT_NO_THROW(first.get("streamcts_add"));

  EXPECT_CALL(driver_.cuModuleLoadData, Call(_, _))
      .WillOnce(DoAll(SetArgPointee<0>(module_handle), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuModuleGetFunction, Call(_, _, _))
      .WillRepeatedly(Return(CUDA_ERROR_NOT_FOUND));
  kernel_image kept(table_, kernel_loading::module);
  kept.release();  // no cuModuleUnload
}

TEST(KernelLoading, HasNames) {
  EXPECT_EQ(to_string(kernel_loading::library), "library");
  EXPECT_EQ(to_string(kernel_loading::module), "module");
}

TEST_F(KernelImage, LaunchPacksArgumentsByValue) {
  EXPECT_CALL(driver_.cuLaunchKernel,
              Call(some_function, 3, 1, 1, 64, 1, 1, 0, some_stream, _, nullptr))
      .WillOnce([](auto, auto, auto, auto, auto, auto, auto, auto, auto, void** arguments, auto) {
        EXPECT_EQ(*static_cast<std::uint32_t*>(arguments[0]), 7u);
        EXPECT_EQ(*static_cast<std::uint64_t*>(arguments[1]), 8u);
        EXPECT_EQ(arguments[2], nullptr);
        return CUDA_SUCCESS;
      });
  kernel k;
  k.function = some_function;
  launch(table_, k, {3, 64}, some_stream, std::uint32_t{7}, std::uint64_t{8});
}

TEST_F(KernelImage, LaunchErrorsNameTheCallersLine) {
  EXPECT_CALL(driver_.cuLaunchKernel, Call(_, _, _, _, _, _, _, _, _, _, _))
      .WillOnce(Return(CUDA_ERROR_INVALID_VALUE));
  kernel k;
  k.function = some_function;
  const int line = __LINE__ + 2;
  try {
    launch(table_, k, {}, some_stream);
    FAIL() << "launched";
  } catch (const call_error& error) {
    EXPECT_EQ(static_cast<int>(error.site.line()), line);
    EXPECT_THAT(error.site.file_name(), EndsWith("kernels_test.cpp"));
  }
  EXPECT_THROW(launch(table_, kernel{}, {}, some_stream), not_supported);
}

/// What a launch was given: the kernel's name, its shape, and its arguments as bytes.
struct seen_launch {
  std::string name;
  unsigned blocks, threads;
  void** arguments;
};

class KernelSet : public KernelImage {
 protected:
  void SetUp() override {
    expect_library();
    std::uintptr_t next = 0x1000;
    for (const char* name : kernel_names()) {
      next += 0x10;
      names_[next] = name;
      EXPECT_CALL(driver_.cuLibraryGetKernel, Call(_, library, ::testing::StrEq(name)))
          .WillOnce(
              DoAll(SetArgPointee<0>(reinterpret_cast<CUkernel>(next)), Return(CUDA_SUCCESS)));
    }
    image_ = std::make_unique<kernel_image>(table_);
    set_ = std::make_unique<kernel_set>(table_, *image_);
  }

  /// Expects one launch of @p name whose arguments begin with @p values, of these types.
  template <typename... Values>
  void expect(const std::string& name, launch_shape shape, Values... values) {
    EXPECT_CALL(driver_.cuLaunchKernel,
                Call(_, shape.blocks, 1, 1, shape.threads, 1, 1, 0, some_stream, _, nullptr))
        .WillOnce([=, this](CUfunction f, auto, auto, auto, auto, auto, auto, auto, auto,
                            void** arguments, auto) {
          EXPECT_EQ(names_[reinterpret_cast<std::uintptr_t>(f)], "streamcts_" + name);
          std::size_t i = 0;
          (same(arguments[i++], values), ...);
          EXPECT_EQ(arguments[i], nullptr);
          return CUDA_SUCCESS;
        });
  }
  template <typename Value>
  static void same(const void* argument, Value value) {
    Value seen;
    std::memcpy(&seen, argument, sizeof(seen));
    EXPECT_EQ(seen, value);
  }

  std::map<std::uintptr_t, std::string> names_;
  std::unique_ptr<kernel_image> image_;
  std::unique_ptr<kernel_set> set_;
};

TEST_F(KernelSet, PassesTheParametersOfTheKernels) {
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  const kernels::pattern p{11, 22};
  const CUstream s = some_stream;
  const InSequence in_order;
  expect("write_pattern", {4, 8}, u64{1}, u64{2}, u64{11}, u64{22}, u64{3});
  set_->write_pattern(s, 1, 2, p, 3, {4, 8});
  expect("delay", {1, 1}, u64{9});
  set_->delay(s, 9);
  expect("gate", {1, 1}, u64{1}, u64{2}, u32{3}, u64{4});
  set_->gate(s, 1, 2, 3, 4);
  expect("gated_write", {1, 128}, u64{1}, u64{2}, u32{3}, u64{4}, u64{5}, u64{6}, u64{11}, u64{22});
  set_->gated_write(s, 1, 2, 3, 4, 5, 6, p);
  expect("gated_copy", {1, 64}, u64{1}, u64{2}, u32{3}, u64{4}, u64{5}, u64{6}, u64{7});
  set_->gated_copy(s, 1, 2, 3, 4, 5, 6, 7, 64);
  expect("scatter", {32, 128}, u64{1}, u64{2}, u64{11}, u64{22}, u32{16});
  set_->scatter(s, 1, 2, p, 16);
  expect("alternate", {1, 1}, u64{1}, u64{2}, u64{3}, u64{4});
  set_->alternate(s, 1, 2, 3, 4);
  expect("count", {4, 32}, u64{1}, u64{2});
  set_->count(s, 1, 2);
  expect("copy_words", {32, 128}, u64{1}, u64{2}, u64{3});
  set_->copy_words(s, 1, 2, 3);
  expect("add", {1, 1}, u64{1}, u64{2});
  set_->add(s, 1, 2);
  expect("check", {1, 1}, u64{1}, u64{2}, u64{11}, u64{22}, u64{3});
  set_->check(s, 1, 2, p, 3);
  expect("hash_step", {32, 128}, u64{1}, u64{2}, u64{3}, u64{4});
  set_->hash_step(s, 1, 2, 3, 4);
  expect("message", {1, 1}, u64{1}, u64{2}, u64{11}, u64{22}, u64{3}, u32{4}, u64{5}, u64{6});
  set_->message(s, 1, 2, p, 3, 4, 5, 6);
  expect("signal", {1, 1}, u64{1}, u32{2});
  set_->signal(s, 1, 2);
  expect("fault_assert", {1, 1});
  set_->fault_assert(s);
  expect("fault_illegal_address", {1, 1});
  set_->fault_illegal_address(s);
  expect("fault_misaligned", {1, 1}, u64{1});
  set_->fault_misaligned(s, 1);
  expect("fault_trap", {1, 1});
  set_->fault_trap(s);
  EXPECT_EQ(&set_->table(), &table_);
}

class WarmUp : public KernelSet {
 protected:
  void SetUp() override {
    KernelSet::SetUp();
    EXPECT_CALL(driver_.cuMemAlloc, Call(_, _))
        .WillOnce(DoAll(SetArgPointee<0>(0x9000), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuMemHostAlloc, Call(_, _, _))
        .WillOnce(DoAll(SetArgPointee<0>(page_), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuMemHostGetDevicePointer, Call(_, _, _)).WillOnce(Return(CUDA_SUCCESS));
    EXPECT_CALL(driver_.cuEventCreate, Call(_, _))
        .WillOnce(DoAll(SetArgPointee<0>(event_), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuEventDestroy, Call(event_)).WillOnce(Return(CUDA_SUCCESS));
    EXPECT_CALL(driver_.cuEventRecord, Call(event_, some_stream)).WillOnce(Return(CUDA_SUCCESS));
    EXPECT_CALL(driver_.cuLaunchKernel, Call(_, _, _, _, _, _, _, _, some_stream, _, nullptr))
        .WillRepeatedly([this](CUfunction f, auto...) {
          launched_.push_back(names_[reinterpret_cast<std::uintptr_t>(f)]);
          return CUDA_SUCCESS;
        });
  }
  const CUevent event_ = reinterpret_cast<CUevent>(0x60);
  std::uint32_t page_[1024];
  std::vector<std::string> launched_;
};

TEST_F(WarmUp, RunsEveryKernelButTheFaultsOnce) {
  EXPECT_CALL(driver_.cuEventQuery, Call(event_)).WillOnce(Return(CUDA_SUCCESS));
  EXPECT_CALL(driver_.cuMemFree, Call(0x9000)).WillOnce(Return(CUDA_SUCCESS));
  EXPECT_CALL(driver_.cuMemFreeHost, Call(page_)).WillOnce(Return(CUDA_SUCCESS));
  set_->warm_up(some_stream);
  std::vector<std::string> expected;
  for (const std::string name : kernel_names()) {
    if (!name.starts_with("streamcts_fault")) expected.push_back(name);
  }
  EXPECT_THAT(launched_, ::testing::UnorderedElementsAreArray(expected));
}

TEST_F(WarmUp, LeavesTheirMemoryToKernelsThatDoNotFinish) {
  EXPECT_CALL(driver_.cuEventQuery, Call(event_)).WillRepeatedly(Return(CUDA_ERROR_NOT_READY));
  EXPECT_THROW(set_->warm_up(some_stream, std::chrono::microseconds(100)), not_supported);
}

}  // namespace
}  // namespace streamcts::driver
