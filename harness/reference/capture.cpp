// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/capture.h"

#include <algorithm>
#include <set>

#include "harness/reference/graph_memory.h"

namespace streamcts::reference {
namespace {

std::vector<std::shared_ptr<capture_session>>& sessions() {
  static auto& only = *new std::vector<std::shared_ptr<capture_session>>;
  return only;
}

[[noreturn]] void invalidate_and_refuse(capture_session& session, CUresult code) {
  if (session.invalidated) refuse(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  session.invalidated = true;
  refuse(code);
}

// A session that is no longer valid refuses everything but its end.
capture_session& valid(stream& s) {
  require(!s.capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  return *s.capture;
}

void add_each(std::vector<node_ptr>& to, const std::vector<node_ptr>& more) {
  for (const node_ptr& n : more) {
    if (std::ranges::find(to, n) == to.end()) to.push_back(n);
  }
}

// Everything that the nodes in `last` are behind, and they themselves.
std::set<node_ptr> covered_by(const std::vector<node_ptr>& last) {
  std::set<node_ptr> covered;
  std::vector<node_ptr> open = last;
  while (!open.empty()) {
    const node_ptr n = open.back();
    open.pop_back();
    if (!covered.insert(n).second) continue;
    open.insert(open.end(), n->behind.begin(), n->behind.end());
  }
  return covered;
}

bool all_joined(const capture_session& session) {
  const std::set<node_ptr> covered = covered_by(session.origin->captured);
  for (const stream_ptr& member : session.members) {
    for (const node_ptr& n : member->captured) {
      if (!covered.contains(n)) return false;
    }
  }
  return true;
}

void close(driver_lock& lock, capture_session& session, bool keep_graph) {
  session.ended = true;
  if (!keep_graph && session.own_graph) destroy_graph(lock, *session.target);
  for (const stream_ptr& member : std::exchange(session.members, {})) {
    member->captured.clear();
    member->capture.reset();
  }
  std::erase_if(sessions(), [](const auto& s) { return s->ended; });
}

void join(const std::shared_ptr<capture_session>& session, const stream_ptr& s) {
  s->capture = session;
  session->members.push_back(s);
}

}  // namespace

void begin_capture(driver_lock& lock, const stream_ptr& s, CUstreamCaptureMode mode,
                   const graph_ptr& target, std::vector<node_ptr> behind) {
  static unsigned long long last_id = 0;
  require(s->kind != stream_kind::legacy, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  require(s->capture == nullptr, CUDA_ERROR_ILLEGAL_STATE);
  auto session = std::make_shared<capture_session>();
  session->id = ++last_id;
  session->mode = mode;
  session->thread = thread_number();
  session->origin = s.get();
  session->own_graph = target == nullptr;
  session->target = target == nullptr ? create_graph(lock) : target;
  join(session, s);
  s->captured = std::move(behind);
  sessions().push_back(session);
}

graph_ptr end_capture(driver_lock& lock, stream& s) {
  require(s.capture != nullptr, CUDA_ERROR_ILLEGAL_STATE);
  const std::shared_ptr<capture_session> session = s.capture;
  require(session->mode == CU_STREAM_CAPTURE_MODE_RELAXED || session->thread == thread_number(),
          CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  require(session->origin == &s, CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  const bool invalidated = session->invalidated;
  const bool joined = all_joined(*session);
  close(lock, *session, !invalidated && joined);
  require(!invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  require(joined, CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
  return session->target;
}

CUstreamCaptureMode& thread_capture_mode() {
  thread_local CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  return mode;
}

bool capture_operation(driver_lock& lock, stream& s, const operation& o) {
  if (s.capture == nullptr) return false;
  capture_session& session = valid(s);
  s.captured = {add_node(lock, *session.target, o, s.captured)};
  return true;
}

allocation_ptr capture_allocation(driver_lock& lock, stream& s, std::size_t bytes) {
  valid(s);
  allocate_operation o{allocate_for_graph(lock, bytes), {}};
  o.described.bytesize = bytes;
  o.described.dptr = o.memory->device;
  capture_operation(lock, s, o);
  return o.memory;
}

void capture_free(driver_lock& lock, stream& s, CUdeviceptr address) {
  valid(s);
  const allocation_ptr a = memory::find_device(address);
  require(a != nullptr && a->graph_owned && a->device == address);
  capture_operation(lock, s, free_operation{a});
}

void refuse_legacy_use_during_capture(driver_lock&, const stream& s, bool query) {
  if (s.kind != stream_kind::legacy) return;
  for (const stream_ptr& other : s.owner.lock()->streams) {
    if (other->capture == nullptr || !other->blocking()) continue;
    if (!query) other->capture->invalidated = true;
    refuse(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
}

void refuse_synchronization_during_capture(driver_lock& lock, stream& s) {
  refuse_uncapturable(lock, s);
}

void refuse_synchronization_during_capture(driver_lock& lock, context& c) {
  for (const stream_ptr& s : c.streams) refuse_uncapturable(lock, *s);
}

void refuse_uncapturable(driver_lock&, stream& s) {
  if (s.capture == nullptr) return;
  invalidate_and_refuse(*s.capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

void refuse_unsafe_during_capture(driver_lock&) {
  const CUstreamCaptureMode mine = thread_capture_mode();
  if (mine == CU_STREAM_CAPTURE_MODE_RELAXED) return;
  for (const auto& session : sessions()) {
    if (session->mode == CU_STREAM_CAPTURE_MODE_RELAXED) continue;
    const bool own = session->thread == thread_number();
    const bool global = session->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                        mine == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (own || global) {
      invalidate_and_refuse(*session, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
  }
}

void end_capture_of_destroyed_stream(driver_lock& lock, stream& s) {
  if (s.capture == nullptr) return;
  const std::shared_ptr<capture_session> session = s.capture;
  session->invalidated = true;
  if (session->origin == &s) return close(lock, *session, false);
  std::erase_if(session->members, [&](const stream_ptr& member) { return member.get() == &s; });
  s.capture.reset();
}

void refuse_captured_event(driver_lock&, event& e) {
  if (e.capture == nullptr) return;
  if (!e.capture->ended) e.capture->invalidated = true;
  refuse(CUDA_ERROR_CAPTURED_EVENT);
}

bool capture_record(driver_lock& lock, const event_ptr& e, stream& s, bool external) {
  if (s.capture == nullptr) return false;
  valid(s);
  require(e->owner.lock() == s.owner.lock(), CUDA_ERROR_INVALID_HANDLE);
  if (external) return capture_operation(lock, s, event_record_operation{e});
  e->capture = s.capture;
  e->captured = s.captured;
  return true;
}

bool capture_wait(driver_lock& lock, const stream_ptr& s, const event_ptr& e, bool external) {
  if (s->capture != nullptr) {
    capture_session& session = valid(*s);
    if (external) return capture_operation(lock, *s, event_wait_operation{e});
    if (e->capture == nullptr && !e->recorded) return true;  // stands for nothing
    if (e->capture != s->capture) {
      const bool other_capture = e->capture != nullptr && !e->capture->ended;
      if (other_capture) e->capture->invalidated = true;
      invalidate_and_refuse(session, other_capture ? CUDA_ERROR_STREAM_CAPTURE_MERGE
                                                   : CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    }
    add_each(s->captured, e->captured);
    return true;
  }
  if (e->capture == nullptr || external) return false;
  require(!e->capture->ended, CUDA_ERROR_CAPTURED_EVENT);
  require(!e->capture->invalidated, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  if (s->kind == stream_kind::legacy) {
    invalidate_and_refuse(*e->capture, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  }
  join(e->capture, s);
  s->captured = e->captured;
  return true;
}

}  // namespace streamcts::reference
