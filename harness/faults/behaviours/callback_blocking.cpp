// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class B: work that does not wait for a host call in front of it.

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/background.h"
#include "harness/faults/tools/detour.h"
#include "harness/faults/tools/hold.h"
#include "harness/faults/tools/pending_calls.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

namespace {

/// Host calls run beside their stream. What `passes` does not wait for them; everything else does.
struct passing {
  condition passes;
  condition taken = is_host_call;
  std::function<void(operation&)> prepare = [](operation&) {};
};

class passing_behaviour : public behaviour {
 public:
  explicit passing_behaviour(passing what) : what_(std::move(what)) {}

  CUresult enqueue(operation& op) override {
    what_.prepare(op);
    if (what_.taken(op)) {
      // Behind those taken out before it, since the private stream keeps their order.
      outside_.rejoin_others(op.stream);
      return outside_.take(op);
    }
    if (what_.passes(op) && outside_.is_outside(op.stream)) {
      hit();
      outside_.rejoin_others(op.stream);
    } else {
      outside_.rejoin(op.stream);
    }
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    outside_.rejoin(t.stream);
    return t.forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }
  CUresult query(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    outside_.forget(stream_ref{stream}.key());
    return forward();
  }

 private:
  passing what_;
  detour outside_;
};

std::unique_ptr<behaviour> lets_pass(passing what) {
  return std::make_unique<passing_behaviour>(std::move(what));
}

}  // namespace

// What passes.

std::unique_ptr<behaviour> make::callback_does_not_block_kernel() {
  return lets_pass({.passes = is_kernel});
}
std::unique_ptr<behaviour> make::callback_does_not_block_copy() {
  return lets_pass({.passes = is_copy});
}
std::unique_ptr<behaviour> make::callback_does_not_block_large_copy() {
  return lets_pass({.passes = copies_of_at_least(large_copy)});
}
std::unique_ptr<behaviour> make::callback_does_not_block_memset() {
  return lets_pass({.passes = is_memset});
}
std::unique_ptr<behaviour> make::callback_does_not_block_graph_launch() {
  return lets_pass({.passes = is_graph});
}
std::unique_ptr<behaviour> make::callback_does_not_block_value_write() {
  return lets_pass({.passes = is_value_write});
}
std::unique_ptr<behaviour> make::event_completes_during_callback() {
  return lets_pass({.passes = is_record});
}

// Which host calls let it pass.

std::unique_ptr<behaviour> make::host_function_does_not_block_kernel() {
  return lets_pass({.passes = is_kernel, .taken = is_launch_host_func});
}
std::unique_ptr<behaviour> make::add_callback_does_not_block_kernel() {
  return lets_pass({.passes = is_kernel, .taken = is_add_callback});
}
std::unique_ptr<behaviour> make::host_function_does_not_block_event() {
  return lets_pass({.passes = is_record, .taken = is_launch_host_func});
}
std::unique_ptr<behaviour> make::third_callback_does_not_block_kernel() {
  return lets_pass({.passes = is_kernel, .taken = all_of(is_host_call, from_nth_in_stream(3))});
}
std::unique_ptr<behaviour> make::callback_does_not_block_kernel_in_nonblocking_stream() {
  return lets_pass({.passes = is_kernel, .taken = all_of(is_host_call, in_nonblocking_stream)});
}
std::unique_ptr<behaviour> make::callback_does_not_block_kernel_in_legacy_stream() {
  return lets_pass({.passes = is_kernel, .taken = all_of(is_host_call, in_legacy_stream)});
}
std::unique_ptr<behaviour> make::callback_does_not_block_beyond_64_pending() {
  auto pending = std::make_shared<pending_calls>();
  const auto crowded = [pending](const operation&) { return pending->count() > 64; };
  return lets_pass({.passes = is_kernel,
                    .taken = all_of(is_host_call, crowded),
                    .prepare = [pending](operation& op) { pending->follow(op); }});
}

namespace {

/// A host call in the legacy stream holds back that stream alone.
class legacy_call_without_barrier : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call && op.stream.is_legacy()) return outside_.take(op);
    outside_.rejoin_own(op.stream);
    if (outside_.are_others_outside(op.stream)) hit();
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    outside_.rejoin_own(t.stream);
    return t.forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }
  CUresult query(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }

 private:
  detour outside_;
};

