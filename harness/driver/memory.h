// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "harness/driver/handle.h"

namespace streamcts::driver {

// Freeing may wait for all work of the context (on some drivers it does): allocate and free outside
// of any hold. Sizes are bytes. Contents are unspecified until written, except where said.

namespace detail {
struct device_memory_traits {
  using value_type = CUdeviceptr;
  static constexpr const char* destroy_call = "cuMemFree";
  static CUresult destroy(const function_table& table, CUdeviceptr address) {
    return table.cuMemFree(address);
  }
};
}  // namespace detail

/// cuMemAlloc.
class device_buffer : public handle<detail::device_memory_traits> {
 public:
  device_buffer() = default;
  /// @throws call_error
  device_buffer(const function_table& table, std::size_t bytes,
                std::source_location site = std::source_location::current());

  CUdeviceptr address() const { return get(); }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
};

/// Page-locked host memory, by how it is made. With unified addressing the device reaches all of it
/// (CUDA Programming Guide, "Page-Locked Host Memory").
enum class host_memory {
  pinned,          ///< cuMemHostAlloc, no flags
  mapped,          ///< CU_MEMHOSTALLOC_DEVICEMAP
  portable,        ///< CU_MEMHOSTALLOC_PORTABLE | DEVICEMAP: pinned for every context
  write_combined,  ///< CU_MEMHOSTALLOC_WRITECOMBINED | DEVICEMAP: slow to read on the host
  registered,      ///< ordinary memory, whole pages, cuMemHostRegister with DEVICEMAP
};
inline constexpr std::array all_host_memory = {host_memory::pinned, host_memory::mapped,
                                               host_memory::portable, host_memory::write_combined,
                                               host_memory::registered};
/// "pinned", "mapped", "portable", "write_combined", "registered".
std::string_view to_string(host_memory kind);

/// Page-locked host memory with the address at which the device sees it. Whole pages are allocated.
/// Move-only; the destructor does not throw.
class host_buffer {
 public:
  host_buffer() = default;
  /// @throws call_error
  host_buffer(const function_table& table, std::size_t bytes,
              host_memory kind = host_memory::mapped,
              std::source_location site = std::source_location::current());
  host_buffer(host_buffer&& other) noexcept;
  host_buffer& operator=(host_buffer&& other) noexcept;
  host_buffer(const host_buffer&) = delete;
  host_buffer& operator=(const host_buffer&) = delete;
  ~host_buffer();

  void* data() const { return host_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(host_);
  }
  std::span<std::uint64_t> words() const { return {as<std::uint64_t>(), size_ / 8}; }
  std::size_t size() const { return size_; }
  host_memory kind() const { return kind_; }
  /// cuMemHostGetDevicePointer of data(); 0 where the driver refused to map it (`pinned` only).
  CUdeviceptr device_address() const { return device_; }

  /// Frees now, so that the caller sees the result. The object is empty afterwards either way.
  void destroy(std::source_location site = std::source_location::current());
  /// Gives the memory up without freeing it.
  void* release();

 private:
  CUresult free_now(const char*& call) noexcept;
  void reset() noexcept;

  const function_table* table_ = nullptr;
  void* host_ = nullptr;
  CUdeviceptr device_ = 0;
  std::size_t size_ = 0;
  host_memory kind_ = host_memory::pinned;
};

/// Managed memory, by the flag it is allocated with (CUDA Driver API, cuMemAllocManaged and
/// cuStreamAttachMemAsync). `single` is allocated with `host` and attached by the case.
enum class managed_attach { global, host, single };
inline constexpr std::array all_managed_attach = {managed_attach::global, managed_attach::host,
                                                  managed_attach::single};
/// "global", "host", "single".
std::string_view to_string(managed_attach attach);

/// cuMemAllocManaged: one address on host and device.
class managed_buffer : public handle<detail::device_memory_traits> {
 public:
  managed_buffer() = default;
  /// `single`: as `host`; attach_single() then binds it to a stream. @throws call_error
  managed_buffer(const function_table& table, std::size_t bytes,
                 managed_attach attach = managed_attach::global,
                 std::source_location site = std::source_location::current());

  /// cuStreamAttachMemAsync(CU_MEM_ATTACH_SINGLE): takes effect in the order of @p stream.
  void attach_single(CUstream stream,
                     std::source_location site = std::source_location::current()) const;
  void attach_global(CUstream stream,
                     std::source_location site = std::source_location::current()) const;
  void attach_host(CUstream stream,
                   std::source_location site = std::source_location::current()) const;

  CUdeviceptr address() const { return get(); }
  void* data() const { return reinterpret_cast<void*>(get()); }
  template <typename T>
  T* as() const {
    return static_cast<T*>(data());
  }
  std::span<std::uint64_t> words() const { return {as<std::uint64_t>(), size_ / 8}; }
  std::size_t size() const { return size_; }
  managed_attach attach() const { return attach_; }

 private:
  std::size_t size_ = 0;
  managed_attach attach_ = managed_attach::global;
};

}  // namespace streamcts::driver
