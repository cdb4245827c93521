// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/probe.h"

#include <cstdio>

#include "harness/driver/probe_internal.h"

namespace streamcts::driver {
namespace {

struct named_attribute {
  const char* name;
  CUdevice_attribute value;
};
constexpr named_attribute attributes[] = {
    {"async_engine_count", CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT},
    {"can_flush_remote_writes", CU_DEVICE_ATTRIBUTE_CAN_FLUSH_REMOTE_WRITES},
    {"can_map_host_memory", CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY},
    {"can_use_64_bit_stream_mem_ops", CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS},
    {"can_use_host_pointer_for_registered_mem",
     CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM},
    {"can_use_stream_wait_value_nor", CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR},
    {"compute_mode", CU_DEVICE_ATTRIBUTE_COMPUTE_MODE},
    {"compute_preemption_supported", CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED},
    {"concurrent_kernels", CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS},
    {"concurrent_managed_access", CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS},
    {"host_native_atomic_supported", CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED},
    {"host_register_supported", CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED},
    {"integrated", CU_DEVICE_ATTRIBUTE_INTEGRATED},
    {"ipc_event_supported", CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED},
    {"managed_memory", CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY},
    {"mem_sync_domain_count", CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT},
    {"memory_pools_supported", CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED},
    {"mps_enabled", CU_DEVICE_ATTRIBUTE_MPS_ENABLED},
    {"multiprocessor_count", CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT},
    {"pageable_memory_access", CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS},
    {"read_only_host_register_supported", CU_DEVICE_ATTRIBUTE_READ_ONLY_HOST_REGISTER_SUPPORTED},
    {"stream_priorities_supported", CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED},
    {"unified_addressing", CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING},
};

/// As nvidia-smi prints it.
std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char two[3];
    std::snprintf(two, sizeof(two), "%02x", static_cast<unsigned>(uuid.bytes[i]) & 0xFF);
    text += two;
  }
  return text;
}

std::string reason_of(const call_error& error) {
  return std::string(error.call) + " returned " + result_name(error.code);
}

}  // namespace

