// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Allocations, what can be asked about them, and the stream-ordered allocator.

#include <cstring>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

CUdeviceptr number(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

class memory_test : public driver_test {
 protected:
  template <typename T>
  T attribute(CUpointer_attribute which, CUdeviceptr p) {
    T value{};
    EXPECT_EQ(CUDA_SUCCESS, cuPointerGetAttribute(&value, which, p)) << which;
    return value;
  }
  // An event-free way to wait for the kernel's writes.
  void fill(CUdeviceptr out, std::uint64_t count) {
    launch(nullptr, "streamcts_write_pattern", out, count, std::uint64_t{1}, std::uint64_t{2},
           std::uint64_t{0});
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(nullptr));
  }
};

TEST_F(memory_test, kinds_and_their_attributes) {
  CUdeviceptr device = device_bytes(4096), managed = 0;
  void* host = pinned_bytes(4096);
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  std::vector<std::uint64_t> own(1024);
  ASSERT_EQ(CUDA_SUCCESS, cuMemHostRegister_v2(own.data(), 8192, 0));
  EXPECT_EQ(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
            cuMemHostRegister(own.data() + 100, 800, 0));
  using u = unsigned;
  constexpr auto type = CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
  EXPECT_EQ(u{CU_MEMORYTYPE_DEVICE}, attribute<u>(type, device));
  EXPECT_EQ(u{CU_MEMORYTYPE_DEVICE}, attribute<u>(type, managed));
  EXPECT_EQ(u{CU_MEMORYTYPE_HOST}, attribute<u>(type, number(host)));
  EXPECT_EQ(u{CU_MEMORYTYPE_HOST}, attribute<u>(type, number(own.data() + 7)));
  EXPECT_EQ(1u, attribute<u>(CU_POINTER_ATTRIBUTE_IS_MANAGED, managed));
  EXPECT_EQ(0u, attribute<u>(CU_POINTER_ATTRIBUTE_IS_MANAGED, device));
  EXPECT_EQ(context_, attribute<CUcontext>(CU_POINTER_ATTRIBUTE_CONTEXT, device));
  EXPECT_EQ(device + 8, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, device + 8));
  EXPECT_EQ(host, attribute<void*>(CU_POINTER_ATTRIBUTE_HOST_POINTER, number(host)));
  EXPECT_EQ(device, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, device + 9));
  EXPECT_EQ(4096u, attribute<size_t>(CU_POINTER_ATTRIBUTE_RANGE_SIZE, device));
  EXPECT_EQ(0, attribute<int>(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device));
  EXPECT_NE(attribute<std::uint64_t>(CU_POINTER_ATTRIBUTE_BUFFER_ID, device),
            attribute<std::uint64_t>(CU_POINTER_ATTRIBUTE_BUFFER_ID, managed));
  EXPECT_EQ(1u, attribute<u>(CU_POINTER_ATTRIBUTE_MAPPED, device));
  EXPECT_EQ(0u, attribute<u>(CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, device));
  EXPECT_EQ(0u, attribute<std::uint64_t>(CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, device));
  EXPECT_EQ(3, attribute<int>(CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, device));
  EXPECT_EQ(nullptr, attribute<void*>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, device));
  void* none = nullptr;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuPointerGetAttribute(&none, CU_POINTER_ATTRIBUTE_HOST_POINTER, device));
  EXPECT_EQ(CUDA_SUCCESS, cuMemHostUnregister(own.data()));
  EXPECT_EQ(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, cuMemHostUnregister(own.data()));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuPointerGetAttribute(&none, CU_POINTER_ATTRIBUTE_CONTEXT, number(own.data())));

  CUpointer_attribute wanted[] = {type, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  CU_POINTER_ATTRIBUTE_HOST_POINTER, CU_POINTER_ATTRIBUTE_CONTEXT};
  u found_type = 9;
  int ordinal = 9;
  void *host_pointer = nullptr, *c = host;
  void* out[] = {&found_type, &ordinal, &host_pointer, &c};
  EXPECT_EQ(CUDA_SUCCESS, cuPointerGetAttributes(4, wanted, out, number(own.data())));
  EXPECT_EQ(0u, found_type);
  EXPECT_EQ(-2, ordinal);
  EXPECT_EQ(own.data(), host_pointer);
  EXPECT_EQ(nullptr, c);
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(managed));
}

