// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/layer/operation.h"

#include "harness/faults/layer/real_driver.h"

namespace streamcts::faults {
namespace {

/// True for memory of the device alone; what the driver does not know is ordinary host memory.
bool is_device_memory(CUdeviceptr address) {
  unsigned type = 0;
  if (!real().pointer_get_attribute ||
      real().pointer_get_attribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
          CUDA_SUCCESS) {
    return false;
  }
  return type == CU_MEMORYTYPE_DEVICE;
}

}  // namespace

copy_range::direction copy_range::resolved() const {
  if (way != direction::unified) return way;
  const bool to_device = is_device_memory(destination);
  const bool from_device = is_device_memory(source);
  if (to_device && from_device) return direction::device_to_device;
  if (to_device) return direction::host_to_device;
  if (from_device) return direction::device_to_host;
  return direction::unified;
}

}  // namespace streamcts::faults
