// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host threads that make the calls of programs.

#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace streamcts::program {

/// Threads that do one job each at a time. Their number grows as needed. For one thread's use.
class worker_threads {
 public:
  /// @param greeting done once by each thread, before its first job
  explicit worker_threads(std::function<void()> greeting) : greeting_(std::move(greeting)) {}
  worker_threads(const worker_threads&) = delete;
  worker_threads& operator=(const worker_threads&) = delete;
  /// Waits for all jobs, unless they were abandoned.
  ~worker_threads();

  /// @pre the thread's last job is done. @p job must not throw.
  void start(std::size_t thread, std::function<void()> job);
  bool done(std::size_t thread) const;
  bool all_done() const;
  /// Waits until all are done, at most @p limit. @return whether they are
  bool wait(std::chrono::nanoseconds limit) const;
  /// Leaves the threads to themselves: one of them is stuck inside a call.
  void abandon();

 private:
  struct worker {
    std::mutex mutex;
    std::condition_variable changed;
    std::function<void()> job;
    bool busy = false, stop = false;
    std::thread thread;
    void run(const std::function<void()>& greeting);
  };

  std::function<void()> greeting_;
  std::vector<std::shared_ptr<worker>> workers_;
};

}  // namespace streamcts::program
