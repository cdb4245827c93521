// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/scheduler.h"

#include <algorithm>

#include "harness/reference/context.h"
#include "harness/reference/host_calls.h"
#include "harness/reference/process.h"
#include "harness/reference/refusal.h"
#include "harness/reference/threads.h"
#include "harness/reference/variants.h"
#include "harness/reference/visibility.h"
#include "harness/reference/worker_pool.h"

namespace streamcts::reference {
namespace {

struct scheduler_state {
  std::uint64_t items = 0;
  item_ptr last_submitted;  // for the variant one_queue
  std::vector<item_ptr> held;  // for the variant lazy_submit
  std::condition_variable something_held;
  bool timer_runs = false;
};

scheduler_state& state() {
  static scheduler_state& only = *new scheduler_state;
  return only;
}

void wake_waiters(work_item& item) {
  for (waiter* w : item.waiters) {
    if (--w->missing == 0) w->changed.notify_one();
  }
  item.waiters.clear();
}

void call_then(driver_lock& lock, work_item& item) {
  if (const auto then = std::exchange(item.then, nullptr)) then(lock);
}

// Hands an item that may start to its executor. Markers end on the spot, and so may what follows.
void start(driver_lock& lock, const item_ptr& first) {
  std::vector<item_ptr> markers;
  const auto dispatch = [&](const item_ptr& item) {
    item->ready_at = clock::now();
    switch (item->by) {
      case executor::nobody:
        markers.push_back(item);
        break;
      case executor::device:
      case executor::poller:
        workers().add(lock, item);
        break;
      case executor::host:
        item->owner->host_calls->add(lock, item);
        break;
      case executor::caller:
        if (item->claimer != nullptr) {
          item->claimer->missing = 0;
          item->claimer->changed.notify_one();
        }
        break;
    }
  };
  dispatch(first);
  for (std::size_t i = 0; i < markers.size(); ++i) {
    const item_ptr done = markers[i];
    done->finished = true;
    done->finished_at = done->ready_at;
    done->owner.reset();
    call_then(lock, *done);
    for (const item_ptr& next : std::exchange(done->followers, {})) {
      if (--next->missing == 0) dispatch(next);
    }
    wake_waiters(*done);
  }
}

void release(driver_lock& lock, const item_ptr& item) {
  if (--item->missing == 0) start(lock, item);
}

// Work held back by lazy_submit starts by itself in the end: nothing obliges a program that is
// signalled by a callback to call CUDA again.
void flush_by_time() {
  driver_lock lock;
  for (;;) {
    state().something_held.wait(lock.native(), [] { return !state().held.empty(); });
    state().something_held.wait_for(lock.native(), lazy_submit_time,
                                    [] { return state().held.empty(); });
    flush_submissions(lock);
  }
}

}  // namespace

item_ptr make_item(driver_lock&, std::shared_ptr<context> owner, executor by,
                   std::function<void()> run) {
  auto item = std::make_shared<work_item>();
  item->by = by;
  item->owner = std::move(owner);
  item->run = std::move(run);
  item->number = ++state().items;
  return item;
}

void order(driver_lock&, const item_ptr& earlier, const item_ptr& later) {
  if (earlier == nullptr || earlier->finished) return;
  earlier->followers.push_back(later);
  ++later->missing;
}

void submit(driver_lock& lock, const item_ptr& item) {
  if (active(variant::one_queue)) order(lock, std::exchange(state().last_submitted, item), item);
  if (!active(variant::lazy_submit)) return release(lock, item);
  state().held.push_back(item);
  state().something_held.notify_one();
  if (std::exchange(state().timer_runs, true)) return;
  start_thread("lazy submit", flush_by_time);
}

void flush_submissions(driver_lock& lock) {
  for (const item_ptr& item : std::exchange(state().held, {})) release(lock, item);
}

void finish(driver_lock& lock, const item_ptr& item) {
  item->finished = true;
  item->finished_at = clock::now();
  item->run = nullptr;
  item->owner.reset();
  call_then(lock, *item);
  for (const item_ptr& next : std::exchange(item->followers, {})) release(lock, next);
  wake_waiters(*item);
}

void wait(driver_lock& lock, const std::vector<item_ptr>& items) {
  flush_submissions(lock);
  waiter self;
  for (const item_ptr& item : items) {
    if (item == nullptr || item->finished) continue;
    require(inside_host_call() == host_call_kind::none, CUDA_ERROR_NOT_PERMITTED);
    item->waiters.push_back(&self);
    ++self.missing;
  }
  self.changed.wait(lock.native(), [&] { return self.missing == 0; });
  publish_pending();
}

void wait(driver_lock& lock, const item_ptr& item) { wait(lock, std::vector<item_ptr>{item}); }

void claim(driver_lock& lock, const item_ptr& item) {
  flush_submissions(lock);
  waiter self;
  if (item->missing > 0) {
    item->claimer = &self;
    self.missing = 1;
  }
  self.changed.wait(lock.native(), [&] { return self.missing == 0; });
  item->claimer = nullptr;
  lock.unlock();
  publish_pending();
  item->run();
  lock.lock();
  finish(lock, item);
}

bool reported_finished(driver_lock& lock, const item_ptr& item) {
  flush_submissions(lock);
  if (item == nullptr) return true;
  if (!item->finished) return false;
  if (active(variant::spurious_not_ready) &&
      clock::now() - item->finished_at < spurious_not_ready_time) {
    return false;
  }
  publish_pending();
  return true;
}

}  // namespace streamcts::reference
