// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The legacy default stream and blocking streams wait for each other.

#include <array>
#include <deque>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"

namespace streamcts {
namespace {

using driver::stream_kind;

constexpr int blocking_streams = 3;

/// The two handles of the legacy default stream.
axis legacy_handles() {
  return make_axis<stream_kind>("handle", {stream_kind::null_stream, stream_kind::legacy});
}

bool is_host_call(consumer what) {
  return what == consumer::callback || what == consumer::host_function;
}

std::vector<clause_id> clauses_before(const parameters& values) {
  if (is_host_call(values.get<consumer>("consumer"))) return {clause::ST_DEF_003};
  return {clause::ST_DEF_001};
}

// Promise:   ST-DEF-001, ST-DEF-003. An action in the legacy default stream, host calls included, starts
//            only after the earlier work of all blocking streams.
// Defect:    the legacy stream is like any other, or waits for the first blocking stream only, or its host
//            calls do not take part. What it reads is the epoch of the round before.
// Any speed: the work of each blocking stream is held in turn until the action had its chance.
STREAMCTS_CASE(legacy_after_blocking, {.arrangement = "stream/legacy_after_blocking",
                                       .clauses = {clause::ST_DEF_001, clause::ST_DEF_003},
                                       .clauses_of = clauses_before,
                                       .axes = {consumers(), producers(), legacy_handles()},
                                       .needs = {need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& legacy = scene.stream(context.get<stream_kind>("handle"));
  std::vector<lane*> blocking;
  std::vector<product*> in;
  std::deque<consumption> action;
  for (int i = 0; i < blocking_streams; ++i) {
    blocking.push_back(&scene.stream(stream_kind::blocking));
    in.push_back(&scene.buffer(input_of(consumer_of(context)), producer_of(context)));
    action.emplace_back(context, scene, consumer_of(context), *in.back());
  }
  for (int round = 0; scene.next_round(blocking_streams * context.by_tier(1, 2, 20)); ++round) {
    const int held = round % blocking_streams;
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < blocking_streams; ++i) {
        if (i == held) {
          victim = scene.victim(*blocking[i], *in[i]);
        } else {
          scene.write(*blocking[i], *in[i]);
        }
      }
      action[held].enqueue(legacy);
    });
    scene.drain();
    action[held].expect_ordered(promise, victim);
  }
}

// Promise:   ST-DEF-002. Work put into a blocking stream after an action of the legacy default stream
//            starts only after that action.
// Defect:    the barrier stands in front of legacy work but not behind it, or only for the first blocking
//            stream. What the later work reads is the epoch of the round before.
// Any speed: the legacy stream's work is held until the later work, in another blocking stream in each
//            round, had its chance.
STREAMCTS_CASE(blocking_after_legacy, {.arrangement = "stream/blocking_after_legacy",
                                       .clauses = {clause::ST_DEF_002},
                                       .axes = {consumers(), producers(), legacy_handles()},
                                       .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& legacy = scene.stream(context.get<stream_kind>("handle"));
  std::vector<lane*> blocking;
  for (int i = 0; i < blocking_streams; ++i) {
    blocking.push_back(&scene.stream(stream_kind::blocking));
  }
  product& in = scene.buffer(input_of(consumer_of(context)), producer_of(context));
  consumption later(context, scene, consumer_of(context), in);
  for (int round = 0; scene.next_round(blocking_streams * context.by_tier(1, 2, 20)); ++round) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(legacy, in);
      later.enqueue(*blocking[round % blocking_streams]);
    });
    scene.drain();
    later.expect_ordered(clause::ST_DEF_002, victim);
  }
}

// Promise:   ST-DEF-003. A host call in the legacy default stream holds back the later work of all
//            blocking streams until it has returned.
// Defect:    the barrier behind legacy work ends with the device's work. A kernel, a copy or a memset of a
//            blocking stream has run before the host call is over.
// Any speed: the host call is held inside itself until all had their chance, and looks just before it
//            returns.
STREAMCTS_CASE(blocking_after_legacy_call, {.arrangement = "stream/blocking_after_legacy_call",
                                            .clauses = {clause::ST_DEF_003},
                                            .axes = {host_calls(), legacy_handles()},
                                            .needs = {need::device_gate, need::host_gate}}) {
  constexpr std::array kinds = {producer::kernel, producer::copy, producer::memset};
  static_assert(kinds.size() == blocking_streams);
  arrangement scene(context);
  lane& legacy = scene.stream(context.get<stream_kind>("handle"));
  std::vector<lane*> blocking;
  std::vector<product*> later;
  for (const producer each : kinds) {
    blocking.push_back(&scene.stream(stream_kind::blocking));
    later.push_back(&scene.buffer(memory_kind::copied, each));
  }
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& held = scene.host_call(host_call_of(context));
    for (product* each : later) held.guards(*each);
    operation last{};
    scene.hold_call(legacy, held, [&] {
      for (int i = 0; i < blocking_streams; ++i) last = scene.write(*blocking[i], *later[i]);
    });
    scene.drain();
    scene.expect_blocked(clause::ST_DEF_003, held, last);
  }
}

}  // namespace
}  // namespace streamcts
