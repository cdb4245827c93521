// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Both APIs in one program: streams and events that one of them made, used by the other.

#include <vector>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "conformance/runtime_api/judged.h"

namespace streamcts {
namespace {

using driver::stream_kind;

/// The API that makes a handle, or by which something is put in: an axis for each.
axis apis(std::string_view what) {
  return make_axis<api>(what, {api::driver, api::runtime});
}

/// What went by one API alone is the business of other cases.
bool both(const parameters& values, std::initializer_list<std::string_view> names) {
  const api first = values.get<api>(*names.begin());
  for (const std::string_view each : names) {
    if (values.get<api>(each) != first) return true;
  }
  return false;
}

lane& use(lane& stream, api by) {
  stream.by = by;
  return stream;
}

// Promise:   ST-ID-002. A stream is the same through both APIs: a host call that one of them puts in comes
//            after the work that the other has put in, whichever made the stream.
// Defect:    one API has a shadow of the other's stream. The host call finds the sentinel.
// Any speed: the work is held until the host call had its chance.
STREAMCTS_CASE(after_work_of_the_other, {.arrangement = "runtime_api/mixed_after_work",
                                         .clauses = {clause::ST_ID_002},
                                         .axes = {apis("made"), apis("work"), apis("call"),
                                                  host_calls(), runtime_streams(),
                                                  make_axis<producer>("producer",
                                                                      {producer::kernel,
                                                                       producer::copy})},
                                         .valid = [](const parameters& values) {
                                           return both(values, {"made", "work", "call"});
                                         },
                                         .needs = {need::runtime, need::device_gate,
                                                   need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), context.get<api>("made"));
  product& out = scene.buffer(memory_kind::mapped, producer_of(context));
  while (scene.next_round(context.by_tier(1, 3, 40))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(use(stream, context.get<api>("work")), out);
      scene.enqueue(use(stream, context.get<api>("call")), call);
    });
    scene.drain();
    scene.expect_complete(clause::ST_ID_002, victim, call);
  }
}

// Promise:   ST-ID-002. A kernel that one API puts in behind a host call of the other waits for its return.
// Defect:    as above. The host call finds the kernel's mark.
// Any speed: the host call is held inside itself until the kernel had its chance.
STREAMCTS_CASE(holds_back_the_other, {.arrangement = "runtime_api/mixed_holds_back",
                                      .clauses = {clause::ST_ID_002},
                                      .axes = {apis("made"), apis("call"), host_calls(),
                                               runtime_streams()},
                                      .needs = {need::runtime, need::device_gate, need::host_gate,
                                                need::mapped_memory}}) {
  const api call = context.get<api>("call");
  const api other = call == api::driver ? api::runtime : api::driver;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), context.get<api>("made"));
  while (scene.next_round(context.by_tier(1, 3, 40))) {
    observer& held = scene.host_call(host_call_of(context));
    const control_word marker = scene.marker();
    held.watches(marker);
    operation behind{};
    use(stream, call);
    scene.hold_call(stream, held,
                    [&] { behind = scene.signal(use(stream, other), marker); });
    scene.drain();
    scene.expect_blocked(clause::ST_ID_002, held, behind);
  }
}

// Promise:   ST-ID-002. Host calls and kernels that both APIs put into one stream in turn have one order, and
//            each host call sees the kernels in front of it.
// Defect:    each API keeps a queue of its own: a later host call begins, by its stamp, before the one in
//            front of it has ended, or finds the sentinel.
// Any speed: in one hold the first kernel is held, in the next the first host call, until the others had
//            their chance.
STREAMCTS_CASE(one_order, {.arrangement = "runtime_api/mixed_in_turn",
                           .clauses = {clause::ST_ID_002},
                           .axes = {apis("made"), runtime_streams()},
                           .needs = {need::runtime, need::device_gate, need::host_gate,
                                     need::mapped_memory}}) {
  constexpr std::size_t count = 8;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), context.get<api>("made"));
  std::vector<product*> outs;
  for (std::size_t i = 0; i < count; ++i) {
    outs.push_back(&scene.buffer(memory_kind::mapped, producer::kernel, 512));
  }
  while (scene.next_round(context.by_tier(1, 3, 40))) {
    std::vector<observer*> calls;
    operation victim{};
    scene.hold_work([&] {
      for (std::size_t i = 0; i < count; ++i) {
        const bool driver_writes = i % 2 == 0;
        use(stream, driver_writes ? api::driver : api::runtime);
        if (i == 0) {
          victim = scene.victim(stream, *outs[i]);
        } else {
          scene.write(stream, *outs[i]);
        }
        calls.push_back(&scene.host_call(i % 4 < 2 ? host_call::add_callback
                                                   : host_call::launch_host_func));
        calls.back()->looks_at(*outs[i]);
        scene.enqueue(use(stream, driver_writes ? api::runtime : api::driver), *calls.back());
      }
    });
    scene.drain();
    for (const observer* each : calls) scene.expect_complete(clause::ST_ID_002, victim, *each);
    expect_in_turn(scene, clause::ST_ID_002, calls);

    std::vector<observer*> later;
    for (std::size_t i = 0; i < count; ++i) {
      later.push_back(&scene.host_call(i % 4 < 2 ? host_call::launch_host_func
                                                 : host_call::add_callback));
    }
    scene.hold_call(stream, *later.front(), [&] {
      for (std::size_t i = 1; i < count; ++i) {
        scene.enqueue(use(stream, i % 2 == 0 ? api::driver : api::runtime), *later[i]);
      }
    });
    scene.drain();
    expect_in_turn(scene, clause::ST_ID_002, later);
  }
}

