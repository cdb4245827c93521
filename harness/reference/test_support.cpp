// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/test_support.h"

#include <cstring>

namespace streamcts::reference::test {

void driver_test::SetUp() {
  ASSERT_EQ(CUDA_SUCCESS, cuInit(0));
  ASSERT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&context_, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
  const char image[] = "the image is ignored";
  ASSERT_EQ(CUDA_SUCCESS,
            cuLibraryLoadData(&library_, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
}

void driver_test::TearDown() {
  for (CUstream s : streams_) cuStreamDestroy_v2(s);
  for (CUevent e : events_) cuEventDestroy_v2(e);
  cuCtxSynchronize();
  for (void* p : pinned_) cuMemFreeHost(p);
  for (CUdeviceptr p : device_) cuMemFree_v2(p);
  cuLibraryUnload(library_);
  cuDevicePrimaryCtxRelease_v2(0);
  cuCtxSetCurrent(nullptr);
}

CUstream driver_test::make_stream(unsigned flags) {
  CUstream s = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuStreamCreate(&s, flags));
  return streams_.emplace_back(s);
}

CUevent driver_test::make_event(unsigned flags) {
  CUevent e = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuEventCreate(&e, flags));
  return events_.emplace_back(e);
}

CUfunction driver_test::kernel(const char* name) {
  CUkernel k = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuLibraryGetKernel(&k, library_, name));
  return reinterpret_cast<CUfunction>(k);
}

void* driver_test::pinned_bytes(std::size_t bytes) {
  void* p = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuMemHostAlloc(&p, bytes, CU_MEMHOSTALLOC_DEVICEMAP));
  std::memset(p, 0, bytes);
  return pinned_.emplace_back(p);
}

CUdeviceptr driver_test::device_bytes(std::size_t bytes) {
  CUdeviceptr p = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuMemAlloc_v2(&p, bytes));
  return device_.emplace_back(p);
}

void CUDA_CB count_callback(CUstream stream, CUresult status, void* data) {
  auto* record = static_cast<call_record*>(data);
  record->status = status;
  record->stream = stream;
  ++record->calls;
}

void CUDA_CB count_function(void* data) { ++static_cast<call_record*>(data)->calls; }

}  // namespace streamcts::reference::test
