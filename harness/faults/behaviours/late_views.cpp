// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class G: what was written on time is seen late after host waits and synchronous transfers.

#include <atomic>
#include <chrono>

#include "harness/faults/behaviours/watching.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/background.h"
#include "harness/faults/tools/host_calls.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

namespace {

using target = host_wait::target;

/// What a host wait has made visible stays old until the next call of the thread that waited, or for
/// 20 ms. Other threads' calls may come in between at any time.
class late_views : public watching {
 public:
  using watching::watching;

  CUresult admit() override {
    if (by_ == thread_number()) reveal();
    return CUDA_SUCCESS;
  }
  CUresult release(void* address, forward_call forward) override {
    reveal();
    return watching::release(address, forward);
  }

 protected:
  void conceal(const std::vector<old_view_ptr>& views, std::size_t from = 0) {
    {
      const std::lock_guard lock(*mutex_);
      const bool shown = hidden_->empty();
      for (const old_view_ptr& view : views) hidden_->conceal(view, from);
      if (hidden_->empty() || !shown) return;
      by_ = thread_number();
    }
    hit();
    later(20ms, [mutex = mutex_, hidden = hidden_] {
      const std::lock_guard lock(*mutex);
      hidden->reveal();
    });
  }

 private:
  void reveal() {
    const std::lock_guard lock(*mutex_);
    hidden_->reveal();
  }

  std::atomic<std::uint64_t> by_{0};
  std::shared_ptr<std::mutex> mutex_ = std::make_shared<std::mutex>();
  std::shared_ptr<concealment> hidden_ = std::make_shared<concealment>();
};

/// Late after one kind of host wait.
class late_after_wait : public late_views {
 public:
  enum class calls { stream_synchronize, event_synchronize, stream_query, event_query };
  late_after_wait(undelivered::watched what, calls late)
      : late_views(std::move(what)), late_(late) {}

  CUresult synchronize(host_wait& w) override {
    return answer(w, w.of == target::stream ? calls::stream_synchronize : calls::event_synchronize);
  }
  CUresult query(host_wait& w) override {
    return answer(w, w.of == target::stream ? calls::stream_query : calls::event_query);
  }

 private:
  CUresult answer(host_wait& w, calls which) {
    const CUresult result = w.forward();
    if (result != CUDA_SUCCESS) return result;
    if (which == late_ && w.of != target::context) {
      conceal(w.of == target::stream ? writes_.in(w.stream) : writes_.behind(w.event));
    }
    delivered(w);
    return result;
  }

  const calls late_;
};

/// A synchronous transfer into pinned memory is seen late.
class late_transfer : public late_views {
 public:
  using test = bool (*)(const transfer&);
  explicit late_transfer(test late) : late_views(undelivered::watched{}), late_(late) {}

  CUresult transfer_now(transfer& t) override {
    const CUdeviceptr destination =
        t.copy ? t.copy->destination : t.fill ? t.fill->destination : 0;
    const std::size_t bytes = t.copy ? t.copy->bytes : t.fill ? t.fill->bytes : 0;
    const std::optional<host_memory> memory = writes_.ranges().containing(destination);
    if (bytes < smallest_payload || !is_pinned(memory ? &*memory : nullptr) || !late_(t)) {
      return t.forward();
    }
    const old_view_ptr before = look_at(reinterpret_cast<std::byte*>(destination), bytes);
    const CUresult result = t.forward();
    if (result == CUDA_SUCCESS) conceal({before});
    return result;
  }

  CUresult enqueue(operation& op) override { return op.forward(); }

 private:
  const test late_;
};

/// An asynchronous host-to-host copy, which is complete when the call returns, is seen late.
class late_host_copy : public late_transfer {
 public:
  late_host_copy() : late_transfer(&is_host_to_host) {}

  CUresult enqueue(operation& op) override {
    if (!op.copy || op.copy->resolved() != copy_range::direction::unified) return op.forward();
    const std::optional<host_memory> memory = writes_.ranges().containing(op.copy->destination);
    if (op.copy->bytes < smallest_payload || !is_pinned(memory ? &*memory : nullptr)) {
      return op.forward();
    }
    const old_view_ptr before =
        look_at(reinterpret_cast<std::byte*>(op.copy->destination), op.copy->bytes);
    const CUresult result = op.forward();
    if (result == CUDA_SUCCESS) conceal({before});
    return result;
  }

  static bool is_host_to_host(const transfer& t) {
    return t.copy && t.copy->resolved() == copy_range::direction::unified;
  }
};

std::unique_ptr<behaviour> late(late_after_wait::calls which) {
  return std::make_unique<late_after_wait>(
      undelivered::watched{.mapped = is_allocated, .destination = is_pinned}, which);
}

}  // namespace

std::unique_ptr<behaviour> make::memory_stale_after_stream_sync() {
  return late(late_after_wait::calls::stream_synchronize);
}
std::unique_ptr<behaviour> make::memory_stale_after_event_sync() {
  return late(late_after_wait::calls::event_synchronize);
}
std::unique_ptr<behaviour> make::memory_stale_after_stream_query() {
  return late(late_after_wait::calls::stream_query);
}
std::unique_ptr<behaviour> make::memory_stale_after_event_query() {
  return late(late_after_wait::calls::event_query);
}
std::unique_ptr<behaviour> make::sync_download_returns_early() {
  return std::make_unique<late_transfer>([](const transfer& t) {
    return t.copy && t.copy->resolved() == copy_range::direction::device_to_host;
  });
}
std::unique_ptr<behaviour> make::sync_memset_of_pinned_memory_returns_early() {
  return std::make_unique<late_transfer>([](const transfer& t) { return t.fill != nullptr; });
}
std::unique_ptr<behaviour> make::host_to_host_copy_is_late() {
  return std::make_unique<late_host_copy>();
}

}  // namespace streamcts::faults
