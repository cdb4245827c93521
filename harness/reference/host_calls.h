// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host calls: stream callbacks, host functions and host nodes. A context has one thread for them,
// so that two of them never run at once; they are independent of the device's threads.

#pragma once

#include <deque>
#include <memory>

#include "harness/reference/work_item.h"

namespace streamcts::reference {

/// What the calling thread is inside of.
enum class host_call_kind { none, callback, function };
host_call_kind inside_host_call();

/// Marks the calling thread as inside a host call for its lifetime.
class host_call_scope {
 public:
  explicit host_call_scope(host_call_kind kind);
  ~host_call_scope();
  host_call_scope(const host_call_scope&) = delete;

 private:
  host_call_kind previous_;
};

/// Host calls of one context that may start, and the thread that runs them. The thread starts with
/// the first call.
class host_call_queue : public std::enable_shared_from_this<host_call_queue> {
 public:
  void add(driver_lock& lock, item_ptr item);
  /// Ends the thread once the queue is empty.
  void close(driver_lock&);

 private:
  void serve();
  item_ptr next(driver_lock& lock);
  void run(driver_lock& lock, const item_ptr& item);

  std::deque<item_ptr> ready_;
  std::condition_variable changed_;
  bool serving_ = false;
  bool closed_ = false;
};

/// Host calls that run now, in all contexts.
unsigned running_host_calls(driver_lock&);

}  // namespace streamcts::reference
