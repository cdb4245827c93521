// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class G: copies that read their source at the wrong time or are too short, and stores of a host
// call that a kernel does not see.

#include <cstring>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/background.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/concealment.h"
#include "harness/faults/tools/hold.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/host_ranges.h"
#include "harness/faults/tools/staging.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

namespace {

/// Keeps the list of pinned allocations of payload size up to date.
class knows_ranges : public behaviour {
 public:
  void allocated(const host_memory& memory) override { ranges_.add(memory); }
  CUresult release(void* address, forward_call forward) override {
    ranges_.remove(address);
    return forward();
  }

 protected:
  bool is_payload_upload(const copy_range& copy) {
    if (copy.bytes < smallest_payload) return false;
    if (copy.resolved() != copy_range::direction::host_to_device) return false;
    const std::optional<host_memory> memory = ranges_.containing(copy.source);
    return memory && memory->from != host_memory::source::managed;
  }

  host_ranges ranges_;
};

const std::byte* bytes_at(CUdeviceptr address) {
  return reinterpret_cast<const std::byte*>(address);
}

/// An upload from pinned memory sends what the source holds when it is enqueued.
class source_read_at_issue : public knows_ranges {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.copy || !is_payload_upload(*op.copy)) return op.forward();
    const bool behind_something = !is_complete(record_in(op.stream));
    const staging::buffer lent = staging_.take(op.copy->bytes);
    if (!lent.bytes) return op.forward();
    const old_view_ptr now = look_at(const_cast<std::byte*>(bytes_at(op.copy->source)),
                                     op.copy->bytes);
    std::memcpy(lent.bytes, now->bytes.data(), now->bytes.size());
    op.copy->source = reinterpret_cast<CUdeviceptr>(lent.bytes);
    const CUresult result = op.forward();
    staging_.give_back(lent, op.stream);
    if (behind_something) hit();
    return result;
  }

 private:
  staging staging_;
};

/// The second upload of a range sends what the first one sent.
class source_cached : public knows_ranges {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.copy || !is_payload_upload(*op.copy)) return op.forward();
    const std::byte* cached = cached_form(*op.copy);
    if (!cached) return op.forward();
    if (std::memcmp(cached, bytes_at(op.copy->source), op.copy->bytes) != 0) hit();
    op.copy->source = reinterpret_cast<CUdeviceptr>(cached);
    return op.forward();
  }

 private:
  /// Null the first time. What is cached is kept for good: a copy may be reading it.
  const std::byte* cached_form(const copy_range& copy) {
    const std::pair key{copy.source, copy.bytes};
    {
      const std::lock_guard lock(mutex_);
      const auto known = cached_.find(key);
      if (known != cached_.end()) return known->second;
    }
    const staging::buffer mine = staging_.take(copy.bytes);
    if (!mine.bytes) return nullptr;
    std::memcpy(mine.bytes, bytes_at(copy.source), copy.bytes);
    const std::lock_guard lock(mutex_);
    cached_.emplace(key, mine.bytes);
    return nullptr;
  }

  staging staging_;
  std::mutex mutex_;
  std::map<std::pair<CUdeviceptr, std::size_t>, const std::byte*> cached_;
};

/// A synchronous upload from pinned memory returns before its source has been read.
class sync_upload_late : public knows_ranges {
 public:
  CUresult transfer_now(transfer& t) override {
    if (!t.copy || !t.enqueue || !is_payload_upload(*t.copy)) return t.forward();
    slow_down(t.stream, 20ms);
    hit();
    return (*t.enqueue)(t.stream.handle, t.stream.mode);
  }
};

/// Copies or memsets of payload size end 64 bytes early.
class short_transfers : public behaviour {
 public:
  enum class what { downloads, uploads };
  explicit short_transfers(what which) : which_(which) {}

  CUresult enqueue(operation& op) override {
    if (op.copy) shorten(*op.copy);
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    if (t.copy) shorten(*t.copy);
    return t.forward();
  }

