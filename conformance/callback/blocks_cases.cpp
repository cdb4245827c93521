// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a host call holds back: everything that comes later in its stream.

#include "conformance/axes.h"
#include "conformance/callback/later_work.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

enum class extent { page, middle, large };
std::string_view name(extent what) {
  switch (what) {
    case extent::page: return "4k";
    case extent::middle: return "128k";
    case extent::large: return "8m";
  }
  return "unknown";
}

std::size_t words_of(extent what) {
  switch (what) {
    case extent::page: return std::size_t{4096} / 8;
    case extent::middle: return std::size_t{128} * 1024 / 8;
    case extent::large: return std::size_t{8} * 1024 * 1024 / 8;
  }
  return 0;
}

axis later_works() {
  return make_axis<later>("later", {later::kernel, later::copy_d2h, later::copy_h2d, later::copy_d2d,
                                    later::memset, later::graph, later::callback,
                                    later::host_function, later::write_value});
}

axis extents() {
  return make_axis<extent>("extent", {extent::page, extent::middle, extent::large});
}

clause_id clause_of(host_call call, later what) {
  if (call == host_call::launch_host_func) return clause::HF_BLOCK_001;
  switch (what) {
    case later::kernel: return clause::CB_BLOCK_001;
    case later::callback: return clause::CB_ORDER_004;
    case later::host_function: return clause::HF_ORDER_002;
    default: return clause::CB_BLOCK_002;
  }
}

std::vector<clause_id> blocked_clauses(const parameters& values) {
  return {clause_of(values.get<host_call>("host_call"), values.get<later>("later"))};
}

std::vector<need> blocked_needs(const parameters& values) {
  return needs_of_later(values.get<later>("later"));
}

/// The largest size that makes sense: drivers cut copies alone into pieces.
extent most(later what) {
  switch (what) {
    case later::copy_d2h:
    case later::copy_h2d:
    case later::copy_d2d: return extent::large;
    case later::kernel:
    case later::memset:
    case later::graph: return extent::middle;
    case later::callback:
    case later::host_function:
    case later::write_value: break;
  }
  return extent::page;
}

// The value-writing call is not among what the promise of stream callbacks names.
bool blocked_valid(const parameters& values) {
  const later what = values.get<later>("later");
  if (what == later::write_value &&
      values.get<host_call>("host_call") != host_call::launch_host_func) {
    return false;
  }
  return values.get<extent>("extent") <= most(what);
}

