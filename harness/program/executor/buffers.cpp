// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/buffers.h"

#include <bit>

#include "harness/driver/keep.h"

namespace streamcts::program {
namespace {

driver::host_memory pinned_kind(memory_kind kind) {
  switch (kind) {
    case memory_kind::write_combined:
      return driver::host_memory::write_combined;
    case memory_kind::portable:
      return driver::host_memory::portable;
    case memory_kind::registered:
      return driver::host_memory::registered;
    default:
      return driver::host_memory::mapped;
  }
}

/// A page, or a power of two from there on: few sizes, so that pieces are used again. 64 KiB stay
/// 64 KiB, since drivers change their ways there.
std::size_t capacity_for(std::size_t bytes) {
  return std::bit_ceil(std::max<std::size_t>(bytes, 4096));
}

}  // namespace

std::unique_ptr<buffer_pool::piece> buffer_pool::make(memory_kind kind,
                                                      std::size_t capacity) const {
  auto made = std::make_unique<piece>();
  made->capacity = capacity;
  made->at.kind = kind;
  switch (kind) {
    case memory_kind::managed:
      made->managed = driver::managed_buffer(cuda_, capacity);
      made->at.host = made->managed.data();
      made->at.device = made->managed.address();
      break;
    case memory_kind::device:
      made->device = driver::device_buffer(cuda_, capacity);
      made->at.device = made->device.address();
      break;
    case memory_kind::pageable:
      made->pageable = std::make_unique<std::uint64_t[]>(capacity / 8);
      made->at.host = made->pageable.get();
      break;
    default:
      made->pinned = driver::host_buffer(cuda_, capacity, pinned_kind(kind));
      made->at.host = made->pinned.data();
      made->at.device = made->pinned.device_address();
  }
  return made;
}

placed_buffer buffer_pool::lend(memory_kind kind, std::size_t bytes) {
  const std::size_t capacity = capacity_for(bytes);
  piece* found = nullptr;
  for (const auto& p : pieces_) {
    if (!p->lent && p->at.kind == kind && p->capacity == capacity) found = p.get();
  }
  if (found == nullptr) found = pieces_.emplace_back(make(kind, capacity)).get();
  found->lent = true;
  found->at.bytes = bytes;
  return found->at;
}

void buffer_pool::take_back(const placed_buffer& buffer) {
  for (const auto& p : pieces_) {
    const bool same = p->at.host == buffer.host && p->at.device == buffer.device;
    if (same && p->at.kind == buffer.kind) p->lent = false;
  }
}

void buffer_pool::release() {
  for (auto& p : pieces_) driver::keep_for_ever(std::shared_ptr<const void>(std::move(p)));
  pieces_.clear();
}

}  // namespace streamcts::program
