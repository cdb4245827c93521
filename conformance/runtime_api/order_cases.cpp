// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host calls of the runtime API: what they come after, what they hold back, how often they run and what
// they are given. Streams, events, kernels and copies go by the runtime too.

#include <vector>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "conformance/runtime_api/judged.h"

namespace streamcts {
namespace {

using driver::stream_kind;

/// What the runtime can put in without a memset of words.
axis runtime_producers() {
  return make_axis<producer>("producer", {producer::kernel, producer::copy});
}
axis runtime_memories() {
  return make_axis<memory_kind>("memory",
                                {memory_kind::mapped, memory_kind::managed, memory_kind::copied});
}

std::vector<clause_id> after_work_clauses(const parameters& values) {
  const bool copy_in_front = values.get<producer>("producer") == producer::copy ||
                             values.get<memory_kind>("memory") == memory_kind::copied;
  return {by_host_call(values, copy_in_front ? clause::CB_ORDER_002 : clause::CB_ORDER_001,
                       clause::HF_ORDER_001)};
}

// Promise:   CB-ORDER-001, CB-ORDER-002, HF-ORDER-001, through cudaStreamAddCallback and
//            cudaLaunchHostFunc. A host call starts after the kernels and copies in front of it.
// Defect:    the runtime's entry points take a path of their own that heeds no order. The host call finds
//            the sentinel.
// Any speed: the work is held until the host call had its chance.
STREAMCTS_CASE(after_work, {.arrangement = "runtime_api/after_work",
                            .clauses = {clause::CB_ORDER_001, clause::CB_ORDER_002,
                                        clause::HF_ORDER_001},
                            .clauses_of = after_work_clauses,
                            .axes = {host_calls(), runtime_streams(), runtime_producers(),
                                     runtime_memories()},
                            .needs = {need::runtime, need::device_gate},
                            .needs_of = needs_of_memory}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), api::runtime);
  product& out = scene.buffer(memory_of(context), producer_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

// Promise:   CB-BLOCK-001, HF-BLOCK-001, through the runtime. A kernel behind a host call does not start
//            before the host call has returned.
// Defect:    the stream goes on when the host call begins. The host call finds the kernel's mark.
// Any speed: the host call is held inside itself until the kernel had its chance.
STREAMCTS_CASE(holds_back, {.arrangement = "runtime_api/holds_back",
                            .clauses = {clause::CB_BLOCK_001, clause::HF_BLOCK_001},
                            .clauses_of = [](const parameters& values) {
                              return std::vector{by_host_call(values, clause::CB_BLOCK_001,
                                                              clause::HF_BLOCK_001)};
                            },
                            .axes = {host_calls(), runtime_streams()},
                            .needs = {need::runtime, need::device_gate, need::host_gate,
                                      need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), api::runtime);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    const control_word marker = scene.marker();
    held.watches(marker);
    operation behind{};
    scene.hold_call(stream, held, [&] { behind = scene.signal(stream, marker); });
    scene.drain();
    scene.expect_blocked(promise, held, behind);
  }
}

std::vector<clause_id> turn_clauses(const parameters& values) {
  return {by_host_call(values, clause::CB_ORDER_004, clause::HF_ORDER_002)};
}

// Promise:   CB-ORDER-004, HF-ORDER-002, through the runtime. The host calls of a stream run one at a time,
//            in the order in which they were put in; with callbacks and host functions in turn, in their
//            common order.
// Defect:    each host call gets a thread of its own. A later one begins, by its stamp, before the one in
//            front of it has ended.
// Any speed: the first is held inside itself until the others had their chance; stamps are drawn from one
//            counter.
STREAMCTS_CASE(in_turn, {.arrangement = "runtime_api/in_turn",
                         .clauses = {clause::CB_ORDER_004, clause::HF_ORDER_002},
                         .clauses_of = turn_clauses,
                         .axes = {host_calls(), runtime_streams()},
                         .needs = {need::runtime, need::device_gate, need::host_gate,
                                   need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  const bool mixed = host_call_of(context) == host_call::launch_host_func;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), api::runtime);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    std::vector<observer*> calls;
    for (int i = 0; i < 6; ++i) {
      const bool callback = !mixed || i % 2 != 0;
      calls.push_back(&scene.host_call(callback ? host_call::add_callback
                                                : host_call::launch_host_func));
    }
    scene.hold_call(stream, *calls.front(), [&] {
      for (std::size_t i = 1; i < calls.size(); ++i) scene.enqueue(stream, *calls[i]);
    });
    scene.drain();
    expect_in_turn(scene, promise, calls);
  }
}

