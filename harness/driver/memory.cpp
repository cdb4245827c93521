// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/memory.h"

#include <unistd.h>

#include <cstdlib>
#include <new>
#include <utility>

namespace streamcts::driver {
namespace {

CUdeviceptr allocate_device(const function_table& table, std::size_t bytes,
                            std::source_location site) {
  CUdeviceptr address = 0;
  check(table.cuMemAlloc(&address, bytes), "cuMemAlloc", site);
  return address;
}

CUdeviceptr allocate_managed(const function_table& table, std::size_t bytes, managed_attach attach,
                             std::source_location site) {
  CUdeviceptr address = 0;
  const unsigned flags =
      attach == managed_attach::global ? CU_MEM_ATTACH_GLOBAL : CU_MEM_ATTACH_HOST;
  check(table.cuMemAllocManaged(&address, bytes, flags), "cuMemAllocManaged", site);
  return address;
}

std::size_t whole_pages(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes == 0 ? page : (bytes + page - 1) / page * page;
}

unsigned host_alloc_flags(host_memory kind) {
  switch (kind) {
    case host_memory::mapped:
      return CU_MEMHOSTALLOC_DEVICEMAP;
    case host_memory::portable:
      return CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
    case host_memory::write_combined:
      return CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP;
    default:
      return 0;
  }
}

void* allocate_registered(const function_table& table, std::size_t bytes,
                          std::source_location site) {
  void* host = std::aligned_alloc(static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), bytes);
  if (host == nullptr) throw std::bad_alloc();
  const CUresult result = table.cuMemHostRegister(host, bytes, CU_MEMHOSTREGISTER_DEVICEMAP);
  if (result != CUDA_SUCCESS) std::free(host);
  check(result, "cuMemHostRegister", site);
  return host;
}

void attach_to(const function_table& table, CUstream stream, CUdeviceptr address, unsigned flags,
               std::source_location site) {
  // Length 0: the whole allocation.
  check(table.cuStreamAttachMemAsync(stream, address, 0, flags), "cuStreamAttachMemAsync", site);
}

}  // namespace

device_buffer::device_buffer(const function_table& table, std::size_t bytes,
                             std::source_location site)
    : handle(table, allocate_device(table, bytes, site)), size_(bytes) {}

std::string_view to_string(host_memory kind) {
  constexpr std::string_view names[] = {"pinned", "mapped", "portable", "write_combined",
                                        "registered"};
  return names[static_cast<int>(kind)];
}

host_buffer::host_buffer(const function_table& table, std::size_t bytes, host_memory kind,
                         std::source_location site)
    : table_(&table), size_(bytes), kind_(kind) {
  const std::size_t allocated = whole_pages(bytes);
  if (kind == host_memory::registered) {
    host_ = allocate_registered(table, allocated, site);
  } else {
    check(table.cuMemHostAlloc(&host_, allocated, host_alloc_flags(kind)), "cuMemHostAlloc", site);
  }
  const CUresult mapped = table.cuMemHostGetDevicePointer(&device_, host_, 0);
  if (mapped == CUDA_SUCCESS) return;
  device_ = 0;
  if (kind == host_memory::pinned) return;
  reset();
  check(mapped, "cuMemHostGetDevicePointer", site);
}

host_buffer::host_buffer(host_buffer&& other) noexcept
    : table_(other.table_),
      host_(std::exchange(other.host_, nullptr)),
      device_(std::exchange(other.device_, 0)),
      size_(std::exchange(other.size_, 0)),
      kind_(other.kind_) {}

host_buffer& host_buffer::operator=(host_buffer&& other) noexcept {
  if (this != &other) {
    reset();
    table_ = other.table_;
    host_ = std::exchange(other.host_, nullptr);
    device_ = std::exchange(other.device_, 0);
    size_ = std::exchange(other.size_, 0);
    kind_ = other.kind_;
  }
  return *this;
}

host_buffer::~host_buffer() {
  reset();
}

void* host_buffer::release() {
  device_ = 0;
  size_ = 0;
  return std::exchange(host_, nullptr);
}

CUresult host_buffer::free_now(const char*& call) noexcept {
  void* const host = release();
  if (kind_ != host_memory::registered) {
    call = "cuMemFreeHost";
    return table_->cuMemFreeHost(host);
  }
  call = "cuMemHostUnregister";
  const CUresult result = table_->cuMemHostUnregister(host);
  // Memory that the device may still reach must not be given to somebody else.
  if (result == CUDA_SUCCESS) std::free(host);
  return result;
}

void host_buffer::destroy(std::source_location site) {
  if (host_ == nullptr) return;
  const char* call = nullptr;
  const CUresult result = free_now(call);
  check(result, call, site);
}

void host_buffer::reset() noexcept {
  if (host_ == nullptr) return;
  const char* call = nullptr;
  const CUresult result = free_now(call);
  report_destroy(call, result);
}

std::string_view to_string(managed_attach attach) {
  constexpr std::string_view names[] = {"global", "host", "single"};
  return names[static_cast<int>(attach)];
}

managed_buffer::managed_buffer(const function_table& table, std::size_t bytes,
                               managed_attach attach, std::source_location site)
    : handle(table, allocate_managed(table, bytes, attach, site)), size_(bytes), attach_(attach) {}

void managed_buffer::attach_single(CUstream stream, std::source_location site) const {
  attach_to(table(), stream, get(), CU_MEM_ATTACH_SINGLE, site);
}
void managed_buffer::attach_global(CUstream stream, std::source_location site) const {
  attach_to(table(), stream, get(), CU_MEM_ATTACH_GLOBAL, site);
}
void managed_buffer::attach_host(CUstream stream, std::source_location site) const {
  attach_to(table(), stream, get(), CU_MEM_ATTACH_HOST, site);
}

}  // namespace streamcts::driver
