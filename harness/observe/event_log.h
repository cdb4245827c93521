// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace streamcts {

/// What happened to an operation.
enum class log_phase {
  enqueue,  ///< the host handed it over
  begin,
  end,
  mark,  ///< one moment without length: a gate that opens, a look at memory
};

/// One thing that happened, in observed order.
struct log_entry {
  std::uint64_t sequence = 0;       ///< position in the one order of all lanes
  std::string_view lane;            ///< "host", "host call", or a stream's name
  std::string_view operation;       ///< "gated kernel", "host call 2", ...
  log_phase phase = log_phase::mark;
  std::chrono::nanoseconds time{};  ///< since the log was cleared
};

/// What happened in one round, for the reader of a failure: bounded, written by any thread without a
/// lock or allocation, host calls included. Strings are kept by reference and must outlive the log:
/// literals, or names owned by the arrangement.
class event_log {
 public:
  static constexpr std::size_t capacity = 512;

  event_log();
  /// Adds an entry; once full, entries are counted and dropped. @return its sequence number.
  std::uint64_t add(std::string_view lane, std::string_view operation,
                    log_phase phase) noexcept;
  /// The entries so far, in order. Not while others add.
  std::vector<log_entry> entries() const;
  std::size_t dropped() const;
  /// Starts a new round.
  void clear();

 private:
  struct slot {
    log_entry entry;
    std::atomic<bool> ready{false};
  };
  std::vector<slot> slots_;
  std::atomic<std::uint64_t> next_{0};
  std::chrono::steady_clock::time_point start_;
};

}  // namespace streamcts
