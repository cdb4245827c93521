// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Devices, contexts, entry points by name, texts of errors.

#include <cstring>
#include <thread>

#include "harness/reference/test_support.h"

// After cuda_api.h.
#include <cudaProfiler.h>

namespace streamcts::reference::test {
namespace {

class device_test : public driver_test {};

TEST_F(device_test, device_queries) {
  int count = 0, value = 0, major = 0, minor = 0, version = 0;
  CUdevice device = -1;
  EXPECT_EQ(CUDA_SUCCESS, cuDriverGetVersion(&version));
  EXPECT_EQ(13000, version);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuDriverGetVersion(nullptr));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuInit(1));
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetCount(&count));
  EXPECT_EQ(1, count);
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGet(&device, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuDeviceGet(&device, 1));
  char name[64], bus[32];
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetName(name, sizeof name, 0));
  EXPECT_STREQ("streamcts reference device", name);
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetPCIBusId(bus, sizeof bus, 0));
  device = -1;
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetByPCIBusId(&device, bus));
  EXPECT_EQ(0, device);
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuDeviceGetByPCIBusId(&device, "0000:ff:00.0"));
  CUuuid first, second;
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetUuid(&first, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetUuid_v2(&second, 0));
  EXPECT_EQ(0, std::memcmp(&first, &second, sizeof first));
  size_t bytes = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceTotalMem_v2(&bytes, 0));
  EXPECT_GT(bytes, 1u << 30);
  EXPECT_EQ(CUDA_SUCCESS,
            cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 0));
  EXPECT_EQ(1, value);
  EXPECT_EQ(CUDA_SUCCESS,
            cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 0));
  EXPECT_EQ(0, value);
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuDeviceGetAttribute(&value, static_cast<CUdevice_attribute>(9999), 0));
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceComputeCapability(&major, &minor, 0));
  EXPECT_EQ(9, major);
  EXPECT_EQ(CUDA_SUCCESS, cuDeviceCanAccessPeer(&value, 0, 0));
  EXPECT_EQ(0, value);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuDeviceGetP2PAttribute(&value, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, 0, 0));
  EXPECT_EQ(CUDA_SUCCESS,
            cuDeviceGetExecAffinitySupport(&value, CU_EXEC_AFFINITY_TYPE_SM_COUNT, 0));
}

TEST_F(device_test, contexts_and_their_stack) {
  CUcontext a = nullptr, b = nullptr, current = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuCtxCreate_v4(&a, nullptr, CU_CTX_SCHED_YIELD, 0));
  ASSERT_EQ(CUDA_SUCCESS, cuCtxCreate_v2(&b, 0, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetCurrent(&current));
  EXPECT_EQ(b, current);
  EXPECT_EQ(CUDA_SUCCESS, cuCtxPopCurrent_v2(&current));
  EXPECT_EQ(b, current);
  unsigned flags = 0, version = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetFlags(&flags));
  EXPECT_EQ(unsigned{CU_CTX_SCHED_YIELD}, flags);
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetApiVersion(b, &version));
  EXPECT_EQ(3020u, version);
  unsigned long long first = 0, second = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetId(a, &first));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetId(b, &second));
  EXPECT_NE(first, second);
  CUdevice device = -1;
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetDevice(&device));
  EXPECT_EQ(0, device);
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetDevice_v2(&device, b));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxPushCurrent_v2(b));
  std::thread([&] {
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxSynchronize());
    EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxPopCurrent(nullptr));
    EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(a));
    EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize_v2(b));
    std::thread([&] { EXPECT_EQ(CUDA_SUCCESS, cuCtxDestroy_v2(a)); }).join();
    EXPECT_EQ(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());  // LT-CTX-002
  }).join();
  EXPECT_EQ(CUDA_SUCCESS, cuCtxDestroy(b));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(b));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxPushCurrent(b));
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuCtxDestroy_v2(context_));  // the primary one
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuCtxCreate_v4(&a, nullptr, 0x80000000, 0));
  EXPECT_EQ(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, cuCtxCreate_v3(&a, nullptr, 1, 0, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(context_));
}

