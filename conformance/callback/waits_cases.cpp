// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host calls are work of their stream: whatever asks or waits for that work covers them.

#include <fmt/format.h>

#include <array>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

/// How the host asks or waits.
enum class wait { stream_query, stream_synchronize, context_synchronize, event_query,
                  event_synchronize };
std::string_view name(wait what) {
  switch (what) {
    case wait::stream_query: return "stream_query";
    case wait::stream_synchronize: return "stream_synchronize";
    case wait::context_synchronize: return "context_synchronize";
    case wait::event_query: return "event_query";
    case wait::event_synchronize: return "event_synchronize";
  }
  return "unknown";
}

bool by_event(wait what) { return what == wait::event_query || what == wait::event_synchronize; }

axis waits() {
  return make_axis<wait>("wait", {wait::stream_query, wait::stream_synchronize,
                                  wait::context_synchronize, wait::event_query,
                                  wait::event_synchronize});
}

clause_id wait_clause(host_call call, wait how) {
  if (call == host_call::launch_host_func) return clause::HF_BLOCK_002;
  if (by_event(how)) return clause::CB_BLOCK_003;
  return how == wait::stream_query ? clause::CB_BLOCK_004 : clause::CB_BLOCK_005;
}

std::vector<clause_id> wait_clauses(const parameters& values) {
  return {wait_clause(values.get<host_call>("host_call"), values.get<wait>("wait"))};
}

/// The wait of a round; @p last is recorded in front of it where it is a wait for an event.
host_wait& begin_wait(case_context& context, arrangement& scene, wait how, lane& on, mark& last) {
  if (by_event(how)) scene.record(last, on);
  switch (how) {
    case wait::stream_query: return scene.poll(on);
    case wait::stream_synchronize: return scene.synchronize(on);
    case wait::event_query: return scene.poll(last);
    case wait::event_synchronize: return scene.synchronize(last);
    case wait::context_synchronize: break;
  }
  return scene.host_wait(scene.host_after(on, "cuCtxSynchronize"),
                         [&cuda = context.cuda()] { return cuda.cuCtxSynchronize(); });
}

/// Ordinary host memory that a host call fills and the waiting thread reads, both by plain accesses.
struct note_paper {
  static constexpr std::size_t words = 512;
  std::array<std::uint64_t, words> written{};
  std::array<std::uint64_t, words> read{};
  kernels::pattern expected{};

  /// Has @p by fill the paper as its last act.
  void prepare(std::uint64_t epoch, observer& by) {
    expected = kernels::ramp(epoch);
    fill_with_sentinel(written);
    fill_with_sentinel(read);
    by.finally([this] { fill_with_pattern(written, expected); });
  }
};

/// Has @p by read the paper as soon as it has returned. The copy comes before any question whether the
/// host call has ended: a positive answer would order the two by itself.
void read_after(host_wait& by, note_paper& paper) {
  by.then([&paper] { paper.read = paper.written; });
}

void expect_passed_on(arrangement& scene, clause_id promise, const note_paper& paper,
                      const observer& held, const host_wait& by) {
  scene.expect_covered(promise, held.op(), by);
  if (!by.returned()) return;
  const sighting seen = look(paper.read, paper.expected, {kernels::sentinel, 0});
  scene.expect(promise, held.op(), by.op(), kind_of(seen, by.victim()), seen, IsComplete());
}

// Promise:   CB-BLOCK-003, CB-BLOCK-004, CB-BLOCK-005, HF-BLOCK-002. Neither a query succeeds nor does a
//            synchronize return, of the stream, the context or an event recorded behind the host call,
//            before the host call has returned; then its ordinary writes are there for the caller.
// Defect:    they look at the progress of the device and forget host calls. The call comes back while the
//            host call is held, and reads the sentinel in what the host call writes last.
// Any speed: the host call is held inside itself until the call had its chance; a call that returns
//            meanwhile has returned too early, however fast either is.
STREAMCTS_CASE(covered_by, {.arrangement = "callback/covered_by",
                            .clauses = {clause::CB_BLOCK_003, clause::CB_BLOCK_004,
                                        clause::CB_BLOCK_005, clause::HF_BLOCK_002},
                            .clauses_of = wait_clauses,
                            .axes = {host_calls(), streams(), waits()},
                            .needs = {need::device_gate, need::host_gate}}) {
  const clause_id promise = context.instance().clauses.front();
  const wait how = context.get<wait>("wait");
  note_paper paper;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  mark& last = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    paper.prepare(context.next_epoch(), held);
    host_wait* by = nullptr;
    scene.hold_call(stream, held, [&] {
      by = &begin_wait(context, scene, how, stream, last);
      read_after(*by, paper);
    });
    scene.drain();
    expect_passed_on(scene, promise, paper, held, *by);
  }
}

std::vector<clause_id> context_clauses(const parameters& values) {
  return {by_host_call(values, clause::CB_BLOCK_005, clause::HF_BLOCK_002)};
}

// Promise:   CB-BLOCK-005, HF-BLOCK-002. Synchronizing the context covers the host calls of all its
//            streams, also where a host call is the only thing in a stream.
// Defect:    streams without work of the device are passed over, or non-blocking ones, or all but some.
//            The call returns while a host call is held, and reads the sentinel.
// Any speed: the host call of each stream is the held one in some round.
STREAMCTS_CASE(context_covers_all, {.arrangement = "callback/context_covers_all",
                                    .clauses = {clause::CB_BLOCK_005, clause::HF_BLOCK_002},
                                    .clauses_of = context_clauses,
                                    .axes = {host_calls()},
                                    .needs = {need::device_gate, need::host_gate}}) {
  constexpr std::size_t lanes = 8;
  const clause_id promise = context.instance().clauses.front();
  note_paper paper;
  arrangement scene(context);
  std::vector<lane*> streams;
  for (std::size_t i = 0; i < lanes; ++i) {
    streams.push_back(&scene.stream(i % 2 == 0 ? driver::stream_kind::blocking
                                               : driver::stream_kind::non_blocking));
  }
  for (std::size_t round = 0; scene.next_round(context.by_tier(lanes, lanes, 8 * lanes)); ++round) {
    observer& held = scene.host_call(host_call_of(context));
    paper.prepare(context.next_epoch(), held);
    std::vector<observer*> others;
    for (std::size_t i = 1; i < lanes; ++i) others.push_back(&scene.host_call(held.call()));
    lane& victim = *streams[round % lanes];
    host_wait* by = nullptr;
    scene.hold_call(victim, held, [&] {
      auto other = others.begin();
      for (lane* each : streams) {
        if (each != &victim) scene.enqueue(*each, **other++);
      }
      by = &scene.host_wait(scene.host_after(victim, "cuCtxSynchronize"),
                            [&cuda = context.cuda()] { return cuda.cuCtxSynchronize(); });
      read_after(*by, paper);
    });
    scene.drain();
    expect_passed_on(scene, promise, paper, held, *by);
  }
}

}  // namespace
}  // namespace streamcts
