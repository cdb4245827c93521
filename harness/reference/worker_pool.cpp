// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/worker_pool.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

#include "harness/reference/host_calls.h"
#include "harness/reference/process.h"
#include "harness/reference/refusal.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/threads.h"
#include "harness/reference/variants.h"
#include "harness/reference/visibility.h"

namespace streamcts::reference {
namespace {

// Set while the worker's item does not count as busy.
thread_local bool counts_as_waiting = false;

}  // namespace

worker_pool& workers() {
  static worker_pool& only = *new worker_pool;
  return only;
}

unsigned worker_pool::limit() const {
  static const unsigned cores = std::max(4u, std::thread::hardware_concurrency());
  return cores;
}

void worker_pool::add(driver_lock& lock, item_ptr item) {
  ready_.push_back(std::move(item));
  wake(lock);
}

void worker_pool::wake(driver_lock&) {
  while (looking_ < ready_.size() && busy_ + looking_ < limit()) {
    if (idle_threads_ > 0) {
      --idle_threads_;
      ++wakes_;
      idle_.notify_one();
    } else if (threads_ < most_threads) {
      ++threads_;
      start_thread("device", [this] { serve(); });
    } else {
      return;
    }
    ++looking_;
  }
}

void worker_pool::serve() {
  // Pauses between polls are tens of microseconds; the default slack would double them.
  prctl(PR_SET_TIMERSLACK, 1000);
  driver_lock lock;
  for (;;) {
    while (const item_ptr item = take(lock)) {
      --looking_;
      run(lock, item);
      ++looking_;
    }
    --looking_;
    ++idle_threads_;
    idle_.wait(lock.native(), [this] { return wakes_ > 0; });
    --wakes_;
  }
}

bool worker_pool::may_start(driver_lock& lock, const work_item& item) const {
  if (item.by == executor::poller) return true;
  if (active(variant::no_overlap) && device_items_ > 0) return false;
  return !active(variant::host_function_blocks_others) || running_host_calls(lock) == 0;
}

item_ptr worker_pool::take(driver_lock& lock) {
  std::vector<std::size_t> startable;
  const bool any_order = active(variant::weak_scheduler);
  for (std::size_t i = 0; i < ready_.size(); ++i) {
    if (!may_start(lock, *ready_[i])) continue;
    startable.push_back(i);
    if (!any_order) break;
  }
  if (startable.empty()) return nullptr;
  const std::size_t chosen = startable[any_order ? random_number() % startable.size() : 0];
  item_ptr item = std::move(ready_[chosen]);
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  return item;
}

void worker_pool::run(driver_lock& lock, const item_ptr& item) {
  const bool occupies_device = item->by == executor::device;
  counts_as_waiting = !occupies_device;
  if (occupies_device) {
    ++busy_;
    ++device_items_;
  } else {
    ++waiting_;
  }
  lock.unlock();
  park_if_exiting();
  if (active(variant::weak_scheduler)) pause_randomly();
  if (fault() == CUDA_SUCCESS) {
    publish_pending();
    try {
      item->run();
    } catch (const device_fault& f) {
      set_fault(f.code);
    }
  }
  lock.lock();
  if (counts_as_waiting) {
    --waiting_;
  } else {
    --busy_;
  }
  ++looking_;  // this thread looks next: nobody needs to be woken for the first follower
  if (occupies_device) --device_items_;
  finish(lock, item);
  --looking_;
}

void worker_pool::poll_pause(unsigned polls) {
  constexpr unsigned patience = 4;
  park_if_exiting();
  if (polls < patience) {
    sched_yield();
    return;
  }
  if (!counts_as_waiting) {
    driver_lock lock;
    counts_as_waiting = true;
    --busy_;
    ++waiting_;
    wake(lock);
  }
  // Many closed gates share the machine: each looks less often.
  const unsigned microseconds = std::clamp(waiting_.load() * 5u, 20u, 500u);
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

}  // namespace streamcts::reference
