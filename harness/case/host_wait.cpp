// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/case/host_wait.h"

#include <utility>

#include "harness/case/host_thread.h"
#include "harness/driver/poll.h"

namespace streamcts {

host_wait::host_wait(std::string name, operation op, std::function<CUresult()> call)
    : name_(std::move(name)), op_(op), call_(std::move(call)) {}

// A call that never returned may still do so: then it must not touch what is gone.
host_wait::~host_wait() { seen_->abandoned.store(true); }

void host_wait::sight::look(const gate* held) {
  victim = held != nullptr ? held->now() : gate::state::opened;
  if (awaited != nullptr) call_ended = awaited->ended();
  for (glance& each : glances) {
    each.victim = victim;
    each.seen = each.at->data.look();
  }
  if (action) action();
}

void host_wait::begin(host_thread& by, const gate* victim, std::chrono::nanoseconds limit) {
  begun_ = true;
  by.start([own = seen_, call = call_, victim] {
    own->calling.store(true);
    own->code = call();
    if (own->abandoned.load()) return;
    own->look(victim);
    own->done.store(true, std::memory_order_release);
  });
  driver::poll(limit, [&] { return seen_->calling.load(); });
}

}  // namespace streamcts
