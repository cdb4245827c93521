// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Streams of several host threads joined into one.

#include <algorithm>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

constexpr int producers_count = 3;

std::vector<clause_id> join_clauses(const parameters& values) {
  return {by_host_call(values, clause::JN_EVENT_001, clause::HF_UM_001)};
}

// Promise:   JN-EVENT-001, HF-UM-001. When one host thread waits, in its stream, for an event that another
//            has recorded in another stream, a host call behind the wait finds the work in front of the
//            record complete and visible.
// Defect:    a record is known to its own thread alone, and the wait takes the event for one that was never
//            recorded. The host call finds the sentinel.
// Any speed: the work is held until the host call had its chance; the recording thread has returned from
//            its calls before the waiting one makes any.
STREAMCTS_CASE(joined_by_another_thread, {.arrangement = "join/event_of_another_thread",
                                          .clauses = {clause::JN_EVENT_001, clause::HF_UM_001},
                                          .clauses_of = join_clauses,
                                          .axes = {host_calls(), created_streams()},
                                          .needs = {need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context));
  lane& to = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  mark& joined = scene.event();
  host_thread& recording = scene.thread();
  host_thread& waiting = scene.thread();
  while (scene.next_round(context.by_tier(1, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      recording.run([&] {
        victim = scene.victim(from, out);
        scene.record(joined, from);
      });
      waiting.run([&] {
        scene.wait(to, joined);
        scene.enqueue(to, call);
      });
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

// Promise:   JN-EVENT-002. A host call comes after the captured work of every stream joined into its own,
//            whichever host threads enqueued the work, the record, the wait and the host call.
// Defect:    what one host thread recorded is not known to the wait of another. The host call finds the
//            sentinel.
// Any speed: the work of each thread is held in turn; the threads take turns too, one has returned from
//            all its calls before the next begins.
STREAMCTS_CASE(joined_across_threads, {.arrangement = "join/across_threads",
                                       .clauses = {clause::JN_EVENT_002},
                                       .axes = {host_calls(), created_streams()},
                                       .needs = {need::device_gate, need::mapped_memory}}) {
  struct worker {
    host_thread& thread;
    lane& stream;
    product& out;
    mark& joined;
  };
  arrangement scene(context);
  std::vector<worker> workers;
  for (int i = 0; i < producers_count; ++i) {
    workers.push_back({scene.thread(), scene.stream(stream_of(context)),
                       scene.buffer(memory_kind::mapped, producer::kernel, 512), scene.event()});
  }
  host_thread& consuming = scene.thread();
  lane& to = scene.stream(stream_of(context));
  for (int round = 0; scene.next_round(producers_count * context.by_tier(1, 2, 20)); ++round) {
    observer& call = scene.host_call(host_call_of(context));
    for (const worker& each : workers) call.looks_at(each.out);
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < producers_count; ++i) {
        const worker& each = workers[static_cast<std::size_t>(i)];
        each.thread.run([&] {
          if (i == round % producers_count) {
            victim = scene.victim(each.stream, each.out);
          } else {
            scene.write(each.stream, each.out);
          }
          scene.record(each.joined, each.stream);
        });
      }
      consuming.run([&] {
        for (const worker& each : workers) scene.wait(to, each.joined);
        scene.enqueue(to, call);
      });
    });
    scene.drain();
    scene.expect_complete(clause::JN_EVENT_002, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