TEST_F(memory_test, allocation_calls) {
  CUdeviceptr p = 0, base = 0;
  size_t pitch = 0, size = 0, free_before = 0, free_after = 0, total = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemGetInfo_v2(&free_before, &total));
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocPitch_v2(&p, &pitch, 100, 10, 4));
  EXPECT_GE(pitch, 100u);
  ASSERT_EQ(CUDA_SUCCESS, cuMemGetInfo_v2(&free_after, &total));
  EXPECT_EQ(free_before - pitch * 10, free_after);
  EXPECT_EQ(CUDA_SUCCESS, cuMemGetAddressRange_v2(&base, &size, p + 50));
  EXPECT_EQ(p, base);
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(p));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(p));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAlloc_v2(&p, 0));
  EXPECT_EQ(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc_v2(&p, total + 1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAllocManaged(&p, 64, CU_MEM_ATTACH_SINGLE));
  void* host = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocHost_v2(&host, 64));
  unsigned flags = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuMemHostGetFlags(&flags, host));
  EXPECT_EQ(unsigned{CU_MEMHOSTALLOC_DEVICEMAP}, flags);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFree_v2(number(host)));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFreeHost(host));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeHost(host));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemHostAlloc(&host, 64, 0x80));
}

TEST_F(memory_test, write_combined_memory_has_another_device_address) {
  void* host = nullptr;
  ASSERT_EQ(CUDA_SUCCESS,
            cuMemHostAlloc(&host, 8192, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED));
  CUdeviceptr device = 0;
  ASSERT_EQ(CUDA_SUCCESS,
            cuMemHostGetDevicePointer_v2(&device, static_cast<char*>(host) + 8, 0));
  EXPECT_NE(number(host) + 8, device);
  fill(device, 100);
  EXPECT_EQ(1u, static_cast<std::uint64_t*>(host)[1]);
  EXPECT_EQ(199u, static_cast<std::uint64_t*>(host)[100]);
  EXPECT_EQ(device, attribute<CUdeviceptr>(CU_POINTER_ATTRIBUTE_DEVICE_POINTER, number(host) + 8));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFreeHost(host));
}

TEST_F(memory_test, managed_memory_advice_and_prefetch) {
  CUdeviceptr p = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocManaged(&p, 4096, CU_MEM_ATTACH_HOST));
  CUstream s = make_stream();
  const auto get = [&](CUmem_range_attribute which) {
    int value = -9;
    EXPECT_EQ(CUDA_SUCCESS, cuMemRangeGetAttribute(&value, sizeof value, which, p, 4096));
    return value;
  };
  EXPECT_EQ(CU_DEVICE_INVALID, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
  CUmemLocation here{};
  here.type = CU_MEM_LOCATION_TYPE_DEVICE;
  EXPECT_EQ(CUDA_SUCCESS, cuMemAdvise_v2(p, 4096, CU_MEM_ADVISE_SET_READ_MOSTLY, here));
  EXPECT_EQ(CUDA_SUCCESS, cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuMemAdvise(p, 4096, CU_MEM_ADVISE_SET_ACCESSED_BY, CU_DEVICE_CPU));
  EXPECT_EQ(1, get(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION));
  EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID));
  EXPECT_EQ(CUDA_SUCCESS, cuMemAdvise(p, 4096, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuMemPrefetchAsync_v2(p, 4096, here, 0, s));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
  EXPECT_EQ(CU_MEM_LOCATION_TYPE_DEVICE, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE));
  EXPECT_EQ(0, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID));
  EXPECT_EQ(CUDA_SUCCESS, cuMemPrefetchAsync(p, 4096, CU_DEVICE_CPU, s));
  EXPECT_EQ(CU_DEVICE_CPU, get(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION));
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuMemPrefetchAsync(p, 4096, 99, s));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(device_bytes(64), 64, 0, s));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(p, 4097, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamAttachMemAsync(s, p, 0, CU_MEM_ATTACH_SINGLE));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(nullptr, p, 0, CU_MEM_ATTACH_SINGLE));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamAttachMemAsync(s, p, 8, CU_MEM_ATTACH_GLOBAL));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(p));
}

