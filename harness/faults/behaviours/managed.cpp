// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class G: managed memory behind prefetches, discards and other host calls, and its attachments.

#include <map>
#include <mutex>
#include <set>

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/behaviours/watching.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"

namespace streamcts::faults {
namespace {

using namespace std::chrono_literals;

bool is_managed(const host_memory& m) { return m.from == host_memory::source::managed; }

/// A host call sees managed memory as it was before the kernels in front, where an operation of some
/// kind stands between the last host call and it.
class stale_behind : public watching {
 public:
  explicit stale_behind(operation_kind in_front)
      : watching({.mapped = is_managed, .copies = false}), in_front_(in_front) {}

  CUresult enqueue(operation& op) override {
    const bool behind = seen_.with(op.stream.key(), [&](bool& seen) {
      const bool before = seen;
      seen = op.is(in_front_) || (before && !op.call);
      // Two host calls in a row: whatever comes between them separates them.
      if (in_front_ == operation_kind::host_call) seen = op.call != nullptr;
      return before;
    });
    if (op.call && behind) {
      wrap_host_call(op, [views = writes_.take(op.stream)](host_run& run) {
        concealment hidden;
        for (const old_view_ptr& view : views) hidden.conceal(view);
        if (!hidden.empty()) hit();
        run.call();
        hidden.reveal();
      });
    }
    return watching::enqueue(op);
  }

 private:
  const operation_kind in_front_;
  per_stream<bool> seen_;
};

/// What is attached to which stream by itself.
class attachments {
 public:
  void follow(const operation& op) {
    if (!op.is(operation_kind::attach)) return;
    const std::lock_guard lock(mutex_);
    if (op.attach.flags == CU_MEM_ATTACH_SINGLE) {
      streams_[op.attach.address] = op.stream.handle;
    } else {
      streams_.erase(op.attach.address);
    }
  }
  bool is_attached(CUdeviceptr address) {
    const std::lock_guard lock(mutex_);
    return streams_.contains(address);
  }
  void forget(CUdeviceptr address) {
    const std::lock_guard lock(mutex_);
    streams_.erase(address);
  }
  std::set<CUdeviceptr> of(CUstream stream) {
    const std::lock_guard lock(mutex_);
    std::set<CUdeviceptr> found;
    for (const auto& [address, owner] : streams_) {
      if (owner == stream) found.insert(address);
    }
    return found;
  }

 private:
  std::mutex mutex_;
  std::map<CUdeviceptr, CUstream> streams_;
};

/// A host call sees memory that is attached to a stream as it was before the kernels in front.
class stale_while_attached : public watching {
 public:
  stale_while_attached()
      : watching({.mapped =
                      [this](const host_memory& m) {
                        return is_managed(m) && attached_.is_attached(
                                                    reinterpret_cast<CUdeviceptr>(m.begin));
                      },
                  .copies = false}) {}

  CUresult enqueue(operation& op) override {
    attached_.follow(op);
    if (op.call) {
      wrap_host_call(op, [views = writes_.take(op.stream)](host_run& run) {
        concealment hidden;
        for (const old_view_ptr& view : views) hidden.conceal(view);
        if (!hidden.empty()) hit();
        run.call();
        hidden.reveal();
      });
    }
    return watching::enqueue(op);
  }

 private:
  attachments attached_;
};

/// Memory attached to a stream that was destroyed cannot be attached again.
class attached_for_good : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::attach)) return op.forward();
    {
      const std::lock_guard lock(mutex_);
      if (lost_.contains(op.attach.address)) {
        hit();
        return CUDA_ERROR_INVALID_VALUE;
      }
    }
    const CUresult result = op.forward();
    if (result == CUDA_SUCCESS) attached_.follow(op);
    return result;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    {
      const std::lock_guard lock(mutex_);
      lost_.merge(attached_.of(stream));
    }
    return forward();
  }
  CUresult release(void* address, forward_call forward) override {
    const auto number = reinterpret_cast<CUdeviceptr>(address);
    attached_.forget(number);
    const std::lock_guard lock(mutex_);
    lost_.erase(number);
    return forward();
  }

 private:
  attachments attached_;
  std::mutex mutex_;
  std::set<CUdeviceptr> lost_;
};

/// A request to attach memory to the legacy stream alone is passed over with success.
class attached_to_null : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.is(operation_kind::attach) || op.attach.flags != CU_MEM_ATTACH_SINGLE ||
        !in_legacy_stream(op)) {
      return op.forward();
    }
    hit();
    return CUDA_SUCCESS;
  }
};

/// Whether an attachment directly precedes the operation in its stream; to be told of each.
class behind_attachment {
 public:
  void follow(const operation& op) {
    last_->with(op.stream.key(), [&](std::pair<bool, bool>& last) {
      last = {last.second, op.is(operation_kind::attach)};
    });
  }
  bool operator()(const operation& op) const {
    return op.call && last_->with(op.stream.key(), [](auto& last) { return last.first; });
  }

 private:
  std::shared_ptr<per_stream<std::pair<bool, bool>>> last_ =
      std::make_shared<per_stream<std::pair<bool, bool>>>();
};

bool is_attachment(const operation& op) { return op.is(operation_kind::attach); }

}  // namespace

std::unique_ptr<behaviour> make::prefetched_memory_stale_in_callback() {
  return std::make_unique<stale_behind>(operation_kind::prefetch);
}
std::unique_ptr<behaviour> make::discard_takes_later_writes() {
  return std::make_unique<stale_behind>(operation_kind::discard);
}
std::unique_ptr<behaviour> make::managed_memory_stale_in_next_callback() {
  return std::make_unique<stale_behind>(operation_kind::host_call);
}
std::unique_ptr<behaviour> make::attached_memory_stale_in_callback() {
  return std::make_unique<stale_while_attached>();
}
std::unique_ptr<behaviour> make::memory_stays_with_destroyed_stream() {
  return std::make_unique<attached_for_good>();
}
std::unique_ptr<behaviour> make::attaching_to_null_stream_succeeds() {
  return std::make_unique<attached_to_null>();
}
std::unique_ptr<behaviour> make::attaching_ends_stream_order() {
  behind_attachment behind;
  return overtakes({.ignored = any_of(is_kernel, is_attachment),
                    .victim = behind,
                    .slowed = 20ms,
                    .prepare = [behind](operation& op) mutable { behind.follow(op); }});
}

}  // namespace streamcts::faults