namespace detail {

void prober::begin_step(std::string_view name) const {
  if (options_.on_step) options_.on_step(name);
}

void prober::device() {
  begin_step("device");
  initialize(table_);
  STREAMCTS_CHECK(table_.cuDeviceGetCount(&found_.device_count));
  if (found_.device_count == 0) {
    throw not_supported("driver " + driver_.path() +
                        " shows no device; check the GPU and CUDA_VISIBLE_DEVICES");
  }
  const int ordinal = options_.device_ordinal;
  if (ordinal < 0 || ordinal >= found_.device_count) {
    throw not_supported("device " + std::to_string(ordinal) + ": there are only " +
                        std::to_string(found_.device_count) + ", counted from 0");
  }
  const CUdevice device = device_at(table_, ordinal);
  found_.device_ordinal = ordinal;
  char text[256] = {};
  STREAMCTS_CHECK(table_.cuDeviceGetName(text, sizeof(text) - 1, device));
  found_.device_name = text;
  found_.compute_major =
      device_attribute(table_, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  found_.compute_minor =
      device_attribute(table_, device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CUuuid uuid{};
  if (table_.cuDeviceGetUuid(&uuid, device) == CUDA_SUCCESS) found_.device_uuid = uuid_text(uuid);
  char bus[32] = {};
  if (table_.cuDeviceGetPCIBusId(bus, sizeof(bus) - 1, device) == CUDA_SUCCESS) {
    found_.pci_bus_id = bus;
  }
  std::size_t bytes = 0;
  if (table_.cuDeviceTotalMem(&bytes, device) == CUDA_SUCCESS) found_.device_memory = bytes;
  for (const auto& [name, value] : attributes) {
    int seen = 0;
    if (table_.cuDeviceGetAttribute(&seen, value, device) == CUDA_SUCCESS) {
      found_.attributes[name] = seen;
    }
  }
}

void prober::demand_attribute(const char* name) const {
  if (!found_.attributes.contains(name)) throw not_supported(std::string(name) + " is unknown");
  if (found_.attribute(name) == 0) throw not_supported(std::string(name) + " = 0");
}

void prober::finish(arena& a, const stream& target) const {
  const event& done = a.make<event>(table_);
  done.record(target.get());
  if (!done.wait(patience())) {
    throw not_supported("its work did not complete within " +
                        std::to_string(options_.patience.count()) + " ms");
  }
}

const kernel_set& prober::kernels() const {
  if (kernels_ == nullptr) throw not_supported("no kernel could be loaded");
  return *kernels_;
}

void prober::try_feature(feature which, step body) {
  ability& result = found_.of(which);
  if (const auto skipped = options_.skip.find(which); skipped != options_.skip.end()) {
    result = {false, skipped->second};
  } else {
    begin_step(to_string(which));
    arena a;
    try {
      (this->*body)(a);
      a.clear();
      result = {true, ""};
    } catch (const call_error& error) {
      result = {false, reason_of(error)};
    } catch (const not_supported& error) {
      result = {false, error.what()};
    }
    if (!a.empty()) {
      a.abandon();
      stuck_ = true;
    }
  }
  if (options_.on_result) options_.on_result(which, result);
}

void prober::try_all() {
  // In the order of the enumeration: kernels first, since most others launch some.
  const std::pair<feature, step> steps[] = {
      {feature::kernel_library, &prober::kernel_library},
      {feature::kernel_module, &prober::kernel_module},
      {feature::stream_callback, &prober::stream_callback},
      {feature::host_function, &prober::host_function},
      {feature::priorities, &prober::priorities},
      {feature::per_thread_mode, &prober::per_thread_mode},
      {feature::pinned, &prober::host_memory_kind<host_memory::pinned>},
      {feature::mapped, &prober::host_memory_kind<host_memory::mapped>},
      {feature::portable, &prober::host_memory_kind<host_memory::portable>},
      {feature::write_combined, &prober::host_memory_kind<host_memory::write_combined>},
      {feature::registered, &prober::host_memory_kind<host_memory::registered>},
      {feature::managed, &prober::managed},
      {feature::managed_concurrent, &prober::managed_concurrent},
      {feature::stream_ordered_allocation, &prober::stream_ordered_allocation},
      {feature::memop_32, &prober::memop_32},
      {feature::memop_64, &prober::memop_64},
      {feature::memop_batch, &prober::memop_batch},
      {feature::gate_host_function, &prober::gate_host_function},
      {feature::gate_kernel_mapped, &prober::gate_kernel_mapped},
      {feature::gate_kernel_device, &prober::gate_kernel_device},
      {feature::gate_value_wait, &prober::gate_value_wait},
      {feature::graph, &prober::graph_by_hand},
      {feature::graph_capture, &prober::graph_capture},
      {feature::user_object, &prober::user_object},
      {feature::multi_device, &prober::multi_device},
      {feature::peer_access, &prober::peer_access},
      {feature::ipc_events, &prober::ipc_events},
      {feature::runtime, &prober::runtime},
      {feature::runtime_per_thread, &prober::runtime_per_thread},
  };
  static_assert(std::size(steps) == feature_count);
  for (const auto& [which, body] : steps) try_feature(which, body);
}

void prober::run() {
  device();
  begin_step("context");
  context current = context::primary(table_, options_.device_ordinal);
  if (table_.cuCtxGetStreamPriorityRange != nullptr) {
    const priority_range range = stream_priorities(table_);
    found_.priority_least = range.least;
    found_.priority_greatest = range.greatest;
  }
  try_all();
  if (!stuck_) return;
  current.release();
  if (image_ != nullptr) image_->release();
}

}  // namespace detail

probe::probe(const driver_library& driver, probe_options options)
    : driver_(driver), options_(std::move(options)) {}

capabilities probe::run() {
  capabilities found;
  found.driver_path = driver_.path();
  found.driver_build_id = driver_.build_id();
  found.driver_lookup = driver_.lookup();
  found.driver_version = driver_.version();
  for (const auto name :
       missing_functions(driver_.functions(stream_mode::legacy), need::optional)) {
    found.missing_functions.emplace_back(name);
  }
  if (runtime_ != nullptr) {
    found.runtime_path = runtime_->path();
    found.runtime_build_id = runtime_->build_id();
    found.runtime_version = runtime_->version();
  }
  detail::prober(driver_, options_, runtime_, no_runtime_, found).run();
  found.mapped_files = driver_.mapped_files();
  return found;
}

}  // namespace streamcts::driver