// Promise:   CB-BLOCK-001, CB-BLOCK-002, CB-ORDER-004, HF-BLOCK-001, HF-ORDER-002. What comes after a
//            host call in its stream does not start before the host call has returned.
// Defect:    the stream goes on when the host call begins, or one engine does not wait for it. The
//            host call finds the later work's pattern where the sentinel must still be, or the later
//            work delivers what the token was before the host call filled it.
// Any speed: the host call is held until the later work had its chance. Whatever of it is seen by
//            then has started too early; where nothing is seen, nothing is concluded.
STREAMCTS_CASE(blocks_later, {.arrangement = "callback/blocks_later",
                              .clauses = {clause::CB_BLOCK_001, clause::CB_BLOCK_002,
                                          clause::CB_ORDER_004, clause::HF_BLOCK_001,
                                          clause::HF_ORDER_002},
                              .clauses_of = blocked_clauses,
                              .axes = {host_calls(), streams(), later_works(), extents()},
                              .valid = blocked_valid,
                              .needs = {need::device_gate, need::host_gate},
                              .needs_of = blocked_needs}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  later_work next(context, scene, context.get<later>("later"),
                  words_of(context.get<extent>("extent")));
  while (scene.next_round(context.by_tier(2, 3, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    next.prepare(held);
    scene.hold_call(stream, held, [&] { next.enqueue(stream); });
    scene.drain();
    next.expect_blocked(promise, held);
  }
}

/// How many host calls are pending in front of the one that is held.
enum class ahead { two, sixteen, hundred };
std::string_view name(ahead what) {
  switch (what) {
    case ahead::two: return "third";
    case ahead::sixteen: return "seventeenth";
    case ahead::hundred: return "hundred_and_first";
  }
  return "unknown";
}

int count_of(ahead what) {
  switch (what) {
    case ahead::two: return 2;
    case ahead::sixteen: return 16;
    case ahead::hundred: return 100;
  }
  return 0;
}

std::vector<clause_id> kernel_clauses(const parameters& values) {
  return {by_host_call(values, clause::CB_BLOCK_001, clause::HF_BLOCK_001)};
}

// Promise:   CB-BLOCK-001, HF-BLOCK-001. A kernel does not start before the host call in front of it
//            has returned, whichever of many pending host calls that is.
// Defect:    blocking gives out after some host calls, or once a queue of them wraps. The host call
//            finds the kernel's pattern instead of the sentinel.
// Any speed: as callback/blocks_later.
STREAMCTS_CASE(blocks_nth, {.arrangement = "callback/blocks_nth",
                            .clauses = {clause::CB_BLOCK_001, clause::HF_BLOCK_001},
                            .clauses_of = kernel_clauses,
                            .axes = {host_calls(),
                                     make_axis<ahead>("ahead", {ahead::two, ahead::sixteen,
                                                                ahead::hundred})},
                            .needs = {need::device_gate, need::host_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  const int in_front = count_of(context.get<ahead>("ahead"));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  later_work next(context, scene, later::kernel, words_of(extent::page));
  while (scene.next_round(context.by_tier(1, 2, 20))) {
    std::vector<observer*> others;
    for (int i = 0; i < in_front; ++i) others.push_back(&scene.host_call(host_call_of(context)));
    observer& held = scene.host_call(host_call_of(context));
    next.prepare(held);
    scene.hold_call(stream, held, [&] { next.enqueue(stream); },
                    {.before = [&] {
                      for (observer* each : others) scene.enqueue(stream, *each);
                    }});
    scene.drain();
    next.expect_blocked(promise, held);
  }
}

// Promise:   CB-BLOCK-001, HF-BLOCK-001. A host call blocks later work for as long as it runs.
// Defect:    the block lapses after some tens of milliseconds. The host call finds the kernel's
//            pattern instead of the sentinel.
// Any speed: the length of the hold only buys the chance to see it; the verdict is as in
//            callback/blocks_later.
STREAMCTS_CASE(blocks_for_long, {.arrangement = "callback/blocks_for_long",
                                 .clauses = {clause::CB_BLOCK_001, clause::HF_BLOCK_001},
                                 .clauses_of = kernel_clauses,
                                 .axes = {host_calls()},
                                 .needs = {need::device_gate, need::host_gate,
                                           need::mapped_memory}}) {
  using namespace std::chrono_literals;
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  later_work next(context, scene, later::kernel, words_of(extent::page));
  while (scene.next_round(context.by_tier(1, 1, 5))) {
    observer& held = scene.host_call(host_call_of(context));
    next.prepare(held);
    scene.hold_call(stream, held, [&] { next.enqueue(stream); }, {.at_least = 120ms});
    scene.drain();
    next.expect_blocked(promise, held);
  }
}

// Promise:   CB-BLOCK-001, HF-BLOCK-001. The same where the host call is the first thing in its
//            stream and nothing of the device is in front of it.
// Defect:    a host call in an idle stream is handed out at once and the stream forgets it. The host
//            call finds the kernel's pattern instead of the sentinel.
// Any speed: as callback/blocks_later.
STREAMCTS_CASE(blocks_alone, {.arrangement = "callback/blocks_alone",
                              .clauses = {clause::CB_BLOCK_001, clause::HF_BLOCK_001},
                              .clauses_of = kernel_clauses,
                              .axes = {host_calls(), streams()},
                              .needs = {need::device_gate, need::host_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  later_work next(context, scene, later::kernel, words_of(extent::page));
  while (scene.next_round(context.by_tier(2, 3, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    next.prepare(held);
    scene.hold_call(stream, held, [&] { next.enqueue(stream); }, {.behind_gate = false});
    scene.drain();
    next.expect_blocked(promise, held);
  }
}

}  // namespace
}  // namespace streamcts
