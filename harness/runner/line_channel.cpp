// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/line_channel.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/runner/errors.h"

namespace streamcts::runner {

void line_channel::receive() {
  std::array<char, 64 * 1024> buffer;
  while (socket_) {
    const ssize_t got = ::recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      buffer_.append(buffer.data(), static_cast<std::size_t>(got));
      if (buffer_.size() > 2 * max_line) close();
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      if (got == 0 || errno != EAGAIN) close();
      return;
    }
  }
}

std::optional<std::string> line_channel::next() {
  const std::size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    if (buffer_.size() > max_line) close();
    return std::nullopt;
  }
  std::string line = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  scanned_ = 0;
  return line;
}

std::optional<std::string> line_channel::wait() {
  for (;;) {
    if (auto line = next()) return line;
    if (!socket_) return std::nullopt;
    pollfd waiting{socket_.get(), POLLIN, 0};
    ::poll(&waiting, 1, -1);
    receive();
  }
}

bool line_channel::send(std::string_view line, std::chrono::milliseconds limit) {
  std::string data(line);
  data += '\n';
  const auto start = std::chrono::steady_clock::now();
  std::size_t sent = 0;
  while (sent < data.size()) {
    if (!socket_) return false;
    const ssize_t done = ::send(socket_.get(), data.data() + sent, data.size() - sent,
                                MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done >= 0) {
      sent += static_cast<std::size_t>(done);
      continue;
    }
    if (errno == EINTR) continue;
    const auto left = limit - (std::chrono::steady_clock::now() - start);
    if (errno != EAGAIN || left.count() <= 0) return false;
    pollfd waiting{socket_.get(), POLLOUT, 0};
    ::poll(&waiting, 1,
           1 + static_cast<int>(
                   std::chrono::duration_cast<std::chrono::milliseconds>(left).count()));
  }
  return true;
}

channel_pair make_channel_pair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw machine_error(fmt::format("cannot make a socket pair: {}", std::strerror(errno)));
  }
  return {descriptor(ends[0]), descriptor(ends[1])};
}

}  // namespace streamcts::runner