TEST_F(memory_test, freed_in_stream_order) {
  CUstream s = make_stream();
  gate g(pinned(2));
  CUdeviceptr first = 0, second = 0, other = 0;
  std::uint32_t* out = pinned(4);
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocAsync(&first, 64, s));
  launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32Async(first, 1, 16, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2(out, first, 4, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemFreeAsync(first, s));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemFreeAsync(first, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocAsync(&second, 64, s));
  EXPECT_EQ(first, second);  // handed out again at once, since stream order keeps them apart
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocAsync_ptsz(&other, 64, make_stream()));
  EXPECT_NE(first, other);
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32Async(second, 2, 16, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2(out + 1, second, 4, s));
  g.open();
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1u, out[0]);
  EXPECT_EQ(2u, out[1]);
  ASSERT_EQ(CUDA_SUCCESS, cuMemFreeAsync_ptsz(second, s));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(other));
}

TEST_F(memory_test, pools) {
  CUmemoryPool first = nullptr, current = nullptr, mine = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuDeviceGetDefaultMemPool(&first, 0));
  CUmemPoolProps properties{};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  ASSERT_EQ(CUDA_SUCCESS, cuMemPoolCreate(&mine, &properties));
  properties.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuMemPoolCreate(&current, &properties));
  ASSERT_EQ(CUDA_SUCCESS, cuDeviceSetMemPool(0, mine));
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(mine, current);
  CUdeviceptr p = 0;
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocFromPoolAsync(&p, 100, mine, s));
  EXPECT_EQ(mine, attribute<CUmemoryPool>(CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  cuuint64_t used = 0, threshold = 77;
  int reuse = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuMemPoolGetAttribute(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  EXPECT_EQ(100u, used);
  ASSERT_EQ(CUDA_SUCCESS, cuMemFreeAsync(p, s));
  EXPECT_EQ(CUDA_SUCCESS, cuMemPoolGetAttribute(mine, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &used));
  EXPECT_EQ(100u, used);
  EXPECT_EQ(CUDA_SUCCESS,
            cuMemPoolSetAttribute(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  threshold = 0;
  EXPECT_EQ(CUDA_SUCCESS,
            cuMemPoolGetAttribute(mine, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &threshold));
  EXPECT_EQ(77u, threshold);
  EXPECT_EQ(CUDA_SUCCESS, cuMemPoolGetAttribute(
                              mine, CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES, &reuse));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuMemPoolSetAttribute(mine, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used));
  CUmemAccessDesc access{};
  access.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemAccess_flags flags{};
  EXPECT_EQ(CUDA_SUCCESS, cuMemPoolSetAccess(mine, &access, 1));
  EXPECT_EQ(CUDA_SUCCESS, cuMemPoolGetAccess(&flags, mine, &access.location));
  EXPECT_EQ(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, flags);
  EXPECT_EQ(CUDA_SUCCESS, cuMemPoolTrimTo(mine, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(CUDA_SUCCESS, cuMemPoolDestroy(mine));
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetMemPool(&current, 0));
  EXPECT_EQ(first, current);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemPoolDestroy(first));
}

}  // namespace
}  // namespace streamcts::reference::test
