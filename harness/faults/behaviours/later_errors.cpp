// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class I: assertions that nobody hears of, and errors of later work in a callback's status.

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/host_calls.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using namespace std::chrono_literals;

/// Synchronize calls and queries do not tell of a failed assertion.
class assertions_swallowed : public behaviour {
 public:
  CUresult synchronize(host_wait& w) override { return answer(w.forward()); }
  CUresult query(host_wait& w) override { return answer(w.forward()); }

 private:
  static CUresult answer(CUresult result) {
    if (result != CUDA_ERROR_ASSERT) return result;
    hit();
    return CUDA_SUCCESS;
  }
};

/// The kernel directly behind a stream callback runs beside it, and the callback is told of the error
/// that the kernel makes.
class later_error_told : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    const std::shared_ptr<state> before = last_.with(
        op.stream.key(), [](std::shared_ptr<state>& last) { return std::exchange(last, nullptr); });
    if (is_add_callback(op)) return watch(op);
    if (!before || !op.is(operation_kind::kernel)) return op.forward();
    // The kernel need not fail to have run too early.
    if (is_busy(op.stream)) hit();
    private_event end;
    const CUresult result = enqueue_beside(op, before->start, &end);
    if (result == CUDA_SUCCESS) wait_in(op.stream, end);
    before->end = end;
    before->kernel_follows = true;
    return result;
  }

 private:
  struct state {
    private_event start;
    private_event end;
    std::atomic<bool> kernel_follows{false};
  };

  CUresult watch(operation& op) {
    auto mine = std::make_shared<state>();
    mine->start = record_in(op.stream);
    last_.with(op.stream.key(), [&](std::shared_ptr<state>& last) { last = mine; });
    CUcontext context = nullptr;
    (void)real().ctx_get_current(&context);
    wrap_host_call(op, [mine, context](host_run& run) {
      if (mine->kernel_follows) {
        // The driver itself may tell of it, now that the kernel is no longer behind the call.
        if (run.status == CUDA_SUCCESS) run.status = outcome_of(mine, context);
        if (run.status != CUDA_SUCCESS) hit();
      }
      run.call();
    });
    return op.forward();
  }

  /// What the kernel has come to, once it is over; success where that cannot be found out in time. Asked
  /// by a thread of its own: a host call may not call the driver.
  static CUresult outcome_of(const std::shared_ptr<state>& of, CUcontext context) {
    auto answer = std::make_shared<std::promise<CUresult>>();
    std::future<CUresult> known = answer->get_future();
    std::thread([of, context, answer] {
      (void)real().ctx_push_current(context);
      CUresult result = CUDA_ERROR_NOT_READY;
      const auto limit = std::chrono::steady_clock::now() + 200ms;
      while (result == CUDA_ERROR_NOT_READY && std::chrono::steady_clock::now() < limit) {
        result = real().event_query(of->end.get());
        std::this_thread::sleep_for(200us);
      }
      answer->set_value(result == CUDA_ERROR_NOT_READY ? CUDA_SUCCESS : result);
    }).detach();
    if (known.wait_for(300ms) != std::future_status::ready) return CUDA_SUCCESS;
    return known.get();
  }

  per_stream<std::shared_ptr<state>> last_;
};

}  // namespace

std::unique_ptr<behaviour> make::assertion_is_swallowed() {
  return std::make_unique<assertions_swallowed>();
}
std::unique_ptr<behaviour> make::later_error_is_told_to_callback() {
  return std::make_unique<later_error_told>();
}

}  // namespace streamcts::faults
