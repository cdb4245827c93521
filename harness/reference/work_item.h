// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The semantics in one sentence: an item starts when every item that it is ordered behind has
// finished. Streams, events, the legacy stream, graphs and synchronization only add such orderings:
//
//   stream        the item is behind the last item of its stream                     stream.cpp
//   legacy stream an action is behind all blocking streams, and they behind it       stream.cpp
//   event         a record is a marker in the stream; the event points to it         event.cpp
//   wait          a marker behind the stream and behind the event's present marker   event.cpp
//   graph launch  an item a node, between an entry marker and an exit marker         graph_launch.cpp
//   synchronize   the calling thread waits for the last items                        scheduler.cpp

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "harness/reference/cuda_api.h"

namespace streamcts::reference {

struct context;
using clock = std::chrono::steady_clock;

/// The lock over all state of the driver. A function that takes one by reference needs it held.
/// Released while device work, host calls and waiting threads run.
class driver_lock {
 public:
  driver_lock() : lock_(mutex()) {}
  void unlock() { lock_.unlock(); }
  void lock() { lock_.lock(); }
  std::unique_lock<std::mutex>& native() { return lock_; }
  static std::mutex& mutex();

 private:
  std::unique_lock<std::mutex> lock_;
};

/// A thread inside a synchronizing call.
struct waiter {
  std::condition_variable changed;
  std::size_t missing = 0;
};

/// Who runs an item once it may start.
enum class executor {
  nobody,  ///< a marker: finished as soon as it may start
  device,  ///< a thread of the worker pool
  poller,  ///< a thread of the worker pool too; only waits for memory, occupies no device
  host,    ///< the host-call thread of the context
  caller,  ///< the thread that enqueued it, waiting in claim()
};

/// A piece of work in stream order. Fields are guarded by the driver lock, except `run`, which is
/// called once, without it, by the executor.
struct work_item {
  executor by = executor::nobody;
  std::shared_ptr<context> owner;
  std::function<void()> run;
  std::function<void(driver_lock&)> then;  ///< called with the lock when it has finished
  std::uint64_t number = 0;  ///< place in the order of all enqueuing calls
  std::size_t missing = 1;   ///< unfinished items in front, plus one until submitted
  bool finished = false;
  clock::time_point ready_at{};
  clock::time_point finished_at{};
  std::vector<std::shared_ptr<work_item>> followers;
  std::vector<waiter*> waiters;
  waiter* claimer = nullptr;  ///< for executor::caller, the thread in claim()
};
using item_ptr = std::shared_ptr<work_item>;

}  // namespace streamcts::reference
