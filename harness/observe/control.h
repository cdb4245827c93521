// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "harness/driver/functions.h"
#include "harness/driver/memory.h"

namespace streamcts {

/// A 32-bit word that host and device share, alone in its cache line: a gate, a begun flag, a done
/// flag. Each word has one writer at a time; accesses are loads and stores of system scope, which
/// mapped memory makes atomic (read-modify-write by the device would not be).
class control_word {
 public:
  control_word() = default;
  control_word(std::uint32_t* host, CUdeviceptr device) : host_(host), device_(device) {}

  std::uint32_t load() const { return ref().load(std::memory_order_acquire); }
  void store(std::uint32_t value) const { ref().store(value, std::memory_order_release); }
  /// Writes @p desired if the word still holds @p expected. For the host side alone.
  bool replace(std::uint32_t expected, std::uint32_t desired) const {
    return ref().compare_exchange_strong(expected, desired, std::memory_order_acq_rel);
  }
  /// The address that copies of the host take.
  const void* host() const { return host_; }
  /// The address that kernels take.
  CUdeviceptr device() const { return device_; }

 private:
  std::atomic_ref<std::uint32_t> ref() const { return std::atomic_ref<std::uint32_t>(*host_); }

  std::uint32_t* host_ = nullptr;
  CUdeviceptr device_ = 0;
};

/// One page of mapped host memory, cut into control words. A page, since faulty drivers and
/// remoting layers treat larger allocations as payload.
///
/// Words are handed out once and zero; the page is reused after reset(). Not thread safe.
class control_page {
 public:
  static constexpr std::size_t words = 64;

  /// @throws driver::call_error where mapped host memory cannot be had.
  explicit control_page(const driver::function_table& cuda);

  /// A word that nobody has yet, set to zero. @throws std::length_error after the last one.
  control_word next();
  /// Takes all words back. Only while no kernel or host call can touch them.
  void reset() { used_ = 0; }
  std::size_t left() const { return words - used_; }

 private:
  driver::host_buffer buffer_;
  std::size_t used_ = 0;
};

}  // namespace streamcts
