// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace streamcts {

class device_session;

/// A further host thread of a case, with the session's context current. It does one job at a time.
///
/// For calls that block, for per-thread default streams, and for enqueuing from several threads.
/// A job may use what the case uses (the arrangement included) while the case waits for it. One that
/// is stuck in the driver is left behind with its thread: no destructor waits longer than the
/// session's patience.
class host_thread {
 public:
  explicit host_thread(device_session& session);
  host_thread(const host_thread&) = delete;
  host_thread& operator=(const host_thread&) = delete;
  ~host_thread();

  /// Begins @p job; the job before must have ended.
  void start(std::function<void()> job);
  /// Waits until the job has ended, at most @p limit. Passes on what the job threw, once.
  bool wait(std::chrono::nanoseconds limit);
  /// Does @p job and waits for it. @throws std::runtime_error after the session's patience, and
  /// what the job throws.
  void run(std::function<void()> job);

 private:
  struct shared;
  device_session& session_;
  std::shared_ptr<shared> shared_;
};

}  // namespace streamcts
