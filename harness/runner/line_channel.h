// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "harness/runner/descriptor.h"

namespace streamcts::runner {

/// One end of the connection between a run and a child: lines of text both ways over a stream
/// socket, apart from anything that the driver under test prints. Not thread safe.
class line_channel {
 public:
  /// A longer line is refused: the other end is not what it should be.
  static constexpr std::size_t max_line = std::size_t{8} << 20;

  line_channel() = default;
  explicit line_channel(descriptor socket) : socket_(std::move(socket)) {}

  int descriptor_to_poll() const { return socket_.get(); }
  bool open() const { return static_cast<bool>(socket_); }
  void close() { socket_.close(); }

  /// Reads what is there without waiting. At the end of the stream, or after an error or a line that
  /// is too long, the channel closes.
  void receive();
  /// The next whole line that was received, without its line feed.
  std::optional<std::string> next();
  /// Waits for a line as long as the other end lives; for the child.
  std::optional<std::string> wait();

  /// Sends a line, which contains no line feed. Waits where the other end is slow, up to @p limit.
  /// @return false when the other end is gone.
  bool send(std::string_view line,
            std::chrono::milliseconds limit = std::chrono::milliseconds(10'000));

 private:
  descriptor socket_;
  std::string buffer_;
  std::size_t scanned_ = 0;
};

/// Two connected ends, both closed on exec.
struct channel_pair {
  descriptor ours;
  descriptor theirs;
};
/// @throws machine_error
channel_pair make_channel_pair();

}  // namespace streamcts::runner