TEST_F(device_test, primary_context) {
  unsigned flags = 0;
  int is_active = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  EXPECT_EQ(1, is_active);
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxSetFlags_v2(0, CU_CTX_SCHED_SPIN));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetFlags(&flags));
  EXPECT_EQ(unsigned{CU_CTX_SCHED_SPIN}, flags);
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxSetFlags(0, 0));
  CUcontext again = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(context_, again);
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRelease(0));
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxReset(0));
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxGetState(0, &flags, &is_active));
  EXPECT_EQ(0, is_active);
  EXPECT_EQ(CUDA_ERROR_INVALID_CONTEXT, cuDevicePrimaryCtxRelease_v2(0));
  EXPECT_EQ(CUDA_ERROR_CONTEXT_IS_DESTROYED, cuCtxSynchronize());
  EXPECT_EQ(CUDA_SUCCESS, cuDevicePrimaryCtxRetain(&again, 0));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCurrent(again));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSynchronize());
}

TEST_F(device_test, context_settings) {
  size_t limit = 0;
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 2048));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  EXPECT_EQ(2048u, limit);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuCtxSetLimit(CU_LIMIT_MAX, 1));
  CUfunc_cache cache{};
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetCacheConfig(&cache));
  EXPECT_EQ(CU_FUNC_CACHE_PREFER_L1, cache);
  CUsharedconfig shared{};
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetSharedMemConfig(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetSharedMemConfig(&shared));
  EXPECT_EQ(CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE, shared);
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetFlags(CU_CTX_SYNC_MEMOPS));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxSetFlags(0));
  EXPECT_EQ(CUDA_SUCCESS, cuCtxResetPersistingL2Cache());
  int least = 9, greatest = 9;
  EXPECT_EQ(CUDA_SUCCESS, cuCtxGetStreamPriorityRange(&least, &greatest));
  EXPECT_EQ(0, least);
  EXPECT_EQ(-5, greatest);
  EXPECT_EQ(CUDA_ERROR_INVALID_DEVICE, cuCtxEnablePeerAccess(context_, 0));
  EXPECT_EQ(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, cuCtxDisablePeerAccess(context_));
  EXPECT_EQ(CUDA_SUCCESS, cuProfilerStart());
  EXPECT_EQ(CUDA_SUCCESS, cuProfilerStop());
}

