// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <functional>

#include "harness/case/context.h"
#include "harness/driver/event.h"
#include "harness/driver/memory.h"
#include "harness/driver/result.h"
#include "harness/driver/stream.h"
#include "harness/observe/control.h"
#include "harness/observe/gate.h"
#include "harness/observe/gatekeeper.h"
#include "harness/observe/host_call.h"

namespace streamcts {

/// What a kernel does wrong.
enum class device_fault { illegal_address, misaligned, trap, assertion };
inline std::string_view name(device_fault what) {
  switch (what) {
    case device_fault::illegal_address: return "illegal_address";
    case device_fault::misaligned: return "misaligned";
    case device_fault::trap: return "trap";
    case device_fault::assertion: return "assertion";
  }
  return "unknown";
}

/// All kinds; one of them from `quick` on.
inline axis device_faults() {
  return make_axis<device_fault>("fault", {device_fault::illegal_address,
                                           {device_fault::misaligned, tier::standard},
                                           {device_fault::trap, tier::standard},
                                           {device_fault::assertion, tier::standard}});
}

/// Streams, a gate and host calls around a kernel that faults. After the fault the process is lost to
/// CUDA and contents are undefined: what host calls leave is counts and codes in ordinary memory, and
/// nothing of this is ever freed (make()). For cases in a process of their own.
class fault_scene {
 public:
  /// Lives until the process ends.
  static fault_scene& make(case_context& context) {
    static auto* const kept = new std::deque<fault_scene>;
    return kept->emplace_back(context);
  }
  explicit fault_scene(case_context& context)
      : context_(context),
        control_(context.cuda()),
        first_(context.cuda(), driver::stream_kind::blocking),
        second_(context.cuda(), driver::stream_kind::non_blocking),
        canary_stream_(context.cuda(), driver::stream_kind::non_blocking),
        event_(context.cuda()),
        word_(context.cuda(), 64),
        gate_(control_.next(), control_.next(), context.calibration().gate_timeout()),
        other_gate_(control_.next(), control_.next(), context.calibration().gate_timeout()) {}

  /// The stream that faults, and another one.
  CUstream first() const { return first_.get(); }
  CUstream second() const { return second_.get(); }
  gate& shut() { return gate_; }
  /// A gate that hold() leaves alone: nobody but the case opens it.
  gate& other_gate() { return other_gate_; }
  CUevent event() const { return event_.get(); }
  /// Device memory of some words, and work that uses it.
  CUdeviceptr word() const { return word_.address(); }

  host_call_slot& host_call() { return slots_.emplace_back(); }
  void enqueue(CUstream stream, host_call_slot& slot, streamcts::host_call call) {
    slot.enqueue(context_.cuda(), call, stream);
  }
  void enqueue_gate(CUstream stream) {
    gate_.enqueue(context_.cuda(), context_.kernels(), stream, gate_kind::mapped_flag);
  }
  /// The other gate is no kernel, where possible: a device that runs one kernel at a time has to get
  /// to the one that faults.
  void enqueue_other_gate(CUstream stream) {
    const bool waits = context_.capabilities().works(driver::feature::gate_value_wait);
    other_gate_.enqueue(context_.cuda(), context_.kernels(), stream,
                        waits ? gate_kind::value_wait : gate_kind::mapped_flag);
  }
  /// Puts the faulting kernel in. What the launch answers is no matter: one that waits for the kernel
  /// may report the fault itself, and where there is none await_error() says so.
  void enqueue_fault(CUstream stream, device_fault what) {
    const driver::kernel_set& kernels = context_.kernels();
    try {
      switch (what) {
        case device_fault::illegal_address: return kernels.fault_illegal_address(stream);
        case device_fault::misaligned: return kernels.fault_misaligned(stream, word_.address());
        case device_fault::trap: return kernels.fault_trap(stream);
        case device_fault::assertion: return kernels.fault_assert(stream);
      }
    } catch (const driver::call_error&) {
    }
  }
  /// What comes later in the second stream waits for all that the first one has now.
  void join() {
    event_.record(first_.get());
    second_.wait(event_);
  }