// Promise:   CB-ONCE-001, HF-ONCE-001, through the runtime. Each call that puts a host call in leads to
//            exactly one execution.
// Defect:    a wrapper enqueues it again when it retries, or drops one. Two executions, or none.
// Any speed: only counts are judged, and once more after work that was put in later.
STREAMCTS_CASE(once, {.arrangement = "runtime_api/once",
                      .clauses = {clause::CB_ONCE_001, clause::HF_ONCE_001},
                      .clauses_of = [](const parameters& values) {
                        return std::vector{by_host_call(values, clause::CB_ONCE_001,
                                                        clause::HF_ONCE_001)};
                      },
                      .axes = {host_calls(), created_runtime_streams()},
                      .needs = {need::runtime, need::mapped_memory},
                      .without_hold = "executions are counted"}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), api::runtime);
  lane& other = scene.stream(stream_of(context), api::runtime);
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    std::vector<observer*> calls;
    for (int i = 0; i < 64; ++i) {
      calls.push_back(&scene.host_call(host_call_of(context)));
      lane& to = i % 3 == 0 ? other : stream;
      scene.enqueue(to, *calls.back());
    }
    scene.drain();
    for (lane* each : {&stream, &other}) {
      context.kernels(api::runtime).delay(each->get(), 100'000);
    }
    scene.drain();
    for (const observer* each : calls) {
      const std::uint32_t times = each->slot().times();
      if (!context.expect(promise, times == 0 ? failure_kind::lost : failure_kind::duplicate,
                          each->name(), times, IsOneExecution())) {
        return;
      }
    }
  }
}

/// Every way to name a stream.
axis all_streams() {
  return make_axis<stream_kind>("stream", {stream_kind::blocking, stream_kind::null_stream,
                                           {stream_kind::non_blocking, tier::standard},
                                           {stream_kind::legacy, tier::standard},
                                           {stream_kind::per_thread, tier::standard}});
}

// Promise:   CB-ARGS-001, CB-STATUS-001, through cudaStreamAddCallback. A callback gets the handle as it was
//            given, and cudaSuccess while no error has occurred.
// Defect:    the runtime hands on a handle of its own, or a code that it did not translate: another handle
//            than the one that was passed, a status other than success.
// Any speed: only what the callback was given is judged.
STREAMCTS_CASE(arguments, {.arrangement = "runtime_api/arguments",
                           .clauses = {clause::CB_ARGS_001, clause::CB_STATUS_001},
                           .axes = {all_streams()},
                           .needs = {need::runtime, need::mapped_memory},
                           .without_hold = "only what the callback was given is judged"}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), api::runtime);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  while (scene.next_round(context.by_tier(3, 5, 50))) {
    observer& call = scene.host_call(host_call::add_callback);
    scene.write(stream, out);
    scene.enqueue(stream, call);
    scene.drain();
    context.expect(clause::CB_ARGS_001, failure_kind::argument, call.name(), call.slot().stream(),
                   IsTheHandle(stream.get()));
    context.expect(clause::CB_STATUS_001, failure_kind::status, call.name(), call.slot().status(),
                   Succeeds());
  }
}

}  // namespace
}  // namespace streamcts
