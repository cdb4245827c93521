// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/devices.h"

#include "harness/driver/driver_library.h"
#include "harness/driver/probe.h"
#include "harness/driver/context.h"
#include "harness/driver/result.h"
#include "harness/runner/device_host.h"

namespace streamcts::runner {

namespace {

std::vector<device_entry> all_devices(const std::string& path) {
  const auto library = driver::driver_library::open(path);
  const driver::function_table& cuda = library.functions(driver::stream_mode::legacy);
  driver::initialize(cuda);
  int count = 0;
  STREAMCTS_CHECK(cuda.cuDeviceGetCount(&count));
  std::vector<device_entry> all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    const CUdevice device = driver::device_at(cuda, ordinal);
    device_entry entry;
    entry.ordinal = ordinal;
    char text[256] = {};
    STREAMCTS_CHECK(cuda.cuDeviceGetName(text, sizeof text - 1, device));
    entry.name = text;
    char bus[32] = {};
    if (cuda.cuDeviceGetPCIBusId(bus, sizeof bus - 1, device) == CUDA_SUCCESS) entry.pci_bus_id = bus;
    std::size_t bytes = 0;
    if (cuda.cuDeviceTotalMem(&bytes, device) == CUDA_SUCCESS) entry.memory = bytes;
    entry.compute_major = driver::device_attribute(
        cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    entry.compute_minor = driver::device_attribute(
        cuda, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace

std::vector<device_entry> list_devices(const child_order& order) {
  std::vector<device_entry> all;
  translate_start_errors([&] { all = all_devices(order.host.driver); });
  return all;
}

}  // namespace streamcts::runner
