// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies, memsets, and value operations.

#include <numeric>
#include <thread>

#include "harness/reference/test_support.h"

namespace streamcts::reference::test {
namespace {

CUdeviceptr number(const void* p) { return reinterpret_cast<CUdeviceptr>(p); }

class transfer_test : public driver_test {
 protected:
  void hold(CUstream s, const gate& g) {
    launch(s, "streamcts_gate", g.word(), g.begun_word(), 1u, gate_limit_ns);
  }
  /// Opens the gate while the caller is inside a waiting call.
  std::thread opener(gate& g) {
    return std::thread([&g] {
      EXPECT_TRUE(eventually([&] { return g.begun(); }));
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      g.open();
    });
  }
};

TEST_F(transfer_test, round_trip_in_every_form) {
  std::vector<std::uint32_t> source(1000), back(1000);
  std::iota(source.begin(), source.end(), 1u);
  CUdeviceptr a = device_bytes(4000), b = device_bytes(4000);
  CUstream s = make_stream();
  const auto expect_back = [&] {
    EXPECT_EQ(source, back);
    std::fill(back.begin(), back.end(), 0u);
  };
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyHtoD_v2(a, source.data(), 4000));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoD_v2(b, a, 4000));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoH_v2(back.data(), b, 4000));
  expect_back();
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyHtoDAsync_v2(a, source.data(), 4000, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoDAsync_v2(b, a, 4000, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2(back.data(), b, 4000, s));
  expect_back();  // pageable: the call waited
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy(a, number(source.data()), 4000));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyAsync(number(back.data()), a, 4000, s));
  expect_back();
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy_ptds(a, number(source.data()), 4000));
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyAsync_ptsz(number(back.data()), a, 4000, nullptr));
  expect_back();
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy(number(back.data()), number(source.data()), 4000));
  expect_back();
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD_v2(a, source.data(), 4001));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpyDtoH_v2(back.data(), number(source.data()), 8));
}

TEST_F(transfer_test, boxes) {
  constexpr std::size_t pitch = 64, rows = 8;
  std::vector<unsigned char> source(pitch * rows), back(pitch * rows);
  std::iota(source.begin(), source.end(), static_cast<unsigned char>(0));
  CUdeviceptr device = device_bytes(pitch * rows);
  CUDA_MEMCPY2D up{};
  up.srcMemoryType = CU_MEMORYTYPE_HOST;
  up.srcHost = source.data();
  up.srcPitch = up.dstPitch = pitch;
  up.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  up.dstDevice = device;
  up.WidthInBytes = pitch;
  up.Height = rows;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy2D_v2(&up));
  CUDA_MEMCPY2D down{};  // a box of 4 x 3 bytes
  down.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  down.srcDevice = device;
  down.srcPitch = pitch;
  down.srcXInBytes = 10;
  down.srcY = 2;
  down.dstMemoryType = CU_MEMORYTYPE_HOST;
  down.dstHost = back.data();
  down.WidthInBytes = 4;
  down.Height = 3;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy2DAsync_v2(&down, nullptr));
  for (std::size_t y = 0; y < 3; ++y) {
    for (std::size_t x = 0; x < 4; ++x) {
      EXPECT_EQ(source[(y + 2) * pitch + x + 10], back[y * 4 + x]);
    }
  }
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy2DUnaligned_v2(&down));
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  box.srcDevice = device;
  box.srcPitch = 16;
  box.srcHeight = 4;
  box.srcZ = 1;
  box.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  box.dstDevice = number(back.data());
  box.WidthInBytes = 2;
  box.Height = 2;
  box.Depth = 3;
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy3D_v2(&box));
  EXPECT_EQ(source[64], back[0]);
  EXPECT_EQ(source[3 * 64 + 16 + 1], back[2 * 4 + 2 + 1]);
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpy3DAsync_v2(&box, nullptr));
  box.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuMemcpy3D_v2(&box));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D_v2(nullptr));
}

TEST_F(transfer_test, memsets) {
  std::uint32_t* words = pinned(64);
  CUdeviceptr p = number(words);
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD8_v2(p, 0x11, 4));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD16_v2(p + 4, 0x2222, 2));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32_v2(p + 8, 0x33333333, 1));
  EXPECT_EQ(0x11111111u, words[0]);
  EXPECT_EQ(0x22222222u, words[1]);
  EXPECT_EQ(0x33333333u, words[2]);
  CUstream s = make_stream();
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD8Async(p, 0x44, 4, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD16Async(p + 4, 0x5555, 2, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD2D8Async(p + 32, 16, 0x66, 4, 2, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD2D16Async(p + 36, 16, 0x7777, 2, 2, s));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD2D32Async(p + 40, 16, 0x88888888, 1, 2, s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(0x44444444u, words[0]);
  EXPECT_EQ(0x55555555u, words[1]);
  EXPECT_EQ(0x66666666u, words[12]);
  EXPECT_EQ(0x77777777u, words[13]);
  EXPECT_EQ(0x88888888u, words[14]);
  EXPECT_EQ(0u, words[11]);
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD2D8_v2(p, 16, 1, 4, 2));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD2D16_v2(p, 16, 1, 2, 2));
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD2D32_v2(p, 16, 1, 1, 2));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD32_v2(p + 1, 0, 1));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD8_v2(p, 0, 257));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuMemsetD2D32_v2(p, 2, 0, 1, 2));
}

