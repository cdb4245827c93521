// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/neighbours.h"

namespace streamcts::faults {

std::shared_ptr<neighbours::call> neighbours::follow(const operation& op) {
  clock_.tick(op);
  std::shared_ptr<call> made;
  if (op.call) {
    made = std::make_shared<call>();
    made->original = *op.call;
    made->handle = op.stream.handle;
    made->thread = thread_number();
  }
  const unsigned long long now = clock_.now(op.stream);
  positions_.with(op.stream.key(), [&](position& p) {
    if (made && p.last && p.stamp == now) {
      const std::lock_guard lock(p.last->mutex);
      p.last->next = made;
    }
    p = {made, now};
  });
  return made;
}

bool neighbours::begin(call& c) {
  const std::lock_guard lock(c.mutex);
  const bool first = !c.spent;
  c.spent = true;
  return first;
}

void neighbours::invoke(const call& c, const host_run& run) {
  host_run other = run;
  other.original = c.original;
  other.shown = c.handle;
  other.call();
}

}  // namespace streamcts::faults
