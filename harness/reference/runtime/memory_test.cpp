// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>

#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "harness/reference/runtime/test_support.h"

STREAMCTS_PER_THREAD(cudaMemcpy, _ptds);
STREAMCTS_PER_THREAD(cudaMemset, _ptds);

namespace streamcts::runtime {
namespace {

using ::testing::Each;
using ::testing::ElementsAreArray;

constexpr size_t size = 256;
using bytes = std::array<unsigned char, size>;

bytes ramp() {
  bytes made;
  std::iota(made.begin(), made.end(), static_cast<unsigned char>(1));
  return made;
}

struct device_memory {
  device_memory() { EXPECT_EQ(cudaMalloc(&address, size), cudaSuccess); }
  device_memory(const device_memory&) = delete;
  device_memory& operator=(const device_memory&) = delete;
  ~device_memory() { EXPECT_EQ(cudaFree(address), cudaSuccess); }
  void* address = nullptr;
};

TEST_F(RuntimeTest, FreeingNothingAndAllocatingNothing) {
  EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(nullptr, nullptr), cudaSuccess);
  void* memory = &memory;
  EXPECT_EQ(cudaMalloc(&memory, 0), cudaSuccess);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(cudaMallocHost(&memory, 0), cudaSuccess);
  EXPECT_EQ(cudaHostAlloc(&memory, 0, 0), cudaSuccess);
  expect_error(cudaMalloc(nullptr, 8), cudaErrorInvalidValue);
  expect_error(cudaMallocHost(nullptr, 8), cudaErrorInvalidValue);
  expect_error(cudaHostAlloc(nullptr, 8, 0), cudaErrorInvalidValue);
  expect_error(cudaMallocManaged(&memory, 0, cudaMemAttachGlobal), cudaErrorInvalidValue);
  expect_error(cudaMallocPitch(&memory, nullptr, 8, 8), cudaErrorInvalidValue);
  expect_error(cudaMalloc3D(nullptr, {8, 8, 8}), cudaErrorInvalidValue);
  expect_error(cudaMalloc(&memory, size_t{1} << 60), cudaErrorMemoryAllocation);
}

TEST_F(RuntimeTest, CopiesOfEachKind) {
  const device_memory a, b;
  const bytes source = ramp();
  bytes back{};
  EXPECT_EQ(cudaMemcpy(a.address, source.data(), size, cudaMemcpyHostToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy(b.address, a.address, size, cudaMemcpyDeviceToDevice), cudaSuccess);
  EXPECT_EQ(cudaMemcpy_ptds(back.data(), b.address, size, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_THAT(back, ElementsAreArray(source));
  back.fill(0);
  EXPECT_EQ(cudaMemcpy(back.data(), b.address, size, cudaMemcpyDefault), cudaSuccess);
  EXPECT_THAT(back, ElementsAreArray(source));
  expect_error(cudaMemcpy(back.data(), b.address, size, static_cast<cudaMemcpyKind>(9)),
               cudaErrorInvalidMemcpyDirection);
}

TEST_F(RuntimeTest, AsynchronousCopiesOfEachKind) {
  const test_stream stream;
  const device_memory a, b;
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocHost(&pinned, size), cudaSuccess);
  const bytes source = ramp();
  EXPECT_EQ(cudaMemcpyAsync(a.address, source.data(), size, cudaMemcpyHostToDevice, stream.handle),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(b.address, a.address, size, cudaMemcpyDeviceToDevice, stream.handle),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(pinned, b.address, size / 2, cudaMemcpyDeviceToHost, stream.handle),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpyAsync(static_cast<char*>(pinned) + size / 2,
                            static_cast<char*>(b.address) + size / 2, size / 2, cudaMemcpyDefault,
                            stream.handle),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_EQ(std::memcmp(pinned, source.data(), size), 0);
  expect_error(
      cudaMemcpyAsync(pinned, b.address, size, static_cast<cudaMemcpyKind>(-1), stream.handle),
      cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(RuntimeTest, CopiesOfPlanesAndBoxes) {
  const test_stream stream;
  void* plane = nullptr;
  size_t pitch = 0;
  ASSERT_EQ(cudaMallocPitch(&plane, &pitch, 16, 16), cudaSuccess);
  EXPECT_GE(pitch, 16u);
  const bytes source = ramp();
  bytes back{};
  EXPECT_EQ(cudaMemcpy2D(plane, pitch, source.data(), 16, 16, 16, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cudaMemcpy2DAsync(back.data(), 16, plane, pitch, 16, 16, cudaMemcpyDeviceToHost,
                              stream.handle),
            cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_THAT(back, ElementsAreArray(source));
  expect_error(cudaMemcpy2D(plane, 8, source.data(), 16, 16, 16, cudaMemcpyHostToDevice),
               cudaErrorInvalidPitchValue);
  expect_error(cudaMemcpy2DAsync(plane, pitch, source.data(), 8, 16, 16, cudaMemcpyHostToDevice,
                                 stream.handle),
               cudaErrorInvalidPitchValue);
  expect_error(cudaMemcpy2D(plane, 16, source.data(), 16, 16, 16, static_cast<cudaMemcpyKind>(9)),
               cudaErrorInvalidMemcpyDirection);
  expect_error(cudaMemcpy2DAsync(plane, 16, source.data(), 16, 16, 16,
                                 static_cast<cudaMemcpyKind>(9), stream.handle),
               cudaErrorInvalidMemcpyDirection);
  EXPECT_EQ(cudaFree(plane), cudaSuccess);

  cudaPitchedPtr box{};
  ASSERT_EQ(cudaMalloc3D(&box, {8, 8, 4}), cudaSuccess);
  cudaMemcpy3DParms in{};
  in.srcPtr = {const_cast<unsigned char*>(source.data()), 8, 8, 8};
  in.dstPtr = box;
  in.extent = {8, 8, 4};
  in.kind = cudaMemcpyHostToDevice;
  EXPECT_EQ(cudaMemcpy3D(&in), cudaSuccess);
  back.fill(0);
  cudaMemcpy3DParms out = in;
  out.srcPtr = box;
  out.dstPtr = {back.data(), 8, 8, 8};
  out.kind = cudaMemcpyDeviceToHost;
  EXPECT_EQ(cudaMemcpy3DAsync(&out, stream.handle), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_THAT(back, ElementsAreArray(source));
  out.kind = static_cast<cudaMemcpyKind>(9);
  expect_error(cudaMemcpy3D(&out), cudaErrorInvalidMemcpyDirection);
  expect_error(cudaMemcpy3D(nullptr), cudaErrorInvalidValue);
  expect_error(cudaMemcpy3DAsync(nullptr, nullptr), cudaErrorInvalidValue);
  in.srcArray = reinterpret_cast<cudaArray_t>(&box);
  expect_error(cudaMemcpy3DAsync(&in, nullptr), cudaErrorNotSupported);
  EXPECT_EQ(cudaFree(box.ptr), cudaSuccess);
}

TEST_F(RuntimeTest, CopiesBetweenDevices) {
  const test_stream stream;
  const device_memory a, b;
  EXPECT_EQ(cudaMemset(a.address, 7, size), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeer(b.address, 0, a.address, 0, size), cudaSuccess);
  EXPECT_EQ(cudaMemcpyPeerAsync(b.address, 0, a.address, 0, size, stream.handle), cudaSuccess);
  expect_error(cudaMemcpyPeer(b.address, 4, a.address, 0, size), cudaErrorInvalidDevice);
  expect_error(cudaMemcpyPeerAsync(b.address, 0, a.address, 4, size, stream.handle),
               cudaErrorInvalidDevice);
  expect_error(cudaMemcpyPeer(b.address, 0, a.address, 4, size), cudaErrorInvalidDevice);
  expect_error(cudaMemcpyPeerAsync(b.address, 4, a.address, 0, size, stream.handle),
               cudaErrorInvalidDevice);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
}

TEST_F(RuntimeTest, MemsetsOfLinesPlanesAndBoxes) {
  const test_stream stream;
  const device_memory memory;
  bytes back{};
  const auto read = [&] {
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(back.data(), memory.address, size, cudaMemcpyDeviceToHost), cudaSuccess);
    return back;
  };
  EXPECT_EQ(cudaMemset_ptds(memory.address, 0x105, size), cudaSuccess);  // the low byte
  EXPECT_THAT(read(), Each(5));
  EXPECT_EQ(cudaMemsetAsync(memory.address, 6, size, stream.handle), cudaSuccess);
  EXPECT_THAT(read(), Each(6));
  EXPECT_EQ(cudaMemset2D(memory.address, 16, 7, 16, 16), cudaSuccess);
  EXPECT_THAT(read(), Each(7));
  EXPECT_EQ(cudaMemset2DAsync(memory.address, 16, 8, 16, 16, stream.handle), cudaSuccess);
  EXPECT_THAT(read(), Each(8));
  const cudaPitchedPtr box{memory.address, 8, 8, 8};
  EXPECT_EQ(cudaMemset3D(box, 9, {8, 8, 4}), cudaSuccess);
  EXPECT_THAT(read(), Each(9));
  // Half the height: the other half of each plane stays.
  EXPECT_EQ(cudaMemset3DAsync(box, 1, {8, 4, 4}, stream.handle), cudaSuccess);
  read();
  for (size_t i = 0; i < size; ++i) EXPECT_EQ(back[i], i % 64 < 32 ? 1 : 9) << i;
  expect_error(cudaMemset3D(box, 9, {9, 8, 4}), cudaErrorInvalidPitchValue);
  expect_error(cudaMemset3D({memory.address, 8, 8, 1 << 20}, 9, {8, 4, 4}), cudaErrorInvalidValue);
}

TEST_F(RuntimeTest, HostMemory) {
  void* mapped = nullptr;
  void* device = nullptr;
  unsigned flags = 0;
  ASSERT_EQ(cudaHostAlloc(&mapped, size, cudaHostAllocMapped | cudaHostAllocPortable), cudaSuccess);
  EXPECT_EQ(cudaHostGetDevicePointer(&device, mapped, 0), cudaSuccess);
  EXPECT_NE(device, nullptr);
  EXPECT_EQ(cudaHostGetFlags(&flags, mapped), cudaSuccess);
  EXPECT_NE(flags & cudaHostAllocMapped, 0u);
  expect_error(cudaHostGetDevicePointer(nullptr, mapped, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFreeHost(mapped), cudaSuccess);

  std::vector<char> own(8192);
  ASSERT_EQ(cudaHostRegister(own.data(), own.size(), cudaHostRegisterMapped), cudaSuccess);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaSuccess);
  expect_error(cudaHostUnregister(own.data()), cudaErrorHostMemoryNotRegistered);
}

TEST_F(RuntimeTest, WhatIsKnownOfAPointer) {
  const device_memory device;
  void* managed = nullptr;
  void* pinned = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, size, cudaMemAttachGlobal), cudaSuccess);
  ASSERT_EQ(cudaMallocHost(&pinned, size), cudaSuccess);
  cudaPointerAttributes found{};
  EXPECT_EQ(cudaPointerGetAttributes(&found, device.address), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeDevice);
  EXPECT_EQ(found.devicePointer, device.address);
  EXPECT_EQ(found.hostPointer, nullptr);
  EXPECT_EQ(cudaPointerGetAttributes(&found, managed), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeManaged);
  EXPECT_EQ(cudaPointerGetAttributes(&found, pinned), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeHost);
  EXPECT_EQ(found.hostPointer, pinned);
  EXPECT_EQ(found.device, 0);
  EXPECT_EQ(cudaPointerGetAttributes(&found, &found), cudaSuccess);
  EXPECT_EQ(found.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(found.device, cudaInvalidDeviceId);
  expect_error(cudaPointerGetAttributes(nullptr, pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
}

TEST_F(RuntimeTest, ManagedMemory) {
  const test_stream stream;
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, size, cudaMemAttachGlobal), cudaSuccess);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0};
  EXPECT_EQ(cudaMemAdvise(managed, size, cudaMemAdviseSetPreferredLocation, here), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, size, here, 0, stream.handle), cudaSuccess);
  int value = -1;
  EXPECT_EQ(cudaMemRangeGetAttribute(&value, sizeof value, cudaMemRangeAttributeReadMostly, managed,
                                     size),
            cudaSuccess);
  EXPECT_EQ(cudaStreamAttachMemAsync(stream.handle, managed, 0, cudaMemAttachSingle), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  size_t free_bytes = 0, total = 0;
  EXPECT_EQ(cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  EXPECT_LE(free_bytes, total);
}

TEST_F(RuntimeTest, AllocationInStreamOrderAndPools) {
  const test_stream stream;
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, size, stream.handle), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream.handle), cudaSuccess);

  cudaMemPool_t usual = nullptr, own = nullptr, current = nullptr;
  EXPECT_EQ(cudaDeviceGetDefaultMemPool(&usual, 0), cudaSuccess);
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  ASSERT_EQ(cudaMemPoolCreate(&own, &properties), cudaSuccess);
  EXPECT_EQ(cudaDeviceSetMemPool(0, own), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetMemPool(&current, 0), cudaSuccess);
  EXPECT_EQ(current, own);
  EXPECT_EQ(cudaDeviceSetMemPool(0, usual), cudaSuccess);
  unsigned long long keep = 4096;
  EXPECT_EQ(cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep), cudaSuccess);
  keep = 0;
  EXPECT_EQ(cudaMemPoolGetAttribute(own, cudaMemPoolAttrReleaseThreshold, &keep), cudaSuccess);
  EXPECT_EQ(keep, 4096u);
  ASSERT_EQ(cudaMallocFromPoolAsync(&memory, size, own, stream.handle), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream.handle), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream.handle), cudaSuccess);
  EXPECT_EQ(cudaMemPoolTrimTo(own, 0), cudaSuccess);
  EXPECT_EQ(cudaMemPoolDestroy(own), cudaSuccess);
}

}  // namespace
}  // namespace streamcts::runtime
