// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Where one run of a program on a driver leaves what is seen, and the host calls that see it.

#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

#include "harness/observe/gate.h"
#include "harness/program/executor/buffers.h"
#include "harness/program/executor/contents.h"
#include "harness/program/executor/reading_plan.h"
#include "harness/program/history.h"

namespace streamcts::program {

/// The begun and done cells of all items: one page of mapped memory, since faulty drivers and
/// remoting layers treat larger allocations as payload. An item has begun or is done when its cell
/// holds the token of the run.
class cell_page {
 public:
  explicit cell_page(const driver::function_table& cuda)
      : page_(cuda, item_set::capacity * 16, driver::host_memory::portable) {
    std::memset(page_.data(), 0, page_.size());
  }

  std::uint32_t* begun(std::size_t item) const { return page_.as<std::uint32_t>() + item * 4; }
  std::uint32_t* done(std::size_t item) const { return begun(item) + 2; }
  CUdeviceptr begun_address(std::size_t item) const { return page_.device_address() + item * 16; }
  CUdeviceptr done_address(std::size_t item) const { return begun_address(item) + 8; }
  void release() { page_.release(); }

 private:
  driver::host_buffer page_;
};

class run_record;

/// One registration of a host call; its address is the user data.
struct host_call_record {
  static constexpr std::size_t most_calls = 4;
  struct made {
    CUresult status = CUDA_SUCCESS;
    CUstream stream = nullptr;
    std::atomic<std::uint32_t> entered{0};  ///< stored after the two
    std::atomic<std::uint32_t> left{0};
  };

  run_record* run = nullptr;
  std::size_t item = 0;
  CUstream expected_stream = nullptr;  ///< null where any is right
  std::atomic<std::uint32_t> times{0};
  std::atomic<bool> looked{false};  ///< what `await` waits for
  std::array<made, most_calls> calls;

  static void CUDA_CB callback(CUstream stream, CUresult status, void* data);
  static void CUDA_CB host_function(void* data);
};

/// One run. Made before it and kept until long after: a driver may call late, or twice. Looks are
/// taken on any thread without a lock, a CUDA call or an allocation; all else is for the thread
/// that made it.
class run_record {
 public:
  /// What it refers to must outlive it, cells, buffers and gate as long as anything may still run.
  run_record(const model& m, const reading_plan& plan, const cell_page& cells,
             std::span<const placed_buffer> buffers, std::uint32_t token);

  std::uint32_t token() const { return token_; }
  const contents_book& contents() const { return contents_; }
  host_call_record& call_of(std::size_t item) { return host_calls_[item]; }

  /// The item that is held, if it is a host call, holds itself.
  void hold(index item, gate* by) { held_ = item, gate_ = by; }

  /// Looks at cells and readable buffers.
  void look_from(const observer& from) noexcept;
  /// A call of the program, about to be made and returned.
  void calling(std::size_t op) noexcept;
  void returned(std::size_t op, call_status status, call_outcome outcome) noexcept;
  void fill(index buffer, std::size_t item) noexcept;
  /// The body of every host call.
  void run_host_call(host_call_record& call, CUstream stream, CUresult status,
                     bool callback) noexcept;

  /// Waits until every host call that was accepted has returned, at most @p limit.
  void await_host_calls(std::chrono::nanoseconds limit) const;

  /// All that was seen so far. While something still runs, as after a hang, it may be seen or not.
  history collect(bool finished) const;

 private:
  struct sight {
    look seen;
    std::vector<buffer_value> values;  ///< empty, or one for each buffer
    std::atomic<bool> taken{false}, ready{false};
  };

  struct call_progress {
    std::atomic<std::uint32_t> called{0}, returned{0};
    std::atomic<call_status> status{call_status::not_called};
    std::atomic<call_outcome> outcome{call_outcome::as_promised};
  };

  std::uint32_t next() noexcept { return sequence_.fetch_add(1, std::memory_order_relaxed); }
  sight& place_of(const observer& from);
  void prepare_sight(const observer& from);
  void add_host_calls(history& h) const;
  void add_log(history& h) const;
  void log_cells(history& h) const;

  const model& m_;
  const reading_plan& plan_;
  const cell_page& cells_;
  std::span<const placed_buffer> buffers_;
  std::uint32_t token_;
  index held_ = none;
  gate* gate_ = nullptr;
  contents_book contents_;
  std::atomic<std::uint32_t> sequence_{1};
  std::vector<sight> sights_;  ///< start and end of each item, return of each call, gate, finish
  std::vector<host_call_record> host_calls_;
  std::vector<call_progress> ops_;
};

}  // namespace streamcts::program
