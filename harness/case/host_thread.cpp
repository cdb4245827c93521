// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/host_thread.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "harness/case/context.h"

namespace streamcts {

/// Outlives the object where a job is stuck.
struct host_thread::shared {
  std::mutex mutex;
  std::condition_variable changed;
  std::function<void()> job;
  std::exception_ptr thrown;
  bool busy = true;  // until the context is current
  bool stop = false;
  std::thread thread;

  void serve();
  void work(const std::function<void()>& what, std::unique_lock<std::mutex>& lock);
};

void host_thread::shared::work(const std::function<void()>& what,
                               std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  std::exception_ptr failed;
  try {
    what();
  } catch (...) {
    failed = std::current_exception();
  }
  lock.lock();
  thrown = failed;
  busy = false;
  changed.notify_all();
}

void host_thread::shared::serve() {
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return stop || job; });
    if (!job) return;
    work(std::exchange(job, nullptr), lock);
  }
}

host_thread::host_thread(device_session& session)
    : session_(session), shared_(std::make_shared<shared>()) {
  shared_->job = [&session] { session.make_current(); };
  shared_->thread = std::thread([own = shared_] { own->serve(); });
}

host_thread::~host_thread() {
  const auto limit = session_.given().calibration.patience();
  std::unique_lock lock(shared_->mutex);
  const bool done = shared_->changed.wait_for(lock, limit, [this] { return !shared_->busy; });
  shared_->stop = true;
  shared_->changed.notify_all();
  lock.unlock();
  if (done) {
    shared_->thread.join();
  } else {
    shared_->thread.detach();
  }
}

void host_thread::start(std::function<void()> job) {
  wait(session_.given().calibration.patience());
  std::unique_lock lock(shared_->mutex);
  if (shared_->busy) throw std::runtime_error("a host thread was given a job while it had one");
  shared_->busy = true;
  shared_->job = std::move(job);
  shared_->changed.notify_all();
}

bool host_thread::wait(std::chrono::nanoseconds limit) {
  std::unique_lock lock(shared_->mutex);
  if (!shared_->changed.wait_for(lock, limit, [this] { return !shared_->busy; })) return false;
  if (auto thrown = std::exchange(shared_->thrown, nullptr)) std::rethrow_exception(thrown);
  return true;
}

void host_thread::run(std::function<void()> job) {
  start(std::move(job));
  if (!wait(session_.given().calibration.patience())) {
    throw std::runtime_error("a CUDA call on a further host thread did not return");
  }
}

}  // namespace streamcts
