// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// cudaGetDeviceProperties: each field is a device attribute.

#include <cstring>

#include "harness/reference/runtime/entry.h"

using namespace streamcts::runtime;

namespace {

/// Fills fields from attributes; the first failure stays. An attribute that the driver does not
/// know leaves its field 0.
class reader {
 public:
  reader(const driver_calls& driver, CUdevice device) : driver_(driver), device_(device) {}

  template <typename Field>
  reader& read(Field& field, CUdevice_attribute which) {
    int value = 0;
    const CUresult result = driver_.cuDeviceGetAttribute(&value, which, device_);
    if (result == CUDA_SUCCESS) field = static_cast<Field>(value);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE && failure_ == CUDA_SUCCESS) {
      failure_ = result;
    }
    return *this;
  }
  CUresult failure() const { return failure_; }

 private:
  const driver_calls& driver_;
  CUdevice device_;
  CUresult failure_ = CUDA_SUCCESS;
};

#define DEVICE(name) CU_DEVICE_ATTRIBUTE_##name

void read_execution(reader& r, cudaDeviceProp& p) {
  r.read(p.major, DEVICE(COMPUTE_CAPABILITY_MAJOR))
      .read(p.minor, DEVICE(COMPUTE_CAPABILITY_MINOR))
      .read(p.warpSize, DEVICE(WARP_SIZE))
      .read(p.maxThreadsPerBlock, DEVICE(MAX_THREADS_PER_BLOCK))
      .read(p.maxThreadsDim[0], DEVICE(MAX_BLOCK_DIM_X))
      .read(p.maxThreadsDim[1], DEVICE(MAX_BLOCK_DIM_Y))
      .read(p.maxThreadsDim[2], DEVICE(MAX_BLOCK_DIM_Z))
      .read(p.maxGridSize[0], DEVICE(MAX_GRID_DIM_X))
      .read(p.maxGridSize[1], DEVICE(MAX_GRID_DIM_Y))
      .read(p.maxGridSize[2], DEVICE(MAX_GRID_DIM_Z))
      .read(p.multiProcessorCount, DEVICE(MULTIPROCESSOR_COUNT))
      .read(p.maxThreadsPerMultiProcessor, DEVICE(MAX_THREADS_PER_MULTIPROCESSOR))
      .read(p.maxBlocksPerMultiProcessor, DEVICE(MAX_BLOCKS_PER_MULTIPROCESSOR))
      .read(p.regsPerBlock, DEVICE(MAX_REGISTERS_PER_BLOCK))
      .read(p.regsPerMultiprocessor, DEVICE(MAX_REGISTERS_PER_MULTIPROCESSOR))
      .read(p.sharedMemPerBlock, DEVICE(MAX_SHARED_MEMORY_PER_BLOCK))
      .read(p.sharedMemPerBlockOptin, DEVICE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN))
      .read(p.sharedMemPerMultiprocessor, DEVICE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR))
      .read(p.reservedSharedMemPerBlock, DEVICE(RESERVED_SHARED_MEMORY_PER_BLOCK))
      .read(p.concurrentKernels, DEVICE(CONCURRENT_KERNELS))
      .read(p.asyncEngineCount, DEVICE(ASYNC_ENGINE_COUNT))
      .read(p.computePreemptionSupported, DEVICE(COMPUTE_PREEMPTION_SUPPORTED))
      .read(p.cooperativeLaunch, DEVICE(COOPERATIVE_LAUNCH))
      .read(p.clusterLaunch, DEVICE(CLUSTER_LAUNCH))
      .read(p.streamPrioritiesSupported, DEVICE(STREAM_PRIORITIES_SUPPORTED))
      .read(p.unifiedFunctionPointers, DEVICE(UNIFIED_FUNCTION_POINTERS));
}

