// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/control.h"

#include <cstring>
#include <stdexcept>

namespace streamcts {

namespace {
constexpr std::size_t line_bytes = 64;
}

control_page::control_page(const driver::function_table& cuda)
    : buffer_(cuda, words * line_bytes, driver::host_memory::portable) {
  std::memset(buffer_.data(), 0, words * line_bytes);  // whoever waits for 64 bits sees zeros above
}

control_word control_page::next() {
  if (used_ == words) throw std::length_error("control page: all 64 words are in use");
  const std::size_t offset = line_bytes * used_++;
  control_word word(
      reinterpret_cast<std::uint32_t*>(buffer_.as<std::byte>() + offset),
      buffer_.device_address() + offset);
  word.store(0);
  return word;
}

}  // namespace streamcts
