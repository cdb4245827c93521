// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The threads that stand for the device. A few run work; kernels that wait for memory (gates) don't
// count, and another thread takes their place, so that any number of closed gates leaves the rest
// of the streams running, up to `most_threads`. Threads are kept and used again.

#pragma once

#include <atomic>
#include <deque>

#include "harness/reference/work_item.h"

namespace streamcts::reference {

class worker_pool {
 public:
  static constexpr unsigned most_threads = 512;

  /// @p item may start.
  void add(driver_lock& lock, item_ptr item);
  /// Something that kept items from starting is over.
  void wake(driver_lock& lock);

  /// Called by a worker, without the lock, between two looks at memory that its kernel waits for.
  /// Returns after a short while. @p polls counts the looks of this kernel.
  void poll_pause(unsigned polls);

  unsigned threads(driver_lock&) const { return threads_; }

 private:
  void serve();
  item_ptr take(driver_lock& lock);
  bool may_start(driver_lock& lock, const work_item& item) const;
  void run(driver_lock& lock, const item_ptr& item);
  unsigned limit() const;

  std::deque<item_ptr> ready_;
  std::condition_variable idle_;
  unsigned threads_ = 0;
  unsigned idle_threads_ = 0;  ///< asleep and not yet told to wake
  unsigned wakes_ = 0;         ///< told to wake, still asleep
  unsigned looking_ = 0;       ///< about to take an item
  unsigned busy_ = 0;          ///< running an item that does not wait
  unsigned device_items_ = 0;  ///< device items begun and not ended, waiting ones included
  std::atomic<unsigned> waiting_{0};
};

worker_pool& workers();

}  // namespace streamcts::reference
