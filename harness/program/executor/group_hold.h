// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The gatekeeper of runs side by side: each holds one item, all are looked at and released
// together.

#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "harness/observe/gatekeeper.h"
#include "harness/program/executor/program_run.h"
#include "harness/program/executor/workers.h"

namespace streamcts::program {

/// One at a time. Gates are opened by a thread of its own that makes no CUDA call, once everything
/// is enqueued and a canary has run, or by a cap; so no driver can keep them shut.
class group_hold {
 public:
  explicit group_hold(const environment& where);
  ~group_hold();

  /// The canary's stream; idle between holds.
  CUstream stream() const { return stream_.get(); }
  bool stream_idle() const { return stream_.wait_idle(where_.limits.patience()); }

  /// Starts to watch over @p runs: all hold host calls, or none does. They outlive await().
  void begin(const std::vector<std::shared_ptr<program_run>>& runs);
  /// Waits until all is enqueued, sends the canary, waits until all gates are open.
  void await(const std::vector<std::shared_ptr<program_run>>& runs);
  /// What the hold of a run was worth.
  hold_result result(std::size_t run) const { return results_[run]; }
  void always_long(bool yes) { always_long_ = yes; }
  void release();

 private:
  static void CUDA_CB mark(void* data);
  void send_canary();
  void attend(const std::vector<std::shared_ptr<program_run>>& runs);
  bool canary_ran() const;

  const environment& where_;
  driver::stream stream_;
  control_page words_;
  bool by_kernel_ = false;  ///< the canary, while host calls are held
  std::optional<gate> canary_gate_;
  control_word canary_word_;
  std::shared_ptr<std::atomic<bool>> canary_flag_;
  std::vector<std::shared_ptr<void>> flags_;
  std::atomic<bool> all_enqueued_{false};
  std::vector<hold_result> results_;
  unsigned call_holds_ = 0;
  bool always_long_ = false;
  worker_threads keeper_;
};

}  // namespace streamcts::program