TEST_F(transfer_test, which_calls_wait) {
  std::uint32_t* host = pinned();
  CUdeviceptr device = device_bytes(64), other = device_bytes(64);
  CUstream s = make_stream();
  {
    gate g(pinned(2));
    hold(s, g);
    ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoHAsync_v2(host, device, 4, s));  // none of these waits
    ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoD_v2(device, other, 4));
    ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32_v2(device, 1, 1));
    EXPECT_EQ(CUDA_ERROR_NOT_READY, cuStreamQuery(s));
    g.open();
    ASSERT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
  }
  gate g(pinned(2));
  hold(s, g);
  std::thread t = opener(g);
  ASSERT_EQ(CUDA_SUCCESS, cuMemcpyDtoH_v2(host, device, 4));  // behind the blocking stream's gate
  EXPECT_EQ(CUDA_SUCCESS, cuStreamQuery(s));
  EXPECT_EQ(1u, *host);
  t.join();
  unsigned on = 1;
  ASSERT_EQ(CUDA_SUCCESS,
            cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, device));
  gate again(g.word());
  hold(s, again);
  std::thread second = opener(again);
  ASSERT_EQ(CUDA_SUCCESS, cuMemsetD32_v2(device, 2, 1));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamQuery(nullptr));
  second.join();
}

TEST_F(transfer_test, value_waits_hold_the_stream) {
  struct condition {
    unsigned flags;
    std::uint64_t value, unmet, met;
  };
  const condition conditions[] = {
      {CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6},
      {CU_STREAM_WAIT_VALUE_GEQ, 2, 0xFFFFFFFF, 3},  // cyclic: ffffffff is less than 2
      {CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
      {CU_STREAM_WAIT_VALUE_AND, 6, 1, 2},
      {CU_STREAM_WAIT_VALUE_NOR, 0xFFFFFFF0, 0xF, 0x7},
  };
  auto* word = pinned<std::uint64_t>();
  CUstream s = make_stream();
  for (const condition& c : conditions) {
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(word), static_cast<std::uint32_t>(c.unmet),
                     __ATOMIC_RELEASE);
    call_record record;
    ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitValue32_v2(s, number(word),
                                                   static_cast<cuuint32_t>(c.value), c.flags));
    ASSERT_EQ(CUDA_SUCCESS, cuLaunchHostFunc(s, count_function, &record));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    EXPECT_EQ(0, record.calls);
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(word), static_cast<std::uint32_t>(c.met),
                     __ATOMIC_RELEASE);
    ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
    EXPECT_EQ(1, record.calls);
  }
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWriteValue64_v2(s, number(word), 1ull << 40, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWaitValue64_v2_ptsz(s, number(word), 1ull << 40,
                                                      CU_STREAM_WAIT_VALUE_EQ));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamWriteValue32_v2(s, number(word), 3, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ((1ull << 40) + 3, *word);
}

TEST_F(transfer_test, value_operations_in_batches_and_refused) {
  std::uint32_t* words = pinned(2);
  CUstream s = make_stream();
  CUstreamBatchMemOpParams steps[4]{};
  steps[0].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, number(words), {1}, 0, 0};
  steps[1].memoryBarrier = {CU_STREAM_MEM_OP_BARRIER, CU_STREAM_MEMORY_BARRIER_TYPE_SYS};
  steps[2].waitValue = {CU_STREAM_MEM_OP_WAIT_VALUE_32, number(words), {1}, 0, 0};
  steps[3].writeValue = {CU_STREAM_MEM_OP_WRITE_VALUE_32, number(words + 1), {2}, 0, 0};
  ASSERT_EQ(CUDA_SUCCESS, cuStreamBatchMemOp_v2(s, 4, steps, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuStreamSynchronize(s));
  EXPECT_EQ(1u, words[0]);
  EXPECT_EQ(2u, words[1]);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2(s, 0, steps, 0));
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED,
            cuStreamWriteValue32_v2(s, number(words), 1, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32_v2(s, number(words) + 1, 1, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWaitValue32_v2(s, number(words), 1, 0x80));
  CUdeviceptr managed = 0;
  ASSERT_EQ(CUDA_SUCCESS, cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamWriteValue32_v2(s, managed, 1, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuMemFree_v2(managed));
  steps[0].operation = static_cast<CUstreamBatchMemOpType>(99);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamBatchMemOp_v2_ptsz(s, 1, steps, 0));
  steps[0].flushRemoteWrites = {CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES, 0};
  EXPECT_EQ(CUDA_SUCCESS, cuStreamBatchMemOp_v2(s, 1, steps, 0));
}

}  // namespace
}  // namespace streamcts::reference::test