void read_memory(reader& r, cudaDeviceProp& p) {
  r.read(p.memPitch, DEVICE(MAX_PITCH))
      .read(p.totalConstMem, DEVICE(TOTAL_CONSTANT_MEMORY))
      .read(p.memoryBusWidth, DEVICE(GLOBAL_MEMORY_BUS_WIDTH))
      .read(p.l2CacheSize, DEVICE(L2_CACHE_SIZE))
      .read(p.persistingL2CacheMaxSize, DEVICE(MAX_PERSISTING_L2_CACHE_SIZE))
      .read(p.accessPolicyMaxWindowSize, DEVICE(MAX_ACCESS_POLICY_WINDOW_SIZE))
      .read(p.globalL1CacheSupported, DEVICE(GLOBAL_L1_CACHE_SUPPORTED))
      .read(p.localL1CacheSupported, DEVICE(LOCAL_L1_CACHE_SUPPORTED))
      .read(p.ECCEnabled, DEVICE(ECC_ENABLED))
      .read(p.canMapHostMemory, DEVICE(CAN_MAP_HOST_MEMORY))
      .read(p.unifiedAddressing, DEVICE(UNIFIED_ADDRESSING))
      .read(p.managedMemory, DEVICE(MANAGED_MEMORY))
      .read(p.concurrentManagedAccess, DEVICE(CONCURRENT_MANAGED_ACCESS))
      .read(p.directManagedMemAccessFromHost, DEVICE(DIRECT_MANAGED_MEM_ACCESS_FROM_HOST))
      .read(p.pageableMemoryAccess, DEVICE(PAGEABLE_MEMORY_ACCESS))
      .read(p.pageableMemoryAccessUsesHostPageTables,
            DEVICE(PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES))
      .read(p.hostNativeAtomicSupported, DEVICE(HOST_NATIVE_ATOMIC_SUPPORTED))
      .read(p.canUseHostPointerForRegisteredMem, DEVICE(CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM))
      .read(p.hostRegisterSupported, DEVICE(HOST_REGISTER_SUPPORTED))
      .read(p.hostRegisterReadOnlySupported, DEVICE(READ_ONLY_HOST_REGISTER_SUPPORTED))
      .read(p.memoryPoolsSupported, DEVICE(MEMORY_POOLS_SUPPORTED))
      .read(p.memoryPoolSupportedHandleTypes, DEVICE(MEMPOOL_SUPPORTED_HANDLE_TYPES))
      .read(p.gpuDirectRDMASupported, DEVICE(GPU_DIRECT_RDMA_SUPPORTED));
}

void read_place(reader& r, cudaDeviceProp& p) {
  r.read(p.pciBusID, DEVICE(PCI_BUS_ID))
      .read(p.pciDeviceID, DEVICE(PCI_DEVICE_ID))
      .read(p.pciDomainID, DEVICE(PCI_DOMAIN_ID))
      .read(p.integrated, DEVICE(INTEGRATED))
      .read(p.tccDriver, DEVICE(TCC_DRIVER))
      .read(p.isMultiGpuBoard, DEVICE(MULTI_GPU_BOARD))
      .read(p.multiGpuBoardGroupID, DEVICE(MULTI_GPU_BOARD_GROUP_ID))
      .read(p.ipcEventSupported, DEVICE(IPC_EVENT_SUPPORTED))
      .read(p.textureAlignment, DEVICE(TEXTURE_ALIGNMENT))
      .read(p.texturePitchAlignment, DEVICE(TEXTURE_PITCH_ALIGNMENT))
      .read(p.surfaceAlignment, DEVICE(SURFACE_ALIGNMENT));
}

#undef DEVICE

}  // namespace

RUNTIME_BARE_ENTRY(cudaGetDeviceProperties, (cudaDeviceProp * out, int device), (out, device)) {
  if (out == nullptr) return cudaErrorInvalidValue;
  CUdevice handle = 0;
  if (const CUresult r = driver.cuDeviceGet(&handle, device); r != CUDA_SUCCESS) return r;
  cudaDeviceProp p{};
  CUuuid uuid{};
  if (const CUresult r = driver.cuDeviceGetName(p.name, sizeof p.name - 1, handle);
      r != CUDA_SUCCESS) {
    return r;
  }
  if (const CUresult r = driver.cuDeviceGetUuid(&uuid, handle); r != CUDA_SUCCESS) return r;
  if (const CUresult r = driver.cuDeviceTotalMem(&p.totalGlobalMem, handle); r != CUDA_SUCCESS) {
    return r;
  }
  std::memcpy(&p.uuid, &uuid, sizeof p.uuid);
  reader r(driver, handle);
  read_execution(r, p);
  read_memory(r, p);
  read_place(r, p);
  if (r.failure() == CUDA_SUCCESS) *out = p;
  return r.failure();
}
