// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cuda.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "harness/case/pieces.h"

namespace streamcts {

class host_thread;

/// A call by which the host waits for work (a synchronize, or a query repeated until it succeeds),
/// made by a thread of its own, and what that thread sees right after the call has returned: no
/// later call can repair that.
///
/// Set up by the case before the call begins, that is within hold_work() or hold_call(); read by it
/// after drain(), and only if returned().
class host_wait {
 public:
  host_wait(std::string name, operation op, std::function<CUresult()> call);
  host_wait(const host_wait&) = delete;
  host_wait& operator=(const host_wait&) = delete;
  ~host_wait();

  /// Right after the return the thread compares @p what with its pattern.
  void looks_at(product& what) { seen_->glances.push_back({.at = &what, .seen = {}}); }
  /// Right after the return the thread asks whether @p call has ended.
  void awaits(const observer& call) { seen_->awaited = &call.slot(); }
  /// Right after the return the thread does this; no CUDA call.
  void then(std::function<void()> action) { seen_->action = std::move(action); }

  /// Whether the call has returned and everything was looked at.
  bool returned() const { return seen_->done.load(std::memory_order_acquire); }
  CUresult code() const { return seen_->code; }
  /// The hold's victim at the moment of the return.
  gate::state victim() const { return seen_->victim; }
  const glance& saw(std::size_t index = 0) const { return seen_->glances.at(index); }
  const std::vector<glance>& glances() const { return seen_->glances; }
  bool awaits_call() const { return seen_->awaited != nullptr; }
  /// Whether the awaited host call had ended.
  bool call_had_ended() const { return seen_->call_ended; }

  const std::string& name() const { return name_; }
  operation op() const { return op_; }

  /// For arrangements: begins the call on @p by and returns once the thread is about to make it.
  void begin(host_thread& by, const gate* victim, std::chrono::nanoseconds limit);
  bool begun() const { return begun_; }

 private:
  struct sight {
    std::atomic<bool> calling{false};
    std::atomic<bool> done{false};
    std::atomic<bool> abandoned{false};
    CUresult code = CUDA_SUCCESS;
    gate::state victim = gate::state::shut;
    std::vector<glance> glances;
    const host_call_slot* awaited = nullptr;
    bool call_ended = false;
    std::function<void()> action;

    void look(const gate* held);
  };

  std::string name_;
  operation op_;
  std::function<CUresult()> call_;
  std::shared_ptr<sight> seen_ = std::make_shared<sight>();
  bool begun_ = false;
};

}  // namespace streamcts
