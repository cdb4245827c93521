// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "harness/driver/testing/mock_driver.h"

namespace streamcts::driver {
namespace {

using ::testing::_;
using ::testing::DoAll;
using ::testing::Return;
using ::testing::SetArgPointee;

class Memory : public ::testing::Test {
 protected:
  testing::mock_driver driver_;
  const function_table table_ = testing::mock_driver::table();
  alignas(8) char host_[4096] = {};

  void expect_host_alloc(unsigned flags) {
    EXPECT_CALL(driver_.cuMemHostAlloc, Call(_, 4096, flags))
        .WillOnce(DoAll(SetArgPointee<0>(host_), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuMemHostGetDevicePointer, Call(_, host_, 0))
        .WillOnce(DoAll(SetArgPointee<0>(0x5000), Return(CUDA_SUCCESS)));
  }
  void expect_host_free() {
    EXPECT_CALL(driver_.cuMemFreeHost, Call(host_)).WillOnce(Return(CUDA_SUCCESS));
  }
};

TEST_F(Memory, DeviceBuffer) {
  EXPECT_CALL(driver_.cuMemAlloc, Call(_, 64))
      .WillOnce(DoAll(SetArgPointee<0>(0x7000), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuMemFree, Call(0x7000)).WillOnce(Return(CUDA_SUCCESS));
  const device_buffer buffer(table_, 64);
  EXPECT_EQ(buffer.address(), 0x7000u);
  EXPECT_EQ(buffer.size(), 64u);
}

TEST_F(Memory, DeviceBufferThatCannotBeHad) {
  EXPECT_CALL(driver_.cuMemAlloc, Call(_, 64)).WillOnce(Return(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_THROW(device_buffer(table_, 64), call_error);
}

TEST_F(Memory, HostBufferOfEachAllocatedKind) {
  const std::pair<host_memory, unsigned> kinds[] = {
      {host_memory::pinned, 0},
      {host_memory::mapped, CU_MEMHOSTALLOC_DEVICEMAP},
      {host_memory::portable, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP},
      {host_memory::write_combined, CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP}};
  for (const auto& [kind, flags] : kinds) {
    SCOPED_TRACE(to_string(kind));
    expect_host_alloc(flags);
    expect_host_free();
    const host_buffer buffer(table_, 80, kind);
    EXPECT_EQ(buffer.data(), host_);
    EXPECT_EQ(buffer.as<char>(), host_);
    EXPECT_EQ(buffer.device_address(), 0x5000u);
    EXPECT_EQ(buffer.size(), 80u);
    EXPECT_EQ(buffer.words().size(), 10u);
    EXPECT_EQ(buffer.kind(), kind);
  }
}

TEST_F(Memory, RegisteredHostBuffer) {
  void* seen = nullptr;
  EXPECT_CALL(driver_.cuMemHostRegister, Call(_, 4096, CU_MEMHOSTREGISTER_DEVICEMAP))
      .WillOnce([&](void* host, std::size_t, unsigned) {
        seen = host;
        return CUDA_SUCCESS;
      });
  EXPECT_CALL(driver_.cuMemHostGetDevicePointer, Call(_, _, 0))
      .WillOnce(DoAll(SetArgPointee<0>(0x6000), Return(CUDA_SUCCESS)));
  host_buffer buffer(table_, 1, host_memory::registered);
  EXPECT_EQ(buffer.data(), seen);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(seen) % 4096, 0u);
  EXPECT_CALL(driver_.cuMemHostUnregister, Call(seen)).WillOnce(Return(CUDA_SUCCESS));
  buffer.destroy();
  EXPECT_EQ(buffer.data(), nullptr);
  buffer.destroy();
}

TEST_F(Memory, RegistrationRefused) {
  EXPECT_CALL(driver_.cuMemHostRegister, Call(_, _, _)).WillOnce(Return(CUDA_ERROR_NOT_SUPPORTED));
  EXPECT_THROW(host_buffer(table_, 1, host_memory::registered), call_error);
}

TEST_F(Memory, AFailedUnregisterKeepsTheMemory) {
  void* seen = nullptr;
  EXPECT_CALL(driver_.cuMemHostRegister, Call(_, _, _)).WillOnce([&](void* host, auto, auto) {
    seen = host;
    return CUDA_SUCCESS;
  });
  EXPECT_CALL(driver_.cuMemHostGetDevicePointer, Call(_, _, _)).WillOnce(Return(CUDA_SUCCESS));
  EXPECT_CALL(driver_.cuMemHostUnregister, Call(_)).WillOnce(Return(CUDA_ERROR_LAUNCH_FAILED));
  { host_buffer buffer(table_, 1, host_memory::registered); }
  ASSERT_NE(seen, nullptr);
  static_cast<char*>(seen)[0] = 1;  // still ours
  std::free(seen);
}

TEST_F(Memory, PinnedMemoryNeedNotBeMapped) {
  EXPECT_CALL(driver_.cuMemHostAlloc, Call(_, 4096, 0))
      .WillOnce(DoAll(SetArgPointee<0>(host_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuMemHostGetDevicePointer, Call(_, host_, 0))
      .WillOnce(Return(CUDA_ERROR_INVALID_VALUE));
  expect_host_free();
  EXPECT_EQ(host_buffer(table_, 4096, host_memory::pinned).device_address(), 0u);
}

TEST_F(Memory, MappedMemoryMustBeMapped) {
  EXPECT_CALL(driver_.cuMemHostAlloc, Call(_, 4096, _))
      .WillOnce(DoAll(SetArgPointee<0>(host_), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuMemHostGetDevicePointer, Call(_, host_, 0))
      .WillOnce(Return(CUDA_ERROR_INVALID_VALUE));
  expect_host_free();
  EXPECT_THROW(host_buffer(table_, 4096, host_memory::mapped), call_error);
}

TEST_F(Memory, HostBufferMoves) {
  expect_host_alloc(CU_MEMHOSTALLOC_DEVICEMAP);
  expect_host_free();
  host_buffer first(table_, 0);
  host_buffer second(std::move(first));
  EXPECT_EQ(first.data(), nullptr);
  first = std::move(second);
  EXPECT_EQ(first.data(), host_);
  EXPECT_EQ(second.data(), nullptr);
  auto& self = first;
  first = std::move(self);
  EXPECT_EQ(first.data(), host_);
}

TEST_F(Memory, ReleasedHostBufferIsLeftAlone) {
  expect_host_alloc(CU_MEMHOSTALLOC_DEVICEMAP);
  host_buffer buffer(table_, 4096);
  EXPECT_EQ(buffer.release(), host_);
}

TEST_F(Memory, ManagedBufferOfEachAttachment) {
  const std::pair<managed_attach, unsigned> kinds[] = {
      {managed_attach::global, CU_MEM_ATTACH_GLOBAL},
      {managed_attach::host, CU_MEM_ATTACH_HOST},
      {managed_attach::single, CU_MEM_ATTACH_HOST}};
  for (const auto& [attach, flags] : kinds) {
    SCOPED_TRACE(to_string(attach));
    EXPECT_CALL(driver_.cuMemAllocManaged, Call(_, 64, flags))
        .WillOnce(
            DoAll(SetArgPointee<0>(reinterpret_cast<CUdeviceptr>(host_)), Return(CUDA_SUCCESS)));
    EXPECT_CALL(driver_.cuMemFree, Call(reinterpret_cast<CUdeviceptr>(host_)))
        .WillOnce(Return(CUDA_SUCCESS));
    const managed_buffer buffer(table_, 64, attach);
    EXPECT_EQ(buffer.data(), host_);
    EXPECT_EQ(buffer.words().size(), 8u);
    EXPECT_EQ(buffer.size(), 64u);
    EXPECT_EQ(buffer.attach(), attach);
  }
}

TEST_F(Memory, ManagedBufferAttaches) {
  const auto address = reinterpret_cast<CUdeviceptr>(host_);
  const auto s = reinterpret_cast<CUstream>(0x100);
  EXPECT_CALL(driver_.cuMemAllocManaged, Call(_, _, _))
      .WillOnce(DoAll(SetArgPointee<0>(address), Return(CUDA_SUCCESS)));
  EXPECT_CALL(driver_.cuMemFree, Call(address)).WillOnce(Return(CUDA_SUCCESS));
  const managed_buffer buffer(table_, 64);
  EXPECT_EQ(buffer.address(), address);
  EXPECT_CALL(driver_.cuStreamAttachMemAsync, Call(s, address, 0, CU_MEM_ATTACH_SINGLE))
      .WillOnce(Return(CUDA_SUCCESS));
  buffer.attach_single(s);
  EXPECT_CALL(driver_.cuStreamAttachMemAsync, Call(s, address, 0, CU_MEM_ATTACH_GLOBAL))
      .WillOnce(Return(CUDA_SUCCESS));
  buffer.attach_global(s);
  EXPECT_CALL(driver_.cuStreamAttachMemAsync, Call(s, address, 0, CU_MEM_ATTACH_HOST))
      .WillOnce(Return(CUDA_ERROR_INVALID_VALUE));
  EXPECT_THROW(buffer.attach_host(s), call_error);
}

TEST(MemoryNames, AreThoseOfTheAxes) {
  std::vector<std::string_view> names;
  for (const auto kind : all_host_memory) names.push_back(to_string(kind));
  for (const auto attach : all_managed_attach) names.push_back(to_string(attach));
  EXPECT_THAT(names, ::testing::ElementsAre("pinned", "mapped", "portable", "write_combined",
                                            "registered", "global", "host", "single"));
}

}  // namespace
}  // namespace streamcts::driver
