// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string_view>

#include "harness/driver/functions.h"
#include "harness/observe/event_log.h"
#include "harness/observe/gate.h"

namespace streamcts {

/// The entry points that put host code into a stream.
enum class host_call {
  add_callback,      ///< cuStreamAddCallback
  launch_host_func,  ///< cuLaunchHostFunc
};
std::string_view name(host_call call);

/// Counts that all host calls of one arrangement share.
struct host_call_counts {
  std::atomic<std::uint64_t> sequence{1};  ///< next stamp
  std::atomic<std::int32_t> in_flight{0};  ///< how many run at this moment
};

/// One registration of a host call: what it does, and what was seen of it.
///
/// The driver's thread touches atomics and preallocated memory only: no CUDA call, no lock, no
/// allocation, no assertion. Set the actions before enqueue(); read the observations after ended()
/// (an acquire), or after a synchronization that covers the host call.
class host_call_slot {
 public:
  host_call_slot() = default;
  host_call_slot(const host_call_slot&) = delete;
  host_call_slot& operator=(const host_call_slot&) = delete;

  /// Done first thing in the host call; must not throw, lock or allocate.
  std::function<void()> at_start;
  /// Keeps the host call from returning until it is opened.
  gate* hold = nullptr;
  /// Done last thing before the host call returns.
  std::function<void()> before_return;
  /// Where begin and end are logged, under which name. Optional.
  event_log* log = nullptr;
  std::string_view label;
  /// Shared stamps. Optional.
  host_call_counts* counts = nullptr;

  /// Puts this host call into @p stream. The slot must outlive it.
  /// @throws driver::call_error
  void enqueue(const driver::function_table& cuda, host_call call, CUstream stream);
  /// This host call as a node of a graph, for whoever adds the node: it runs at each launch.
  CUDA_HOST_NODE_PARAMS as_host_node();

  /// How often the function was entered so far.
  std::uint32_t times() const { return entered_.load(std::memory_order_acquire); }
  bool begun() const { return times() != 0; }
  /// Whether the last act of the host call is done; its plain writes are then visible here.
  bool ended() const { return left_.load(std::memory_order_acquire) != 0; }

  /// Stamps of the first entry and its end, in the order of `counts->sequence`.
  std::uint64_t begin_stamp() const { return begin_stamp_; }
  std::uint64_t end_stamp() const { return end_stamp_; }
  /// The highest number of host calls in flight seen at entry, this one included.
  std::int32_t in_flight() const { return in_flight_; }
  /// What a stream callback was given; a host function has neither.
  CUresult status() const { return status_; }
  CUstream stream() const { return stream_; }

 private:
  static void CUDA_CB callback(CUstream stream, CUresult status, void* data);
  static void CUDA_CB host_function(void* data);
  void run() noexcept;

  std::atomic<std::uint32_t> entered_{0};
  std::atomic<std::uint32_t> left_{0};
  std::uint64_t begin_stamp_ = 0;
  std::uint64_t end_stamp_ = 0;
  std::int32_t in_flight_ = 0;
  CUresult status_ = CUDA_SUCCESS;
  CUstream stream_ = nullptr;
};

}  // namespace streamcts