 private:
  void shorten(copy_range& copy) const {
    const auto wrong = which_ == what::downloads ? copy_range::direction::device_to_host
                                                 : copy_range::direction::host_to_device;
    if (copy.bytes < smallest_payload || copy.resolved() != wrong) return;
    hit();
    copy.bytes -= 64;
  }

  const what which_;
};

/// What a host call stores in mapped memory, the kernel directly behind it does not see.
class stores_invisible : public knows_ranges {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call) return watch(op);
    const std::shared_ptr<after_call> last = take(op.stream);
    if (!last) return op.forward();
    if (!op.is(operation_kind::kernel)) {
      reveal_in(last, op.stream);
      return op.forward();
    }
    last->kernel_follows = true;
    const CUresult result = op.forward();
    reveal_in(last, op.stream);
    return result;
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of == host_wait::target::stream) reveal_in(take(w.stream), w.stream);
    return w.forward();
  }
  CUresult query(host_wait& w) override {
    if (w.of == host_wait::target::stream) reveal_in(take(w.stream), w.stream);
    return w.forward();
  }

 private:
  struct after_call {
    std::atomic<bool> kernel_follows{false};
    std::mutex mutex;
    concealment hidden;
    void reveal() {
      const std::lock_guard lock(mutex);
      hidden.reveal();
    }
  };

  CUresult watch(operation& op) {
    reveal_in(take(op.stream), op.stream);
    auto state = std::make_shared<after_call>();
    last_.with(op.stream.key(), [&](std::shared_ptr<after_call>& last) { last = state; });
    wrap_host_call(op, [this, state](host_run& run) {
      if (!state->kernel_follows) return run.call();
      std::vector<old_view_ptr> before;
      for (const host_memory& memory : ranges_.all()) {
        if (memory.from == host_memory::source::allocated) {
          before.push_back(look_at(memory.begin, memory.bytes));
        }
      }
      run.call();
      const std::lock_guard lock(state->mutex);
      for (const old_view_ptr& view : before) state->hidden.conceal(view);
      if (!state->hidden.empty()) hit();
    });
    return op.forward();
  }
  std::shared_ptr<after_call> take(const stream_ref& stream) {
    return last_.with(stream.key(), [](std::shared_ptr<after_call>& last) {
      return std::exchange(last, nullptr);
    });
  }
  /// Where @p stream gets there, the stores are seen again.
  static void reveal_in(const std::shared_ptr<after_call>& state, const stream_ref& stream) {
    if (!state) return;
    auto owned = std::make_unique<std::shared_ptr<after_call>>(state);
    const CUhostFn reveal = [](void* data) {
      const std::unique_ptr<std::shared_ptr<after_call>> mine(
          static_cast<std::shared_ptr<after_call>*>(data));
      (*mine)->reveal();
    };
    if (real().launch_host_func[stream.mode](stream.handle, reveal, owned.get()) ==
        CUDA_SUCCESS) {
      owned.release();
    } else {
      state->reveal();
    }
  }

  per_stream<std::shared_ptr<after_call>> last_;
};

}  // namespace

std::unique_ptr<behaviour> make::upload_reads_source_at_issue() {
  return std::make_unique<source_read_at_issue>();
}
std::unique_ptr<behaviour> make::repeated_upload_sends_first_contents() {
  return std::make_unique<source_cached>();
}
std::unique_ptr<behaviour> make::sync_upload_reads_source_late() {
  return std::make_unique<sync_upload_late>();
}
std::unique_ptr<behaviour> make::download_is_short() {
  return std::make_unique<short_transfers>(short_transfers::what::downloads);
}
std::unique_ptr<behaviour> make::upload_is_short() {
  return std::make_unique<short_transfers>(short_transfers::what::uploads);
}
std::unique_ptr<behaviour> make::callback_stores_invisible_to_kernel() {
  return std::make_unique<stores_invisible>();
}

}  // namespace streamcts::faults
