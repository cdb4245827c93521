// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "harness/observe/calibration.h"
#include "harness/observe/gate.h"

namespace streamcts {

/// Why the gatekeeper opened a gate, in other words what the hold was worth.
enum class hold_result {
  pending,          ///< not opened yet
  canary,           ///< an opportunity: everything was enqueued, and a canary ran meanwhile
  calibrated,       ///< an opportunity: everything was enqueued, and the calibrated hold passed
  enqueue_blocked,  ///< an enqueuing call did not return while the gate was shut
  never_begun,      ///< the host call to be held did not start
  expired,          ///< the gate's own time limit came first
  abandoned,        ///< the case ended the hold before everything was enqueued
};

/// One hold, as its gatekeeper sees it. All members are set before watch() and not changed after,
/// except the atomics.
struct hold_order {
  /// The gate of the victim. Opened when the hold is over.
  gate* victim = nullptr;
  /// For a victim that is a host call: what is in front of it, if anything is. Opened once all is
  /// enqueued, so that no enqueuing call is made while a host call runs (drivers hold locks there).
  gate* front = nullptr;
  /// For a victim that is a host call: what is in front of the canary. Opened when the victim runs.
  gate* canary_gate = nullptr;
  /// Whether the canary has run.
  std::function<bool()> canary_ran;
  /// How long the victim stays held at least, once all is enqueued.
  std::chrono::nanoseconds at_least{0};

  std::atomic<bool> all_enqueued{false};
  std::atomic<bool> abandon{false};
  std::atomic<hold_result> result{hold_result::pending};
};

/// The thread that opens gates. It makes no CUDA call, so no driver can stop it; it is woken by what
/// it watches or by a cap, never by the enqueuing thread alone (any CUDA call may legally block).
class gatekeeper {
 public:
  explicit gatekeeper(const calibration& limits);
  gatekeeper(const gatekeeper&) = delete;
  gatekeeper& operator=(const gatekeeper&) = delete;
  ~gatekeeper();

  /// Starts one hold; the gates in @p order are shut. One at a time. @p order outlives finish().
  void watch(hold_order& order);
  /// Waits until the gate of the hold is open, and says what the hold was worth. No CUDA call.
  hold_result finish(hold_order& order);

 private:
  void run();
  hold_result attend(hold_order& order) const;
  hold_result await_canary(hold_order& order) const;

  calibration limits_;
  std::mutex mutex_;
  std::condition_variable changed_;
  hold_order* order_ = nullptr;
  bool stop_ = false;
  std::thread thread_;
};

std::string_view name(hold_result result);

}  // namespace streamcts
