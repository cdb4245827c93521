// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class D: the legacy default stream's barrier, broken on one side.

#include <atomic>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/deferred_waits.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

/// Keeps for each blocking stream an event behind its own last operation. What is ordered behind
/// that alone keeps the stream's own order and nothing of the barrier.
class own_order {
 public:
  /// Call after each operation.
  void follow(const stream_ref& stream) {
    if (stream.is_blocking()) set(stream, record_in(stream));
  }
  void set(const stream_ref& stream, private_event end) {
    ends_.with(stream.key(), [&](private_event& e) { e = std::move(end); });
  }
  private_event end_of(const stream_key& key) {
    return ends_.with(key, [](private_event& e) { return e; });
  }
  void forget(const stream_key& key) { ends_.forget(key); }

 private:
  per_stream<private_event> ends_;
};

/// Certain operations keep the order of their own stream and skip the barrier. What follows them in
/// their stream, and by the barrier elsewhere, still waits for them.
class barrier_skipped : public behaviour {
 public:
  explicit barrier_skipped(condition skips) : skips_(std::move(skips)) {}

  CUresult enqueue(operation& op) override {
    if (!skips_(op)) {
      const CUresult result = op.forward();
      order_.follow(op.stream);
      return result;
    }
    const private_event own = order_.end_of(op.stream.key());
    if (is_complete(own) && !is_complete(record_in(op.stream))) hit();
    private_event end;
    const CUresult result = enqueue_beside(op, own, &end);
    if (result == CUDA_SUCCESS) wait_in(op.stream, end);
    order_.set(op.stream, end);
    return result;
  }
  CUresult transfer_now(transfer& t) override {
    const CUresult result = t.forward();
    order_.follow(t.stream);
    return result;
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    order_.forget(stream_ref{stream}.key());
    return forward();
  }

 protected:
  own_order order_;

 private:
  condition skips_;
};

/// Synchronous copies are made in a private non-blocking stream.
class copy_beside_barrier : public barrier_skipped {
 public:
  copy_beside_barrier() : barrier_skipped([](const operation&) { return false; }) {}

  CUresult transfer_now(transfer& t) override {
    if (!t.enqueue || !t.copy || !t.stream.is_legacy()) return barrier_skipped::transfer_now(t);
    const stream_ref side{side_stream(t.stream)};
    if (!side.handle) return t.forward();
    const private_event own = order_.end_of(t.stream.key());
    if (is_complete(own) && !is_complete(record_in(t.stream))) hit();
    wait_in(side, own);
    const CUresult result = (*t.enqueue)(side.handle, side.mode);
    const private_event end = record_in(side);
    wait_in(t.stream, end);
    order_.set(t.stream, end);
    if (result != CUDA_SUCCESS || !end) return result;
    return real().event_synchronize(end.get());
  }
};

/// Of the blocking streams, only the first that was used counts for the barrier: the others'
/// kernels do not wait for the legacy stream.
condition in_any_but_first_blocking_stream() {
  auto first = std::make_shared<std::atomic<CUstream>>(nullptr);
  return [first](const operation& op) {
    if (!in_created_stream(op) || !op.stream.is_blocking()) return false;
    CUstream none = nullptr;
    first->compare_exchange_strong(none, op.stream.handle);
    return first->load() != op.stream.handle;
  };
}

/// A wait in the legacy stream holds back that stream alone: it is given to the driver with the
/// legacy stream's next operation.
class wait_not_inherited : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.is(operation_kind::record)) {
      waits_.give_event(op.event);
      waits_.recorded(op.event);
    }
    if (op.stream.is_legacy()) {
      if (op.is(operation_kind::wait)) {
        waits_.defer(op);
        return CUDA_SUCCESS;
      }
      waits_.give(op.stream);
    } else if (op.stream.is_blocking()) {
      for (const CUevent event : waits_.events({CU_STREAM_LEGACY})) {
        if (is_pending(event)) hit();
      }
    }
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    waits_.give({CU_STREAM_LEGACY});
    return t.forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of != host_wait::target::event) waits_.give({CU_STREAM_LEGACY});
    return w.forward();
  }
  CUresult query(host_wait& w) override {
    if (w.of == host_wait::target::stream && w.stream.is_legacy()) waits_.give(w.stream);
    return w.forward();
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    waits_.give_event(event);
    return forward();
  }

 private:
  deferred_waits waits_;
};

/// NULL in a legacy entry point means the calling thread's own default stream.
class null_is_per_thread : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.stream.handle != nullptr || !op.stream.is_legacy()) return op.forward();
    hit();
    if (op.call) show_stream(op, nullptr);
    return op.send_to(CU_STREAM_PER_THREAD);
  }
  CUresult synchronize(host_wait& w) override {
    if (!means_null(w)) return w.forward();
    return real().stream_synchronize[stream_mode::legacy](CU_STREAM_PER_THREAD);
  }
  CUresult query(host_wait& w) override {
    if (!means_null(w)) return w.forward();
    return real().stream_query[stream_mode::legacy](CU_STREAM_PER_THREAD);
  }

 private:
  static bool means_null(const host_wait& w) {
    return w.of == host_wait::target::stream && w.stream.handle == nullptr &&
           w.stream.is_legacy();
  }
};

bool in_created_blocking_stream(const operation& op) {
  return in_created_stream(op) && op.stream.is_blocking();
}

std::unique_ptr<behaviour> skips_barrier(condition which) {
  return std::make_unique<barrier_skipped>(std::move(which));
}

}  // namespace

std::unique_ptr<behaviour> make::legacy_kernel_ignores_blocking_streams() {
  return skips_barrier(all_of(is_kernel, in_legacy_stream));
}
std::unique_ptr<behaviour> make::legacy_callback_ignores_blocking_streams() {
  return skips_barrier(all_of(is_host_call, in_legacy_stream));
}
std::unique_ptr<behaviour> make::legacy_record_ignores_blocking_streams() {
  return skips_barrier(all_of(is_record, in_legacy_stream));
}
std::unique_ptr<behaviour> make::legacy_graph_launch_ignores_blocking_streams() {
  return skips_barrier(all_of(is_graph, in_legacy_stream));
}
std::unique_ptr<behaviour> make::blocking_stream_kernel_ignores_legacy_stream() {
  return skips_barrier(all_of(is_kernel, in_created_blocking_stream));
}
std::unique_ptr<behaviour> make::blocking_stream_callback_ignores_legacy_stream() {
  return skips_barrier(all_of(is_host_call, in_created_blocking_stream));
}
std::unique_ptr<behaviour> make::per_thread_kernel_ignores_legacy_stream() {
  return skips_barrier(all_of(is_kernel, in_per_thread_stream));
}
std::unique_ptr<behaviour> make::only_first_blocking_stream_waits_for_legacy() {
  return skips_barrier(all_of(in_any_but_first_blocking_stream(), is_kernel));
}
std::unique_ptr<behaviour> make::sync_copy_ignores_blocking_streams() {
  return std::make_unique<copy_beside_barrier>();
}
std::unique_ptr<behaviour> make::legacy_wait_is_not_inherited() {
  return std::make_unique<wait_not_inherited>();
}
std::unique_ptr<behaviour> make::null_stream_is_per_thread() {
  return std::make_unique<null_is_per_thread>();
}

}  // namespace streamcts::faults
