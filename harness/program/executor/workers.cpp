// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/program/executor/workers.h"

#include <algorithm>
#include <chrono>

namespace streamcts::program {

void worker_threads::worker::run(const std::function<void()>& greeting) {
  greeting();
  std::unique_lock lock(mutex);
  for (;;) {
    changed.wait(lock, [this] { return busy || stop; });
    if (!busy) return;
    const std::function<void()> now = std::move(job);
    lock.unlock();
    now();
    lock.lock();
    busy = false;
    changed.notify_all();
  }
}

worker_threads::~worker_threads() {
  for (const auto& w : workers_) {
    {
      const std::lock_guard lock(w->mutex);
      w->stop = true;
    }
    w->changed.notify_all();
    w->thread.join();
  }
}

void worker_threads::start(std::size_t thread, std::function<void()> job) {
  while (workers_.size() <= thread) {
    const auto& w = workers_.emplace_back(std::make_shared<worker>());
    w->thread = std::thread([w, greeting = greeting_] { w->run(greeting); });
  }
  worker& w = *workers_[thread];
  {
    const std::lock_guard lock(w.mutex);
    w.job = std::move(job);
    w.busy = true;
  }
  w.changed.notify_all();
}

bool worker_threads::done(std::size_t thread) const {
  if (thread >= workers_.size()) return true;
  const std::lock_guard lock(workers_[thread]->mutex);
  return !workers_[thread]->busy;
}

bool worker_threads::all_done() const {
  for (std::size_t t = 0; t < workers_.size(); ++t) {
    if (!done(t)) return false;
  }
  return true;
}

bool worker_threads::wait(std::chrono::nanoseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  return std::ranges::all_of(workers_, [&](const auto& w) {
    std::unique_lock lock(w->mutex);
    return w->changed.wait_until(lock, end, [&] { return !w->busy; });
  });
}

void worker_threads::abandon() {
  for (const auto& w : workers_) w->thread.detach();
  workers_.clear();
}

}  // namespace streamcts::program