  /// As arrangement::hold_work(): the gate stays shut until all is enqueued and the canary has run;
  /// @p last is done when the canary is enqueued. Ends the case where an enqueuing call waited for the gate: the fault was there before the rest was
  /// enqueued, and calls may have been refused for it.
  void hold(const std::function<void()>& enqueue_all, const std::function<void()>& last = [] {}) {
    host_call_slot& canary = host_call();
    hold_order order;
    order.victim = &gate_;
    order.canary_ran = [&canary] { return canary.ended(); };
    gatekeeper& keeper = context_.session().keeper();
    keeper.watch(order);
    try {
      enqueue_all();
      canary.enqueue(context_.cuda(), streamcts::host_call::launch_host_func, canary_stream_.get());
      last();
    } catch (const driver::call_error&) {
      const bool held = gate_.now() == gate::state::shut;
      order.abandon.store(true);
      const hold_result result = keeper.finish(order);
      if (held) throw;
      end_without_opportunity(result);
    } catch (...) {
      order.abandon.store(true);
      keeper.finish(order);
      throw;
    }
    order.all_enqueued.store(true);
    const hold_result result = keeper.finish(order);
    if (result != hold_result::canary && result != hold_result::calibrated) {
      end_without_opportunity(result);
    }
    context_.count_hold(context_.instance().clauses, result);
  }

  /// Asks for the first stream until it answers an error, which is returned. Ends the case where there
  /// is none: what is promised after a fault can then not be seen.
  CUresult await_error() {
    CUresult code = CUDA_ERROR_NOT_READY;
    wait([&] {
      code = context_.cuda().cuStreamQuery(first_.get());
      return code != CUDA_ERROR_NOT_READY;
    });
    if (code == CUDA_SUCCESS || code == CUDA_ERROR_NOT_READY) {
      gate_.open();
      context_.inconclusive(fmt::format("the fault did not show: cuStreamQuery answered {}",
                                        driver::result_name(code)));
    }
    return code;
  }

  /// Waits until @p done, at most as long as patience says, and keeps asking for the first stream: a
  /// driver may deliver what is due only then.
  template <typename Done>
  bool wait(Done done) {
    const auto limit = std::chrono::steady_clock::now() + context_.calibration().patience();
    for (unsigned step = 0; !done(); ++step) {
      if (std::chrono::steady_clock::now() > limit) return false;
      (void)context_.cuda().cuStreamQuery(first_.get());
      relax_thread(step);
    }
    return true;
  }

  /// Long beside the latency of a host call, short for a reader.
  std::chrono::nanoseconds short_while() const {
    using namespace std::chrono_literals;
    return std::clamp<std::chrono::nanoseconds>(
        20 * context_.calibration().host_call_latency_p999, 50ms, 1s);
  }

  /// Lets some time pass in which what must not happen has its chance.
  void linger() {
    const auto length = short_while();
    const auto limit = std::chrono::steady_clock::now() + length;
    for (unsigned step = 0; std::chrono::steady_clock::now() < limit; ++step) relax_thread(step);
  }

 private:
  [[noreturn]] void end_without_opportunity(hold_result why) {
    context_.count_hold(context_.instance().clauses, why);
    context_.inconclusive(fmt::format("no opportunity: {}", streamcts::name(why)));
  }

  case_context& context_;
  control_page control_;
  driver::stream first_, second_, canary_stream_;
  driver::event event_;
  driver::device_buffer word_;
  gate gate_, other_gate_;
  std::deque<host_call_slot> slots_;
};

MATCHER(IsAnError, negation ? "CUDA_SUCCESS as status" : "an error as status") {
  *result_listener << driver::result_name(arg);
  return arg != CUDA_SUCCESS;
}

/// The last answer of a query that was repeated.
MATCHER(IsFinalError, negation ? "CUDA_SUCCESS or NOT_READY" : "an error other than NOT_READY") {
  *result_listener << driver::result_name(arg);
  return arg != CUDA_SUCCESS && arg != CUDA_ERROR_NOT_READY;
}

}  // namespace streamcts
