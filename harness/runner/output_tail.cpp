// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/output_tail.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace streamcts::runner {

output_tail::output_tail(descriptor source, std::size_t limit)
    : source_(std::move(source)), limit_(limit) {}

bool output_tail::drain(std::size_t bytes) {
  std::array<char, 64 * 1024> buffer;
  std::size_t taken = 0;
  while (source_ && taken < bytes) {
    const ssize_t got = ::read(source_.get(), buffer.data(), buffer.size());
    if (got > 0) {
      keep(buffer.data(), static_cast<std::size_t>(got));
      taken += static_cast<std::size_t>(got);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      if (got == 0 || errno != EAGAIN) source_.close();
      break;
    }
  }
  return taken != 0;
}

void output_tail::keep(const char* data, std::size_t size) {
  total_ += size;
  kept_.append(data, size);
  // Twice the limit before it is cut, so that each byte is moved once on average.
  if (kept_.size() > 2 * limit_) kept_.erase(0, kept_.size() - limit_);
}

std::string output_tail::take() {
  if (kept_.size() > limit_) kept_.erase(0, kept_.size() - limit_);
  if (total_ > kept_.size()) {
    kept_.insert(0, fmt::format("[{} bytes before this are not kept]\n", total_ - kept_.size()));
  }
  total_ = 0;
  return std::exchange(kept_, {});
}

}  // namespace streamcts::runner
