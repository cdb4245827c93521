// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/background.h"

#include <pthread.h>
#include <signal.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace streamcts::faults {
namespace {

class worker {
 public:
  void add(std::function<bool()> job) {
    const std::lock_guard lock(mutex_);
    if (stopping_) return;
    jobs_.push_back(std::move(job));
    if (!thread_.joinable()) start();
    wake_.notify_one();
  }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      wake_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

 private:
  void start() {
    // The program's signals are for the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { run(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      if (jobs_.empty()) {
        wake_.wait(lock);
        continue;
      }
      std::vector<std::function<bool()>> jobs;
      jobs.swap(jobs_);
      lock.unlock();
      std::erase_if(jobs, [](const std::function<bool()>& job) { return job(); });
      lock.lock();
      jobs_.insert(jobs_.end(), std::make_move_iterator(jobs.begin()),
                   std::make_move_iterator(jobs.end()));
      wake_.wait_for(lock, std::chrono::milliseconds(1));
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<std::function<bool()>> jobs_;
  std::thread thread_;
  bool stopping_ = false;
};

worker& the_worker() {
  static worker& instance = *new worker;
  return instance;
}

/// Ends the thread when the library goes, before anything that its jobs use.
__attribute__((destructor)) void stop_worker() { the_worker().stop(); }

}  // namespace

void in_background(std::function<bool()> job) { the_worker().add(std::move(job)); }

void later(std::chrono::milliseconds delay, std::function<void()> job) {
  const auto due = std::chrono::steady_clock::now() + delay;
  in_background([due, job = std::move(job)] {
    if (std::chrono::steady_clock::now() < due) return false;
    job();
    return true;
  });
}

}  // namespace streamcts::faults
