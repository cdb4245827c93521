// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The per-thread default stream.

#include <fmt/format.h>

#include <deque>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"

namespace streamcts {
namespace {

using driver::stream_kind;

/// How a thread names its stream when it puts in a host call.
enum class handle { special, null };
std::string_view name(handle what) { return what == handle::special ? "per_thread" : "null"; }
/// CU_STREAM_PER_THREAD, or NULL by the entry points of per-thread mode.
axis handles() { return make_axis<handle>("handle", {handle::special, handle::null}); }

/// A host thread, its per-thread default stream and what it writes.
struct owner {
  host_thread& thread;
  lane& stream;
  product& out;
};

owner make_owner(arrangement& scene, int number, memory_kind kind) {
  owner made{scene.thread(), scene.stream(stream_kind::per_thread),
             scene.buffer(kind, producer::kernel, 512)};
  made.stream.name = fmt::format("per-thread stream of thread {}", number + 1);
  return made;
}

/// Each thread waits for its own stream; nobody else can.
void drain(arrangement& scene, const std::vector<owner>& owners) {
  for (const owner& each : owners) {
    each.thread.run([&] { each.stream.stream.synchronize(); });
  }
  scene.drain();
}

// Promise:   ST-PTDS-001. The per-thread default stream belongs to one thread: host calls that a thread
//            puts into it are ordered with that thread's own work.
// Defect:    the special handle names the stream of some other thread, and the host call is in another
//            stream than the work. It finds the sentinel in its own thread's payload.
// Any speed: the work of each thread is held in turn until all host calls had their chance.
STREAMCTS_CASE(own_stream, {.arrangement = "stream/per_thread_own",
                            .clauses = {clause::ST_PTDS_001},
                            .axes = {host_calls(), handles()},
                            .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  const int count = context.by_tier(3, 8, 8);
  std::vector<owner> owners;
  for (int i = 0; i < count; ++i) {
    owners.push_back(make_owner(scene, i, memory_kind::mapped));
    owners.back().stream.calls_by_null = context.get<handle>("handle") == handle::null;
  }
  for (int round = 0; scene.next_round(count * context.by_tier(1, 1, 10)); ++round) {
    std::vector<observer*> calls;
    for (const owner& each : owners) {
      calls.push_back(&scene.host_call(host_call_of(context)));
      calls.back()->looks_at(each.out);
    }
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < count; ++i) {
        const owner& each = owners[static_cast<std::size_t>(i)];
        each.thread.run([&] {
          if (i == round % count) {
            victim = scene.victim(each.stream, each.out);
          } else {
            scene.write(each.stream, each.out);
          }
          scene.enqueue(each.stream, *calls[static_cast<std::size_t>(i)]);
        });
      }
    });
    drain(scene, owners);
    for (const observer* each : calls) scene.expect_complete(clause::ST_PTDS_001, victim, *each);
  }
}

/// The handle makes a difference for host calls alone.
bool handle_matters(const parameters& values) {
  const auto what = values.get<consumer>("consumer");
  return values.get<handle>("handle") == handle::special || what == consumer::callback ||
         what == consumer::host_function;
}

// Promise:   ST-PTDS-003. Per-thread default streams are blocking streams: the legacy default stream waits
//            for the earlier work of all of them.
// Defect:    they are made non-blocking. What the legacy stream reads is not written yet.
// Any speed: the work of each thread is held in turn until the legacy stream had its chance.
STREAMCTS_CASE(legacy_after_per_thread, {.arrangement = "stream/legacy_after_per_thread",
                                         .clauses = {clause::ST_PTDS_003},
                                         .axes = {consumers()},
                                         .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr int count = 3;
  arrangement scene(context);
  lane& legacy = scene.stream(stream_kind::null_stream);
  std::vector<owner> owners;
  std::deque<consumption> action;
  for (int i = 0; i < count; ++i) {
    owners.push_back(make_owner(scene, i, input_of(consumer_of(context))));
    action.emplace_back(context, scene, consumer_of(context), owners.back().out);
  }
  for (int round = 0; scene.next_round(count * context.by_tier(1, 2, 20)); ++round) {
    const int held = round % count;
    operation victim{};
    scene.hold_work([&] {
      for (int i = 0; i < count; ++i) {
        const owner& each = owners[static_cast<std::size_t>(i)];
        each.thread.run([&] {
          if (i == held) {
            victim = scene.victim(each.stream, each.out);
          } else {
            scene.write(each.stream, each.out);
          }
        });
      }
      action[static_cast<std::size_t>(held)].enqueue(legacy);
    });
    drain(scene, owners);
    action[static_cast<std::size_t>(held)].expect_ordered(clause::ST_PTDS_003, victim);
  }
}

// Promise:   ST-PTDS-003, in the other direction: later work of per-thread default streams waits for the
//            legacy default stream.
// Defect:    as above. What the per-thread streams read is not written yet.
// Any speed: the legacy stream's work is held until the later work, of another thread in each round, had
//            its chance.
STREAMCTS_CASE(per_thread_after_legacy, {.arrangement = "stream/per_thread_after_legacy",
                                         .clauses = {clause::ST_PTDS_003},
                                         .axes = {consumers(), handles()},
                                         .valid = handle_matters,
                                         .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr int count = 2;
  arrangement scene(context);
  lane& legacy = scene.stream(stream_kind::null_stream);
  product& in = scene.buffer(input_of(consumer_of(context)));
  consumption later(context, scene, consumer_of(context), in);
  std::vector<owner> owners;
  for (int i = 0; i < count; ++i) {
    owners.push_back(make_owner(scene, i, memory_kind::mapped));
    owners.back().stream.calls_by_null = context.get<handle>("handle") == handle::null;
  }
  for (int round = 0; scene.next_round(count * context.by_tier(1, 2, 20)); ++round) {
    const owner& behind = owners[static_cast<std::size_t>(round % count)];
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(legacy, in);
      behind.thread.run([&] { later.enqueue(behind.stream); });
    });
    drain(scene, owners);
    later.expect_ordered(clause::ST_PTDS_003, victim);
  }
}

}  // namespace
}  // namespace streamcts
