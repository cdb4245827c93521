// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/payload.h"

#include <utility>

#include "harness/driver/result.h"

namespace streamcts {

namespace {

driver::host_memory host_memory_of(memory_kind kind) {
  switch (kind) {
    case memory_kind::write_combined: return driver::host_memory::write_combined;
    case memory_kind::registered: return driver::host_memory::registered;
    case memory_kind::portable: return driver::host_memory::portable;
    case memory_kind::copied:
    case memory_kind::pinned: return driver::host_memory::pinned;
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
    case memory_kind::portable: return "portable";
    case memory_kind::pinned: return "pinned";
    case memory_kind::pageable: return "pageable";
  }
  return "unknown";
}

payload::payload(const driver::function_table& cuda, memory_kind kind, std::size_t words)
    : cuda_(cuda), kind_(kind), words_(words) {
  if (kind == memory_kind::managed) {
    managed_.emplace(cuda, bytes());
  } else if (kind == memory_kind::pageable) {
    ordinary_.resize(words);
  } else {
    host_.emplace(cuda, bytes(), host_memory_of(kind));
  }
  if (kind == memory_kind::copied || kind == memory_kind::pageable) device_.emplace(cuda, bytes());
  fill_with_sentinel(host_words());
}

void payload::begin_round(kernels::pattern expected) {
  previous_ = expected_;
  expected_ = expected;
  fill_with_sentinel(host_words());
}

CUdeviceptr payload::target() const { return device_ ? device_->address() : host_view_address(); }

CUdeviceptr payload::host_view_address() const {
  if (managed_) return managed_->address();
  return host_ ? host_->device_address() : reinterpret_cast<CUdeviceptr>(ordinary_.data());
}

void payload::deliver(CUstream stream, const driver::function_table& cuda) const {
  if (!device_) return;
  void* const to = const_cast<std::uint64_t*>(host_words().data());
  STREAMCTS_CHECK(cuda.cuMemcpyDtoHAsync(to, device_->address(), bytes(), stream));
}

std::span<std::uint64_t> payload::host_words() {
  const std::span<const std::uint64_t> words = std::as_const(*this).host_words();
  return {const_cast<std::uint64_t*>(words.data()), words.size()};
}

std::span<const std::uint64_t> payload::host_words() const {
  if (!managed_ && !host_) return ordinary_;
  const void* at = managed_ ? managed_->data() : host_->data();
  return {static_cast<const std::uint64_t*>(at), words_};
}

}  // namespace streamcts
