// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/gatekeeper.h"

namespace streamcts {

namespace {

using clock = std::chrono::steady_clock;

/// Waits until @p done or until @p limit has passed. @return whether it was done.
template <typename Done>
bool wait_for(clock::duration limit, Done done) {
  const auto start = clock::now();
  for (unsigned step = 0; !done(); ++step) {
    if (clock::now() - start > limit) return done();
    relax_thread(step);
  }
  return true;
}

}  // namespace

std::string_view name(hold_result result) {
  switch (result) {
    case hold_result::pending: return "pending";
    case hold_result::canary: return "canary";
    case hold_result::calibrated: return "calibrated";
    case hold_result::enqueue_blocked: return "an enqueuing call waited for the gate";
    case hold_result::never_begun: return "the host call to be held did not start";
    case hold_result::expired: return "the gate expired";
    case hold_result::abandoned: return "the hold was abandoned";
  }
  return "unknown";
}

gatekeeper::gatekeeper(const calibration& limits) : limits_(limits), thread_([this] { run(); }) {}

gatekeeper::~gatekeeper() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void gatekeeper::watch(hold_order& order) {
  {
    std::lock_guard lock(mutex_);
    order_ = &order;
  }
  changed_.notify_all();
}

hold_result gatekeeper::finish(hold_order& order) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return order.result.load() != hold_result::pending; });
  return order.result.load();
}

void gatekeeper::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || order_ != nullptr; });
    if (order_ == nullptr) return;
    hold_order& order = *order_;
    lock.unlock();
    hold_result result = attend(order);
    for (gate* each : {order.front, order.canary_gate}) {
      if (each != nullptr) each->open();
    }
    // A gate that ended by itself held nothing towards the end, whatever was seen.
    if (!order.victim->open()) result = hold_result::expired;
    lock.lock();
    order_ = nullptr;
    order.result.store(result);
    changed_.notify_all();
  }
}

hold_result gatekeeper::attend(hold_order& order) const {
  const bool enqueued = wait_for(limits_.enqueue_cap(), [&] {
    return order.all_enqueued.load() || order.abandon.load();
  });
  if (order.abandon.load()) return hold_result::abandoned;
  if (!enqueued) return hold_result::enqueue_blocked;
  if (limits_.holds != hold_kind::gates) {
    // The gates end by themselves, up to three of them one after the other; what does not (a value
    // wait) is opened in the end. Either way it is no opportunity.
    wait_for(4 * limits_.delay(1), [&] { return order.victim->now() != gate::state::shut; });
    return hold_result::expired;
  }
  if (order.front != nullptr) order.front->open();
  if (order.front != nullptr || order.canary_gate != nullptr) {
    if (!wait_for(limits_.enqueue_cap(), [&] { return order.victim->begun(); })) {
      return hold_result::never_begun;
    }
    if (order.canary_gate != nullptr) order.canary_gate->open();
  }
  return await_canary(order);
}

hold_result gatekeeper::await_canary(hold_order& order) const {
  const auto start = clock::now();
  const auto stay = [&](clock::duration limit) { wait_for(limit, [] { return false; }); };
  const bool ran = order.canary_ran && wait_for(limits_.hold(), order.canary_ran);
  // A missing canary means less opportunity, not a defect: callbacks may be serialised.
  if (ran) stay(limits_.margin());
  else if (!order.canary_ran) stay(limits_.hold());
  if (const auto held = clock::now() - start; held < order.at_least) stay(order.at_least - held);
  return ran ? hold_result::canary : hold_result::calibrated;
}

}  // namespace streamcts
