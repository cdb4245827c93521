// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "harness/driver/functions.h"
#include "harness/driver/memory.h"
#include "harness/observe/sentinel.h"
#include "kernels/pattern.h"

namespace streamcts {

/// How results of the device reach the host.
enum class memory_kind {
  mapped,          ///< mapped pinned memory, written by the device in place
  managed,         ///< managed memory, written in place
  copied,          ///< device memory, copied to pinned memory in the same stream
  write_combined,  ///< as mapped, write-combined
  registered,      ///< as mapped, host memory registered afterwards
  portable,        ///< as mapped, pinned for every context
  pinned,          ///< as mapped, allocated without any flag
  pageable,        ///< device memory, copied to ordinary memory: never behind a gate, the copy may wait
};
std::string_view name(memory_kind kind);

/// A buffer that the device writes and the host looks at, round after round.
///
/// Payload accesses are plain on both sides: only the order under test makes them visible. Not
/// thread safe, except look(), which any thread may call, host calls included.
class payload {
 public:
  /// Smallest size for cases about visibility: faulty drivers and remoting layers treat smaller
  /// allocations as control words.
  static constexpr std::size_t visibility_words = 64 * 1024 / sizeof(std::uint64_t);

  /// @throws driver::call_error
  payload(const driver::function_table& cuda, memory_kind kind, std::size_t words);

  /// Begins a round: the host's view is all sentinel, and @p expected is what the device will
  /// write. Only while nothing in flight touches the buffer; makes no CUDA call.
  void begin_round(kernels::pattern expected);

  /// Where the device writes.
  CUdeviceptr target() const;
  std::size_t words() const { return words_; }
  std::size_t bytes() const { return words() * sizeof(std::uint64_t); }
  /// Enqueues what brings the result to the host's view: a copy for `copied`, else nothing.
  /// @throws driver::call_error
  void deliver(CUstream stream) const { deliver(stream, cuda_); }
  /// The same by another table, in whose mode @p stream is meant.
  void deliver(CUstream stream, const driver::function_table& cuda) const;
  /// The host's view as the target of a copy.
  CUdeviceptr host_view_address() const;

  /// Whether the device writes memory of its own, from which deliver() copies.
  bool is_copied() const { return device_.has_value(); }

  kernels::pattern expected() const { return expected_; }
  memory_kind kind() const { return kind_; }
  /// Plain loads of the host's view.
  std::span<const std::uint64_t> host_words() const;
  std::span<std::uint64_t> host_words();
  /// Compares the host's view with this round's pattern.
  sighting look() const noexcept { return streamcts::look(host_words(), expected_, previous_); }

 private:
  const driver::function_table& cuda_;
  memory_kind kind_;
  std::optional<driver::host_buffer> host_;
  std::vector<std::uint64_t> ordinary_;
  std::optional<driver::managed_buffer> managed_;
  std::optional<driver::device_buffer> device_;
  std::size_t words_;
  kernels::pattern expected_{kernels::sentinel, 0};
  kernels::pattern previous_{kernels::sentinel, 0};
};

}  // namespace streamcts
