// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class G: what was written on time is seen late, torn or short: in host calls, after host waits,
// after synchronous copies. The host is shown the old contents for a while, as by a driver that
// delivers to a copy of the memory.

#include <chrono>

#include "harness/faults/behaviours/watching.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/background.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

namespace {

using target = host_wait::target;
using source = host_memory::source;

constexpr std::size_t chunk = std::size_t{64} << 10;

bool is_allocated(const host_memory& m) { return m.from == source::allocated; }
bool is_write_combined(const host_memory& m) { return m.from == source::write_combined; }
bool is_registered(const host_memory& m) { return m.from == source::registered; }
bool is_large(const host_memory& m) { return is_allocated(m) && m.bytes > large_copy; }
bool is_portable(const host_memory& m) {
  return is_allocated(m) && (m.flags & CU_MEMHOSTALLOC_PORTABLE) != 0;
}
bool is_managed(const host_memory& m) {
  if (m.from != source::managed) return false;
  CUdevice device = 0;
  int concurrent = 0;
  // Without concurrent access the host may not look while a kernel runs.
  return real().ctx_get_device(&device) == CUDA_SUCCESS &&
         real().device_get_attribute(&concurrent,
                                     CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                                     device) == CUDA_SUCCESS &&
         concurrent != 0;
}
bool is_pinned(const host_memory* m) { return m && m->from != source::managed; }
bool is_pageable(const host_memory* m) { return m == nullptr; }

/// From which byte of a range on a host call sees the old contents.
using old_from = std::size_t (*)(std::size_t bytes);
std::size_t whole(std::size_t) { return 0; }
std::size_t second_half(std::size_t bytes) { return bytes / 2; }
std::size_t last_chunk(std::size_t bytes) { return bytes > chunk ? (bytes - 1) / chunk * chunk : bytes; }
std::size_t last_words(std::size_t bytes) { return bytes - 64; }

/// A host call sees the old contents of what was written in front of it.
class stale_in_host_call : public watching {
 public:
  stale_in_host_call(undelivered::watched what, old_from from, condition which = is_host_call)
      : watching(std::move(what)), from_(from), which_(std::move(which)) {}

  CUresult enqueue(operation& op) override {
    if (op.call && which_(op)) {
      wrap_host_call(op, [views = writes_.take(op.stream), from = from_](host_run& run) {
        concealment hidden;
        for (const old_view_ptr& view : views) hidden.conceal(view, from(view->bytes.size()));
        if (!hidden.empty()) hit();
        run.call();
        hidden.reveal();
      });
    }
    return watching::enqueue(op);
  }

 private:
  const old_from from_;
  condition which_;
};

/// What a host wait has made visible stays old until the program's next call, or for 20 ms.
class late_views : public watching {
 public:
  using watching::watching;

  CUresult admit() override {
    reveal();
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

undelivered::watched kernels_into(std::function<bool(const host_memory&)> mapped) {
  return {.mapped = std::move(mapped), .copies = false};
}
undelivered::watched copies_into(bool (*destination)(const host_memory*),
                                 std::size_t at_least = smallest_payload) {
  return {.destination = destination, .at_least = at_least};
}
undelivered::watched memsets_into(bool (*destination)(const host_memory*)) {
  return {.destination = destination, .copies = false, .memsets = true};
}

std::unique_ptr<behaviour> stale(undelivered::watched what, old_from from = whole,
                                 condition which = is_host_call) {
  return std::make_unique<stale_in_host_call>(std::move(what), from, std::move(which));
}
std::unique_ptr<behaviour> late(late_after_wait::calls which) {
  return std::make_unique<late_after_wait>(
      undelivered::watched{.mapped = is_allocated, .destination = is_pinned}, which);
}

}  // namespace

// In host calls.

std::unique_ptr<behaviour> make::mapped_memory_stale_in_callback() {
  return stale(kernels_into(is_allocated));
}
std::unique_ptr<behaviour> make::write_combined_memory_stale_in_callback() {
  return stale(kernels_into(is_write_combined));
}
std::unique_ptr<behaviour> make::portable_memory_stale_in_callback() {
  return stale(kernels_into(is_portable));
}
std::unique_ptr<behaviour> make::registered_memory_stale_in_callback() {
  return stale(kernels_into(is_registered));
}
std::unique_ptr<behaviour> make::managed_memory_stale_in_callback() {
  return stale(kernels_into(is_managed));
}
std::unique_ptr<behaviour> make::mapped_memory_stale_in_host_function() {
  return stale(kernels_into(is_allocated), whole, is_launch_host_func);
}
std::unique_ptr<behaviour> make::mapped_memory_stale_in_second_callback() {
  return stale(kernels_into(is_allocated), whole, all_of(is_host_call, from_nth_in_stream(2)));
}
std::unique_ptr<behaviour> make::mapped_memory_torn_in_callback() {
  return stale(kernels_into(is_allocated), second_half);
}
std::unique_ptr<behaviour> make::large_mapped_memory_tail_stale_in_callback() {
  return stale(kernels_into(is_large), last_chunk);
}
std::unique_ptr<behaviour> make::download_stale_in_callback() {
  return stale(copies_into(is_pinned));
}
std::unique_ptr<behaviour> make::pageable_download_stale_in_callback() {
  return stale(copies_into(is_pageable));
}
std::unique_ptr<behaviour> make::download_torn_in_callback() {
  return stale(copies_into(is_pinned), second_half);
}
std::unique_ptr<behaviour> make::download_tail_stale_in_callback() {
  return stale(copies_into(is_pinned, chunk + 1), last_chunk);
}
std::unique_ptr<behaviour> make::download_last_words_stale_in_callback() {
  return stale(copies_into(is_pinned), last_words);
}
std::unique_ptr<behaviour> make::large_download_stale_in_callback() {
  return stale(copies_into(is_pinned, large_copy));
}
std::unique_ptr<behaviour> make::download_stale_in_hundredth_callback() {
  return stale(copies_into(is_pinned), whole, all_of(is_host_call, every_nth(100)));
}
std::unique_ptr<behaviour> make::memset_stale_in_callback() {
  return stale(memsets_into(is_pinned));
}

// After host waits and synchronous transfers.

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
