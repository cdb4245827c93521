// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream order and the implicit edges of the legacy default stream.

#include "harness/reference/stream.h"

#include <algorithm>

#include "harness/reference/capture.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"

namespace streamcts::reference {
namespace {

bool takes_part_in_legacy_order(const stream& s) {
  return s.kind != stream_kind::legacy &&
         (s.blocking() || active(variant::legacy_syncs_non_blocking));
}

// ST-DEF-001, -002: an action of the legacy stream is behind all work of the context's blocking
// streams, and work of blocking streams is behind the last action of the legacy stream.
void order_by_legacy_stream(driver_lock& lock, const context& c, const stream& s,
                            const item_ptr& item) {
  if (s.kind == stream_kind::legacy) {
    for (const stream_ptr& other : c.streams) {
      if (takes_part_in_legacy_order(*other)) order(lock, other->last, item);
    }
  } else if (takes_part_in_legacy_order(s)) {
    order(lock, c.legacy->last_action, item);
  }
}

stream_ptr per_thread_stream(driver_lock& lock, const std::shared_ptr<context>& c) {
  stream_ptr& mine = c->per_thread[thread_number()];
  if (mine == nullptr) {
    mine = create_stream(lock, c, stream_kind::per_thread, CU_STREAM_DEFAULT, least_priority);
  }
  return mine;
}

}  // namespace

stream_table& streams() {
  static stream_table& only = *new stream_table;
  return only;
}

stream_ptr find_stream(driver_lock& lock, CUstream handle, default_stream mode) {
  if (handle == nullptr) {
    handle = mode == default_stream::legacy ? CU_STREAM_LEGACY : CU_STREAM_PER_THREAD;
  }
  constexpr bool even_if_faulted = true;
  if (handle == CU_STREAM_LEGACY) return current_context(lock, even_if_faulted)->legacy;
  if (handle == CU_STREAM_PER_THREAD) {
    return per_thread_stream(lock, current_context(lock, even_if_faulted));
  }
  return streams().get(handle);
}

stream_ptr stream_for_use(driver_lock& lock, CUstream handle, default_stream mode) {
  stream_ptr s = find_stream(lock, handle, mode);
  require(fault() == CUDA_SUCCESS, fault());
  refuse_legacy_use_during_capture(lock, *s);
  return s;
}

stream_ptr create_stream(driver_lock&, const std::shared_ptr<context>& c, stream_kind kind,
                         unsigned flags, int priority) {
  static unsigned long long last_id = 0;
  auto s = std::make_shared<stream>();
  s->owner = c;
  s->kind = kind;
  s->flags = flags;
  s->priority = std::clamp(priority, greatest_priority, least_priority);
  s->id = ++last_id;
  if (kind == stream_kind::created) s->handle = streams().insert(s);
  c->streams.push_back(s);
  return s;
}

void enqueue(driver_lock& lock, stream& s, const item_ptr& item, bool is_action) {
  const std::shared_ptr<context> c = s.owner.lock();
  order(lock, s.last, item);
  order(lock, c->barrier, item);
  order_by_legacy_stream(lock, *c, s, item);
  s.last = item;
  if (is_action) s.last_action = item;
  submit(lock, item);
}

std::vector<item_ptr> queried_by(driver_lock&, const stream& s) {
  std::vector<item_ptr> items{s.last};
  // Whether synchronizing the legacy stream covers the blocking streams is not documented.
  if (s.kind == stream_kind::legacy && !active(variant::weak_scheduler)) {
    for (const stream_ptr& other : s.owner.lock()->streams) {
      if (takes_part_in_legacy_order(*other)) items.push_back(other->last);
    }
  }
  return items;
}

std::vector<item_ptr> synchronized_by(driver_lock& lock, const stream& s) {
  if (active(variant::wait_covers_more)) return frontier(lock, *s.owner.lock());
  return queried_by(lock, s);
}

}  // namespace streamcts::reference
