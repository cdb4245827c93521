// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/payload.h"

#include "harness/driver/result.h"

namespace streamcts {

namespace {

driver::host_memory host_memory_of(memory_kind kind) {
  switch (kind) {
    case memory_kind::write_combined: return driver::host_memory::write_combined;
    case memory_kind::registered: return driver::host_memory::registered;
    case memory_kind::copied: return driver::host_memory::pinned;
    default: return driver::host_memory::mapped;
  }
}

}  // namespace

std::string_view name(memory_kind kind) {
  switch (kind) {
    case memory_kind::mapped: return "mapped";
    case memory_kind::managed: return "managed";
    case memory_kind::copied: return "copied";
    case memory_kind::write_combined: return "write_combined";
    case memory_kind::registered: return "registered";
  }
  return "unknown";
}

payload::payload(const driver::function_table& cuda, memory_kind kind, std::size_t words)
    : cuda_(cuda), kind_(kind), words_(words) {
  if (kind == memory_kind::managed) {
    managed_.emplace(cuda, bytes());
  } else {
    host_.emplace(cuda, bytes(), host_memory_of(kind));
  }
  if (kind == memory_kind::copied) device_.emplace(cuda, bytes());
  fill_with_sentinel(host_words());
}

void payload::begin_round(kernels::pattern expected) {
  previous_ = expected_;
  expected_ = expected;
  fill_with_sentinel(host_words());
}

CUdeviceptr payload::target() const { return device_ ? device_->address() : host_view_address(); }

CUdeviceptr payload::host_view_address() const {
  return managed_ ? managed_->address() : host_->device_address();
}

void payload::deliver(CUstream stream) const {
  if (!device_) return;
  STREAMCTS_CHECK(cuda_.cuMemcpyDtoHAsync(host_->data(), device_->address(), bytes(), stream));
}

std::span<std::uint64_t> payload::host_words() {
  void* at = managed_ ? managed_->data() : host_->data();
  return {static_cast<std::uint64_t*>(at), words_};
}

std::span<const std::uint64_t> payload::host_words() const {
  const void* at = managed_ ? managed_->data() : host_->data();
  return {static_cast<const std::uint64_t*>(at), words_};
}

}  // namespace streamcts
