// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host call holds back in another stream, one that waits for an event recorded behind it.

#include "conformance/axes.h"
#include "conformance/callback/later_work.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

using driver::stream_kind;

axis from_streams() {
  return make_axis<stream_kind>("from", {stream_kind::blocking, stream_kind::non_blocking,
                                         stream_kind::null_stream});
}
axis to_streams() {
  return make_axis<stream_kind>("to", {stream_kind::non_blocking, stream_kind::blocking});
}
axis later_works() {
  return make_axis<later>("later", {later::kernel, later::copy_d2h, later::copy_h2d, later::memset,
                                    later::graph, later::callback, later::host_function});
}

std::vector<clause_id> event_clauses(const parameters& values) {
  return {by_host_call(values, clause::CB_BLOCK_006, clause::HF_BLOCK_002)};
}

std::vector<need> event_needs(const parameters& values) {
  return needs_of_later(values.get<later>("later"));
}

// Promise:   CB-BLOCK-006, HF-BLOCK-002. Work and host calls of another stream that waits for an event
//            recorded behind a host call do not start before that host call has returned.
// Defect:    waits between streams look at the progress of the device and pass over the host call. It
//            finds the later work's pattern in place of the sentinel, or the later work delivers what
//            the token was before the host call filled it.
// Any speed: the host call is held until the other stream had its chance. The event is recorded anew in
//            each round, so that from the second on it has been complete before.
STREAMCTS_CASE(blocks_other_stream, {.arrangement = "callback/blocks_other_stream",
                                     .clauses = {clause::CB_BLOCK_006, clause::HF_BLOCK_002},
                                     .clauses_of = event_clauses,
                                     .axes = {host_calls(), from_streams(), to_streams(),
                                              later_works()},
                                     .needs = {need::device_gate, need::host_gate},
                                     .needs_of = event_needs}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& from = scene.stream(context.get<stream_kind>("from"));
  lane& to = scene.stream(context.get<stream_kind>("to"));
  mark& done = scene.event();
  later_work next(context, scene, context.get<later>("later"), 512);
  while (scene.next_round(context.by_tier(2, 3, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    next.prepare(held);
    scene.hold_call(from, held, [&] {
      scene.record(done, from);
      scene.wait(to, done);
      next.enqueue(to);
    });
    scene.drain();
    next.expect_blocked(promise, held);
  }
}

// Promise:   CB-BLOCK-006, HF-BLOCK-002. The same through a third stream that has no work of its own.
// Defect:    a record takes over what its stream was told to wait for only where there is work between.
//            The host call finds the kernel's pattern in place of the sentinel.
// Any speed: the host call is held until the other streams had their chance.
STREAMCTS_CASE(blocks_through_third, {.arrangement = "callback/blocks_through_third",
                                      .clauses = {clause::CB_BLOCK_006, clause::HF_BLOCK_002},
                                      .clauses_of = event_clauses,
                                      .axes = {host_calls()},
                                      .needs = {need::device_gate, need::host_gate,
                                                need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& from = scene.stream(stream_kind::blocking);
  lane& between = scene.stream(stream_kind::non_blocking);
  lane& to = scene.stream(stream_kind::blocking);
  mark& first = scene.event();
  mark& second = scene.event();
  later_work next(context, scene, later::kernel, 512);
  while (scene.next_round(context.by_tier(2, 3, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    next.prepare(held);
    scene.hold_call(from, held, [&] {
      scene.record(first, from);
      scene.wait(between, first);
      scene.record(second, between);
      scene.wait(to, second);
      next.enqueue(to);
    });
    scene.drain();
    next.expect_blocked(promise, held);
  }
}

}  // namespace
}  // namespace streamcts