// Promise:   JN-EVENT-001, EV-WAIT-001, with an event that one API makes, records or waits for and the other
//            API does the rest.
// Defect:    the record of one API is not seen by the other's wait, which takes the event for one that was
//            never recorded. The host call, or the copying kernel, finds the sentinel.
// Any speed: the work in front of the record is held until what comes behind the wait had its chance.
STREAMCTS_CASE(event_of_the_other, {.arrangement = "runtime_api/mixed_event",
                                    .clauses = {clause::JN_EVENT_001, clause::EV_WAIT_001},
                                    .axes = {apis("made"), apis("record"), apis("wait"),
                                             created_runtime_streams()},
                                    .valid = [](const parameters& values) {
                                      return both(values, {"made", "record", "wait"});
                                    },
                                    .needs = {need::runtime, need::device_gate,
                                              need::mapped_memory}}) {
  const api record = context.get<api>("record");
  const api wait = context.get<api>("wait");
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context), record);
  lane& to = scene.stream(stream_of(context), wait);
  product& out = scene.buffer(memory_kind::mapped);
  product& copied = scene.buffer(memory_kind::mapped);
  mark& joined = scene.event(CU_EVENT_DISABLE_TIMING, context.get<api>("made"));
  while (scene.next_round(context.by_tier(1, 3, 40))) {
    observer& call = scene.host_call(host_call::add_callback);
    call.looks_at(out);
    copied.data.begin_round(out.data.expected());
    operation victim{}, reader{};
    scene.hold_work([&] {
      victim = scene.victim(from, out);
      scene.record(joined, from);
      scene.wait(to, joined);
      reader = scene.note(to, "kernel copying payload 1");
      copied.written = reader;
      context.kernels(wait).copy_words(to.get(), copied.data.target(), out.data.target(),
                                       out.data.words());
      scene.enqueue(to, call);
    });
    scene.drain();
    scene.expect_complete(clause::JN_EVENT_001, victim, call);
    scene.expect_complete(clause::EV_WAIT_001, victim, reader, copied);
  }
}

/// How the host learns, by one API, that the work of the other is over.
enum class waiting { synchronize, query };
std::string_view name(waiting what) {
  return what == waiting::synchronize ? "synchronize" : "query";
}

// Promise:   ST-ID-002. Synchronizing or asking a stream by one API covers the work and the host calls that
//            the other has put in.
// Defect:    as above: the wait is for an empty shadow. It returns while the work is held, and the host finds
//            the sentinel; or the host call has not ended.
// Any speed: the work, and then the host call, is held until the wait had its chance.
STREAMCTS_CASE(wait_for_the_other, {.arrangement = "runtime_api/mixed_wait",
                                    .clauses = {clause::ST_ID_002},
                                    .axes = {apis("work"),
                                             make_axis<waiting>("wait", {waiting::synchronize,
                                                                         waiting::query}),
                                             host_calls(), runtime_streams()},
                                    .needs = {need::runtime, need::device_gate, need::host_gate,
                                              need::mapped_memory}}) {
  const api work = context.get<api>("work");
  const api other = work == api::driver ? api::runtime : api::driver;
  const bool query = context.get<waiting>("wait") == waiting::query;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context), work);
  product& out = scene.buffer(memory_kind::mapped);
  const auto begin_wait = [&]() -> host_wait& {
    use(stream, other);
    host_wait& begun = query ? scene.poll(stream) : scene.synchronize(stream);
    use(stream, work);
    return begun;
  };
  while (scene.next_round(context.by_tier(1, 3, 40))) {
    operation victim{};
    host_wait* by = nullptr;
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      by = &begin_wait();
      by->looks_at(out);
    });
    scene.drain();
    scene.expect_covered(clause::ST_ID_002, victim, *by);

    observer& held = scene.host_call(host_call_of(context));
    scene.hold_call(stream, held, [&] {
      by = &begin_wait();
      by->awaits(held);
    });
    scene.drain();
    scene.expect_covered(clause::ST_ID_002, held.op(), *by);
  }
}

// Promise:   ST-ID-002. A thread has one default stream of its own: cudaStreamPerThread,
//            CU_STREAM_PER_THREAD and the NULL stream of both APIs' per-thread functions are the same.
// Defect:    each API has one for each thread. The host call finds the sentinel.
// Any speed: the work that one API puts in is held until the host call of the other had its chance.
STREAMCTS_CASE(one_default_stream, {.arrangement = "runtime_api/mixed_per_thread",
                                    .clauses = {clause::ST_ID_002},
                                    .axes = {apis("work"), host_calls()},
                                    .needs = {need::runtime, need::runtime_per_thread,
                                              need::device_gate, need::mapped_memory}}) {
  const api work = context.get<api>("work");
  arrangement scene(context);
  host_thread& thread = scene.thread();
  lane& stream = scene.stream(stream_kind::per_thread, work);
  product& out = scene.buffer(memory_kind::mapped);
  for (int round = 0; scene.next_round(context.by_tier(2, 4, 40)); ++round) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      thread.run([&] {
        // Each way to name the stream meets each other one.
        stream.all_by_null = round % 2 == 0;
        victim = scene.victim(use(stream, work), out);
        stream.all_by_null = round % 4 >= 2;
        scene.enqueue(use(stream, work == api::driver ? api::runtime : api::driver), call);
      });
    });
    thread.run([&] { stream.stream.synchronize(); });
    scene.drain();
    scene.expect_complete(clause::ST_ID_002, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
