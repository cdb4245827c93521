// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/write_buffer.h"

#include <algorithm>
#include <cstring>

#include "harness/reference/refusal.h"

namespace streamcts::reference {
namespace {

// The mask bits of `size` bytes at `offset` within their group of eight.
unsigned bits_of(std::size_t offset, std::size_t size) {
  return ((1u << size) - 1u) << (offset & 7);
}

template <typename Word>
void store_once(std::uintptr_t address, const unsigned char* from) {
  Word value;
  std::memcpy(&value, from, sizeof value);
  __atomic_store_n(reinterpret_cast<Word*>(address), value, __ATOMIC_RELAXED);
}

// Writes those of eight bytes that the mask names, by the widest single accesses that it allows.
void publish_group(std::uintptr_t address, const unsigned char* data, unsigned mask) {
  if (mask == 0xFF) return store_once<std::uint64_t>(address, data);
  for (unsigned half = 0; half < 8; half += 4) {
    const unsigned bits = (mask >> half) & 0xF;
    if (bits == 0xF) {
      store_once<std::uint32_t>(address + half, data + half);
      continue;
    }
    for (unsigned pair = half; pair < half + 4; pair += 2) {
      const unsigned two = (mask >> pair) & 3;
      if (two == 3) store_once<std::uint16_t>(address + pair, data + pair);
      if (two == 1) store_once<std::uint8_t>(address + pair, data + pair);
      if (two == 2) store_once<std::uint8_t>(address + pair + 1, data + pair + 1);
    }
  }
}

}  // namespace

write_buffer::window& write_buffer::open(std::uintptr_t address, std::size_t size) {
  if (auto next = windows_.upper_bound(address); next != windows_.begin()) {
    window& w = std::prev(next)->second;
    if (address >= w.begin && address + size <= w.end) return w;
  }
  const allocation_ptr a = memory::find_device(address);
  if (a == nullptr || address + size > a->device + a->size) {
    throw device_fault{CUDA_ERROR_ILLEGAL_ADDRESS};
  }
  window w;
  w.begin = a->device;
  w.end = a->device + a->size;
  w.direct = !a->host_visible();
  if (!w.direct) {
    const std::uintptr_t page_begin = address / page_bytes * page_bytes;
    w.begin = std::max(w.begin, page_begin);
    w.end = std::min(w.end, page_begin + page_bytes);
  }
  return windows_.insert_or_assign(w.begin, std::move(w)).first->second;
}

inline write_buffer::window& write_buffer::at(std::uintptr_t address, std::size_t size,
                                              window*& last) {
  if (address % size != 0) throw device_fault{CUDA_ERROR_MISALIGNED_ADDRESS};
  if (last == nullptr || address < last->begin || address + size > last->end) {
    last = &open(address, size);
  }
  return *last;
}

inline void write_buffer::store_in(window& w, std::uintptr_t address, const void* value,
                                   std::size_t size) {
  if (w.stored == nullptr) {
    w.stored.reset(new page);  // data needs no initial value
    std::memset(w.stored->mask, 0, sizeof w.stored->mask);
    ++dirty_pages_;
  }
  const std::size_t offset = address % page_bytes;
  std::memcpy(w.stored->data + offset, value, size);
  if (size < 8) {
    w.stored->mask[offset / 8] |= static_cast<unsigned char>(bits_of(offset, size));
  } else {
    std::memset(w.stored->mask + offset / 8, 0xFF, size / 8);
  }
}

void write_buffer::store(std::uintptr_t address, const void* value, std::size_t size) {
  window& w = at(address, size, last_store_);
  if (w.direct) {
    std::memcpy(reinterpret_cast<void*>(address), value, size);
  } else {
    store_in(w, address, value, size);
  }
}

void write_buffer::load(std::uintptr_t address, void* value, std::size_t size) {
  window& w = at(address, size, last_load_);
  std::memcpy(value, reinterpret_cast<const void*>(address), size);
  if (w.stored == nullptr) return;
  const std::size_t offset = address % page_bytes;
  auto* bytes = static_cast<unsigned char*>(value);
  for (std::size_t i = 0; i < size; ++i) {
    const bool own = (w.stored->mask[(offset + i) / 8] >> ((offset + i) & 7) & 1) != 0;
    if (own) bytes[i] = w.stored->data[offset + i];
  }
}

void write_buffer::check(std::uintptr_t address, std::size_t size) {
  at(address, size, last_check_);
}

void write_buffer::store_range(std::uintptr_t address, const void* from, std::size_t size) {
  const auto* bytes = static_cast<const unsigned char*>(from);
  while (size > 0) {
    // Bytes up to a boundary of eight, then words of eight, then bytes.
    const std::size_t step = address % 8 == 0 && size >= 8 ? 8 : 1;
    store(address, bytes, step);
    address += step;
    bytes += step;
    size -= step;
  }
}

void write_buffer::publish() {
  if (dirty_pages_ == 0) return;
  for (auto& [begin, w] : windows_) {
    if (w.stored == nullptr) continue;
    const std::uintptr_t base = begin / page_bytes * page_bytes;
    for (std::size_t group = 0; group < page_bytes / 8; ++group) {
      const unsigned mask = w.stored->mask[group];
      if (mask != 0) publish_group(base + group * 8, w.stored->data + group * 8, mask);
    }
    w.stored.reset();
  }
  dirty_pages_ = 0;
}

}  // namespace streamcts::reference
