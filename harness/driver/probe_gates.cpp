// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The four ways to hold a stream. A gate works when the enqueuing calls returned while it was shut,
// what waits at it was seen to begin where it can say so, and it ended because it was opened. That
// it held back what came after it is for the cases to find out, not for a probe.

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "harness/driver/poll.h"
#include "harness/driver/probe_internal.h"
#include "kernels/parameters.h"

namespace streamcts::driver::detail {
namespace {

using streamcts::kernels::gate_expired;
using streamcts::kernels::gate_opened;
using streamcts::kernels::gate_shut;

constexpr std::uint32_t token = 0x5354;
constexpr const char* blocked =
    "enqueuing returned only after the gate had expired: calls wait for their work";
constexpr const char* never_begun = "what waits at the gate did not begin in time";
constexpr const char* expired = "the gate expired though it was opened";

/// The gate of a host function: ordinary memory.
struct host_gate {
  std::atomic<std::uint32_t> state{gate_shut};
  std::atomic<bool> begun{false};
  std::chrono::nanoseconds limit{};
};

void CUDA_CB wait_at_gate(void* opaque) {
  auto& gate = *static_cast<host_gate*>(opaque);
  gate.begun.store(true, std::memory_order_release);
  const bool opened =
      poll(gate.limit, [&] { return gate.state.load(std::memory_order_acquire) != gate_shut; });
  if (!opened) gate.state.store(gate_expired, std::memory_order_release);
}

/// A page that host and device share, seen as control words.
class control_page {
 public:
  explicit control_page(const function_table& table) : page_(table, 4096, host_memory::mapped) {
    std::memset(page_.data(), 0, page_.size());
  }
  std::atomic_ref<std::uint32_t> word(unsigned index) const {
    return std::atomic_ref(page_.as<std::uint32_t>()[index]);
  }
  CUdeviceptr address(unsigned index) const { return page_.device_address() + 4 * index; }

 private:
  host_buffer page_;
};

/// Opens a word by itself when nobody has stopped it in time: a wait for a value has no limit of
/// its own, and the call that enqueues it may block.
class rescuer {
 public:
  rescuer(std::atomic_ref<std::uint32_t> word, std::chrono::nanoseconds limit)
      : thread_([this, word, limit] {
          std::unique_lock lock(mutex_);
          if (stopped_.wait_for(lock, limit, [this] { return stop_; })) return;
          fired_ = true;
          word.store(1, std::memory_order_release);
        }) {}
  ~rescuer() { stop(); }
  /// True when it had to open the word.
  bool stop() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_one();
    if (thread_.joinable()) thread_.join();
    return fired_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;
  bool fired_ = false;
  std::thread thread_;
};

}  // namespace

void prober::gate_host_function(arena& a) {
  auto& gate = immortal<host_gate>();
  gate.limit = patience();
  const stream& s = new_stream(a);
  STREAMCTS_CHECK(table_.cuLaunchHostFunc(s.get(), wait_at_gate, &gate));
  if (gate.state.load(std::memory_order_acquire) == gate_expired) throw not_supported(blocked);
  if (!poll(patience(), [&] { return gate.begun.load(std::memory_order_acquire); })) {
    throw not_supported(never_begun);
  }
  std::uint32_t shut = gate_shut;
  gate.state.compare_exchange_strong(shut, gate_opened);
  finish(a, s);
  if (gate.state.load(std::memory_order_acquire) != gate_opened) throw not_supported(expired);
}

void prober::gate_kernel_mapped(arena& a) {
  const auto& page = a.make<control_page>(table_);
  const auto gate = page.word(0), begun = page.word(1);
  const stream& s = new_stream(a);
  kernels().gate(s, page.address(0), page.address(1), token, patience_ns());
  if (gate.load(std::memory_order_acquire) == gate_expired) throw not_supported(blocked);
  if (!poll(patience(), [&] { return begun.load(std::memory_order_acquire) == token; })) {
    throw not_supported(never_begun);
  }
  std::uint32_t shut = gate_shut;
  gate.compare_exchange_strong(shut, gate_opened);
  finish(a, s);
  if (gate.load(std::memory_order_acquire) != gate_opened) throw not_supported(expired);
}

void prober::gate_kernel_device(arena& a) {
  const auto& page = a.make<control_page>(table_);
  const auto& opener = a.make<host_buffer>(table_, 64, host_memory::pinned);
  const device_buffer& word = a.make<device_buffer>(table_, 4096);
  const stream& s = new_stream(a);
  const stream& other = new_stream(a);
  STREAMCTS_CHECK(table_.cuMemsetD32Async(word.address(), gate_shut, 1, s.get()));
  finish(a, s);
  // The copy may come after the gate has expired and overwrite what the gate says: only time tells.
  const auto start = std::chrono::steady_clock::now();
  const auto out_of_time = [&] { return std::chrono::steady_clock::now() - start >= patience(); };
  kernels().gate(s, word.address(), page.address(1), token, patience_ns());
  if (out_of_time()) throw not_supported(blocked);
  const auto begun = page.word(1);
  if (!poll(patience(), [&] { return begun.load(std::memory_order_acquire) == token; })) {
    throw not_supported(never_begun);
  }
  *opener.as<std::uint32_t>() = gate_opened;
  STREAMCTS_CHECK(table_.cuMemcpyHtoDAsync(word.address(), opener.data(), 4, other.get()));
  finish(a, s);
  if (out_of_time()) throw not_supported("the copy that opens the gate waited for it");
  finish(a, other);
}

void prober::gate_value_wait(arena& a) {
  const auto& page = a.make<control_page>(table_);
  const auto gate = page.word(0);
  const stream& s = new_stream(a);
  rescuer rescue(gate, patience());
  STREAMCTS_CHECK(table_.cuStreamWaitValue32(s.get(), page.address(0), 1, CU_STREAM_WAIT_VALUE_EQ));
  const event& done = a.make<event>(table_);
  done.record(s.get());
  if (rescue.stop()) throw not_supported(blocked);
  gate.store(1, std::memory_order_release);
  if (!done.wait(patience())) throw not_supported(expired);
}

}  // namespace streamcts::driver::detail
