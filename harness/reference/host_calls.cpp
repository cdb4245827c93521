// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/host_calls.h"

#include <algorithm>

#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/threads.h"
#include "harness/reference/variants.h"
#include "harness/reference/visibility.h"
#include "harness/reference/worker_pool.h"

namespace streamcts::reference {
namespace {

thread_local host_call_kind inside = host_call_kind::none;
unsigned running = 0;  // guarded by the driver lock

bool one_at_a_time_everywhere() { return active(variant::host_function_blocks_others); }

}  // namespace

host_call_kind inside_host_call() { return inside; }

host_call_scope::host_call_scope(host_call_kind kind) : previous_(inside) { inside = kind; }
host_call_scope::~host_call_scope() { inside = previous_; }

unsigned running_host_calls(driver_lock&) { return running; }

void host_call_queue::add(driver_lock&, item_ptr item) {
  if (active(variant::fresh_thread)) {
    start_thread("host call", [self = shared_from_this(), item = std::move(item)] {
      driver_lock lock;
      self->run(lock, item);
    });
    return;
  }
  ready_.push_back(std::move(item));
  changed_.notify_one();
  if (serving_) return;
  serving_ = true;
  start_thread("host calls", [self = shared_from_this()] { self->serve(); });
}

void host_call_queue::close(driver_lock&) {
  closed_ = true;
  changed_.notify_one();
}

void host_call_queue::serve() {
  driver_lock lock;
  while (const item_ptr item = next(lock)) run(lock, item);
  serving_ = false;
}

// Waits for the next call that may start; null when the queue is closed.
item_ptr host_call_queue::next(driver_lock& lock) {
  changed_.wait(lock.native(), [this] { return !ready_.empty() || closed_; });
  if (ready_.empty()) return nullptr;
  if (active(variant::late_host_calls)) {
    const auto start = ready_.front()->ready_at + late_host_call_delay;
    while (clock::now() < start) changed_.wait_until(lock.native(), start);
  }
  std::size_t chosen = 0;
  if (active(variant::reverse_host_calls)) {
    const auto gathered = clock::now() + reverse_gathering_time;
    while (clock::now() < gathered) changed_.wait_until(lock.native(), gathered);
    const auto last = std::max_element(
        ready_.begin(), ready_.end(),
        [](const item_ptr& a, const item_ptr& b) { return a->number < b->number; });
    chosen = static_cast<std::size_t>(last - ready_.begin());
  } else if (active(variant::host_calls_any_order) || active(variant::weak_scheduler)) {
    chosen = random_number() % ready_.size();
  }
  item_ptr item = std::move(ready_[chosen]);
  ready_.erase(ready_.begin() + static_cast<std::ptrdiff_t>(chosen));
  return item;
}

void host_call_queue::run(driver_lock& lock, const item_ptr& item) {
  static std::condition_variable& none_runs = *new std::condition_variable;
  if (one_at_a_time_everywhere()) none_runs.wait(lock.native(), [] { return running == 0; });
  ++running;
  lock.unlock();
  park_if_exiting();
  if (active(variant::weak_scheduler)) pause_randomly();
  publish_pending();
  item->run();
  lock.lock();
  --running;
  finish(lock, item);
  if (!one_at_a_time_everywhere()) return;
  none_runs.notify_one();
  workers().wake(lock);
}

}  // namespace streamcts::reference