TEST_F(device_test, stream_properties) {
  CUstream s = nullptr;
  ASSERT_EQ(CUDA_SUCCESS, cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -99));
  int priority = 0;
  unsigned flags = 0;
  unsigned long long id = 0, legacy_id = 0;
  CUdevice device = -1;
  CUcontext c = nullptr;
  CUgreenCtx green = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetPriority(s, &priority));
  EXPECT_EQ(-5, priority);
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetFlags(s, &flags));
  EXPECT_EQ(unsigned{CU_STREAM_NON_BLOCKING}, flags);
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetId(s, &id));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetId(nullptr, &legacy_id));
  EXPECT_NE(id, legacy_id);
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetDevice(s, &device));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetCtx(s, &c));
  EXPECT_EQ(context_, c);
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetCtx_v2(s, &c, &green));
  CUstreamAttrValue value{};
  value.syncPolicy = CU_SYNC_POLICY_BLOCKING_SYNC;
  EXPECT_EQ(CUDA_SUCCESS,
            cuStreamSetAttribute(s, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  CUstream t = make_stream();
  EXPECT_EQ(CUDA_SUCCESS, cuStreamCopyAttributes(t, s));
  value = {};
  EXPECT_EQ(CUDA_SUCCESS,
            cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  EXPECT_EQ(CU_SYNC_POLICY_BLOCKING_SYNC, value.syncPolicy);
  value.priority = -2;
  EXPECT_EQ(CUDA_SUCCESS, cuStreamSetAttribute(t, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
  EXPECT_EQ(-2, value.priority);
  EXPECT_EQ(CUDA_SUCCESS,
            cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
  EXPECT_EQ(CUDA_SUCCESS,
            cuStreamSetAttribute(t, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuStreamGetAttribute(t, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuStreamSetAttribute(t, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
  EXPECT_EQ(CUDA_SUCCESS, cuStreamDestroy(s));
  EXPECT_EQ(CUDA_ERROR_INVALID_HANDLE, cuStreamDestroy_v2(s));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuStreamCreate(&s, 2));
}

TEST_F(device_test, entry_points_by_name_version_and_mode) {
  const auto look_up = [](const char* name, int version, cuuint64_t flags = 0) {
    void* found = nullptr;
    cuGetProcAddress_v2(name, &found, version, flags, nullptr);
    return found;
  };
  const auto address = [](auto* f) { return reinterpret_cast<void*>(f); };
  EXPECT_EQ(address(&cuStreamQuery), look_up("cuStreamQuery", 13000));
  EXPECT_EQ(address(&cuStreamQuery_ptsz),
            look_up("cuStreamQuery", 7000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  EXPECT_EQ(address(&cuStreamQuery),
            look_up("cuStreamQuery", 7000, CU_GET_PROC_ADDRESS_LEGACY_STREAM));
  EXPECT_EQ(address(&cuEventQuery),
            look_up("cuEventQuery", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  // The version chooses the prototype.
  EXPECT_EQ(address(&cuCtxSynchronize), look_up("cuCtxSynchronize", 12000));
  EXPECT_EQ(address(&cuCtxSynchronize_v2), look_up("cuCtxSynchronize", 13000));
  EXPECT_EQ(address(&cuCtxCreate_v3), look_up("cuCtxCreate", 11040));
  EXPECT_EQ(address(&cuCtxCreate_v4), look_up("cuCtxCreate", 12050));
  EXPECT_EQ(address(&cuMemcpyHtoD_v2), look_up("cuMemcpyHtoD", 3020));
  EXPECT_EQ(address(&cuMemcpyHtoD_v2_ptds),
            look_up("cuMemcpyHtoD", 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM));
  EXPECT_EQ(address(&cuGraphInstantiate_v2), look_up("cuGraphInstantiate", 11000));
  EXPECT_EQ(address(&cuGraphInstantiateWithFlags), look_up("cuGraphInstantiate", 12000));
  void* found = &found;
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE,
            cuGetProcAddress_v2("cuInit", &found, 13010, 0, &status));  // newer than the driver
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuGetProcAddress_v2("cuNoSuch", &found, 13000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, status);
  EXPECT_EQ(nullptr, found);
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND,
            cuGetProcAddress_v2("cuLaunchHostFunc", &found, 9000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, status);
  EXPECT_EQ(CUDA_SUCCESS, cuGetProcAddress_v2("cuInit", &found, 2000, 0, &status));
  EXPECT_EQ(CU_GET_PROC_ADDRESS_SUCCESS, status);
  EXPECT_EQ(CUDA_SUCCESS, cuGetProcAddress("cuInit", &found, 12000, 0));
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress("cuInit", &found, 12000, 8));
  const void* table = &table;
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGetExportTable(&table, nullptr));
  CUuuid id{};
  EXPECT_EQ(CUDA_ERROR_NOT_FOUND, cuGetExportTable(&table, &id));
}

TEST_F(device_test, what_is_missing_says_so) {
  CUarray array = nullptr;
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuArrayCreate_v2(&array, nullptr));
  EXPECT_EQ(CUDA_ERROR_NOT_SUPPORTED, cuIpcGetEventHandle(nullptr, nullptr));
}

TEST_F(device_test, names_of_errors) {
  const char* text = nullptr;
  EXPECT_EQ(CUDA_SUCCESS, cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ("CUDA_ERROR_OUT_OF_MEMORY", text);
  EXPECT_EQ(CUDA_SUCCESS, cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
  EXPECT_STREQ("out of memory", text);
  EXPECT_EQ(CUDA_SUCCESS, cuGetErrorString(CUDA_SUCCESS, &text));
  EXPECT_STREQ("no error", text);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(static_cast<CUresult>(12345), &text));
  EXPECT_EQ(nullptr, text);
  EXPECT_EQ(CUDA_ERROR_INVALID_VALUE, cuGetErrorName(CUDA_SUCCESS, nullptr));
}

}  // namespace
}  // namespace streamcts::reference::test
