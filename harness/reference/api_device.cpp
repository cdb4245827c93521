// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Initialization and device queries.

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "harness/reference/context.h"
#include "harness/reference/entry.h"
#include "harness/reference/memory.h"
#include "harness/reference/process.h"
#include "harness/reference/variants.h"

using namespace streamcts::reference;

namespace {

// The number tells programs which version-specific entry points to expect.
constexpr int driver_version = 13000;
constexpr const char* device_name = "streamcts reference device";
constexpr int pci_domain = 0, first_pci_bus = 0x51;

// Attributes that are not 0.
constexpr std::pair<int, int> attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7FFFFFFF},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 << 10},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 << 10},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 << 10},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0x7FFFFFFF},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_GPU_OVERLAP, 1},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 4},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_PCI_BUS_ID, first_pci_bus},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 64},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 2},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
};

std::string bus_id(CUdevice device) {
  char text[32];
  std::snprintf(text, sizeof text, "%04x:%02x:00.0", pci_domain, first_pci_bus + device);
  return text;
}

CUresult uuid_of(CUuuid* uuid, CUdevice device) {
  require(uuid != nullptr);
  require_device(device);
  std::memcpy(uuid->bytes, "streamcts refdev", sizeof uuid->bytes);
  uuid->bytes[15] = static_cast<char>('0' + device);
  return CUDA_SUCCESS;
}

}  // namespace

STREAMCTS_EXPORT cuInit(unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (initialized()) return CUDA_SUCCESS;
  if (!select_variant_from_environment()) return CUDA_ERROR_NOT_INITIALIZED;
  watch_exit();
  set_initialized(true);
  return CUDA_SUCCESS;
}

STREAMCTS_EXPORT cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = driver_version;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal)) {
  require(device != nullptr);
  require_device(ordinal);
  *device = ordinal;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetCount, (int* count), (count)) {
  require(count != nullptr);
  *count = device_count();
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetName, (char* name, int length, CUdevice device),
                (name, length, device)) {
  require(name != nullptr && length > 0);
  require_device(device);
  std::snprintf(name, static_cast<std::size_t>(length), "%s", device_name);
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetUuid, (CUuuid * uuid, CUdevice device), (uuid, device)) {
  return uuid_of(uuid, device);
}

STREAMCTS_ENTRY(cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device), (uuid, device)) {
  return uuid_of(uuid, device);
}

STREAMCTS_ENTRY(cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), (bytes, device)) {
  require(bytes != nullptr);
  require_device(device);
  *bytes = memory::total_bytes();
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetPCIBusId, (char* text, int length, CUdevice device),
                (text, length, device)) {
  require(text != nullptr && length > 0);
  require_device(device);
  std::snprintf(text, static_cast<std::size_t>(length), "%s", bus_id(device).c_str());
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetByPCIBusId, (CUdevice * device, const char* text), (device, text)) {
  require(device != nullptr && text != nullptr);
  for (CUdevice d = 0; d < device_count(); ++d) {
    const std::string own = bus_id(d);
    if (own != text && own.substr(5) != text) continue;  // the domain may be left out
    *device = d;
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_INVALID_DEVICE;
}

STREAMCTS_ENTRY(cuDeviceGetAttribute,
                (int* value, CUdevice_attribute attribute, CUdevice device),
                (value, attribute, device)) {
  require(value != nullptr && attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX);
  require_device(device);
  *value = 0;
  for (const auto& [id, known] : attributes) {
    if (id == attribute) *value = known;
  }
  if (attribute == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) *value += device;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceComputeCapability, (int* major, int* minor, CUdevice device),
                (major, minor, device)) {
  require(major != nullptr && minor != nullptr);
  require_device(device);
  *major = 9;
  *minor = 0;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceCanAccessPeer, (int* answer, CUdevice device, CUdevice peer),
                (answer, device, peer)) {
  require(answer != nullptr);
  require_device(device);
  require_device(peer);
  *answer = device != peer ? 1 : 0;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetP2PAttribute,
                (int* value, CUdevice_P2PAttribute attribute, CUdevice from, CUdevice to),
                (value, attribute, from, to)) {
  require(value != nullptr && from != to);
  require_device(from);
  require_device(to);
  *value = attribute == CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED ? 1 : 0;
  return CUDA_SUCCESS;
}

STREAMCTS_ENTRY(cuDeviceGetExecAffinitySupport,
                (int* supported, [[maybe_unused]] CUexecAffinityType type, CUdevice device),
                (supported, type, device)) {
  require(supported != nullptr);
  require_device(device);
  *supported = 0;
  return CUDA_SUCCESS;
}