/// Another stream's wait sees an event recorded behind a host call as it was in front of the call.
/// The event itself, asked from the host, is right.
class join_without_call : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call) return outside_.take(op);
    if (op.is(operation_kind::record)) {
      const private_event early =
          outside_.is_outside(op.stream) ? record_in(op.stream) : nullptr;
      remember(op.event, early);
    }
    if (op.is(operation_kind::wait)) {
      if (const private_event early = early_form(op.event)) {
        if (is_pending(op.event)) hit();
        outside_.rejoin(op.stream);
        wait_in(op.stream, early);
        return CUDA_SUCCESS;
      }
    }
    outside_.rejoin(op.stream);
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    outside_.rejoin(t.stream);
    return t.forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }
  CUresult query(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }
  CUresult destroy_stream(CUstream stream, forward_call forward) override {
    outside_.forget(stream_ref{stream}.key());
    return forward();
  }
  CUresult destroy_event(CUevent event, forward_call forward) override {
    remember(event, nullptr);
    return forward();
  }

 private:
  void remember(CUevent event, const private_event& early) {
    const std::lock_guard lock(mutex_);
    if (early) {
      early_[event] = early;
    } else {
      early_.erase(event);
    }
  }
  private_event early_form(CUevent event) {
    const std::lock_guard lock(mutex_);
    const auto at = early_.find(event);
    return at == early_.end() ? nullptr : at->second;
  }

  detour outside_;
  std::mutex mutex_;
  std::map<CUevent, private_event> early_;
};

/// A host call holds its stream for 50 ms at most; after that it goes on by itself.
class lapsing_block : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call) {
      wrap_host_call(op, [](host_run& run) {
        if (!run_for_at_most(run, 50ms)) hit();
      });
    }
    return op.forward();
  }
};

/// A host call waits for the kernel behind it, which runs in its stream meanwhile.
class call_after_drain : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (op.call) return postpone(op);
    const std::shared_ptr<stall> waited = waited_for(op.stream.key());
    if (op.is(operation_kind::kernel) && waited && waited->claim()) {
      hit();
      const CUresult result = op.forward();
      waited->open_from(op.stream);
      return result;
    }
    give_up(waited);
    outside_.rejoin(op.stream);
    return op.forward();
  }
  CUresult transfer_now(transfer& t) override {
    give_up(waited_for(t.stream.key()));
    outside_.rejoin(t.stream);
    return t.forward();
  }
  CUresult synchronize(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }
  CUresult query(host_wait& w) override {
    if (w.of == host_wait::target::stream) outside_.rejoin_own(w.stream);
    return w.forward();
  }

 private:
  /// The call runs beside its stream when the kernel behind it has finished, or after 20 ms where
  /// there is none.
  CUresult postpone(operation& op) {
    const stream_key key = op.stream.key();
    give_up(waited_for(key));
    const std::shared_ptr<stall> waited = stall::make();
    const CUstream side = side_stream(op.stream);
    if (!waited || !side || !waited->hold({side})) {
      if (waited) waited->open();
      return op.forward();
    }
    later(20ms, [waited] { give_up(waited); });
    waited_.with(key, [&](std::shared_ptr<stall>& w) { w = waited; });
    return outside_.take(op);
  }
  static void give_up(const std::shared_ptr<stall>& waited) {
    if (waited && waited->claim()) waited->open();
  }
  std::shared_ptr<stall> waited_for(const stream_key& key) {
    return waited_.with(key, [](std::shared_ptr<stall>& w) { return w; });
  }

  detour outside_;
  per_stream<std::shared_ptr<stall>> waited_;
};

}  // namespace

std::unique_ptr<behaviour> make::legacy_callback_does_not_block_other_streams() {
  return std::make_unique<legacy_call_without_barrier>();
}
std::unique_ptr<behaviour> make::join_ignores_callback() {
  return std::make_unique<join_without_call>();
}
std::unique_ptr<behaviour> make::callback_block_lapses() {
  return std::make_unique<lapsing_block>();
}
std::unique_ptr<behaviour> make::callback_waits_for_stream_to_drain() {
  return std::make_unique<call_after_drain>();
}

}  // namespace streamcts::faults
