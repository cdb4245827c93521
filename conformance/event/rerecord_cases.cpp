// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events that are recorded more than once.

#include "conformance/clauses/clauses.h"
#include "conformance/event/seen_by.h"
#include "harness/driver/poll.h"

namespace streamcts {
namespace {

/// The event before it is recorded again.
enum class before { complete, pending };
std::string_view name(before what) { return what == before::complete ? "complete" : "pending"; }
axis states() { return make_axis<before>("before", {before::complete, before::pending}); }

// Promise:   EV-REC-003. Recording an event again replaces what it stands for, for every later query,
//            synchronize and wait.
// Defect:    the first record is kept, or an event that was complete once stays so. The observer finds
//            the sentinel.
// Any speed: what is in front of the second record is held. What is in front of the first one has
//            finished, or is the same held stream's earlier work.
STREAMCTS_CASE(recorded_twice, {.arrangement = "event/recorded_twice",
                                .clauses = {clause::EV_REC_003},
                                .axes = {observers(), streams(), states()},
                                .needs = {need::device_gate, need::mapped_memory}}) {
  const bool complete = context.get<before>("before") == before::complete;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  product& first = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  product& out = scene.buffer(memory_kind::mapped);
  mark& recorded = scene.event();
  event_observer observer(context, scene);
  while (scene.next_round(context.by_tier(3, 4, 50))) {
    if (complete) {
      scene.write(stream, first);
      scene.record(recorded, stream);
      recorded.event.synchronize();
    }
    operation victim{};
    scene.hold_work([&] {
      if (!complete) {
        scene.write(other, first);
        scene.record(recorded, other);
      }
      victim = scene.victim(stream, out);
      scene.record(recorded, stream);
      observer.observe(recorded, {&out});
    });
    scene.drain();
    observer.expect_complete(clause::EV_REC_003, victim);
  }
}

// Promise:   EV-REC-003. A stream that waits for an event, and after a new record waits for it again,
//            waits for both.
// Defect:    the second wait of the same stream for the same event is skipped. The host call finds the
//            sentinel.
// Any speed: what is in front of the second record is held until the host call had its chance.
STREAMCTS_CASE(waited_for_twice, {.arrangement = "event/waited_for_twice",
                                  .clauses = {clause::EV_REC_003},
                                  .axes = {host_calls(), created_streams()},
                                  .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& from = scene.stream(stream_of(context));
  lane& to = scene.stream(stream_of(context));
  product& first = scene.buffer(memory_kind::mapped, producer::kernel, 512);
  product& out = scene.buffer(memory_kind::mapped);
  mark& recorded = scene.event();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(first);
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      scene.write(from, first);
      scene.record(recorded, from);
      scene.wait(to, recorded);
      victim = scene.victim(from, out);
      scene.record(recorded, from);
      scene.wait(to, recorded);
      scene.enqueue(to, call);
    });
    scene.drain();
    scene.expect_complete(clause::EV_REC_003, victim, call);
  }
}

/// Waits for @p recorded by synchronize, or by repeating the query.
CUresult await(const case_context& context, const driver::event& recorded, bool by_query) {
  const driver::function_table& cuda = context.cuda();
  if (!by_query) return cuda.cuEventSynchronize(recorded.get());
  CUresult code = CUDA_ERROR_NOT_READY;
  driver::poll(context.calibration().patience(), [&] {
    code = cuda.cuEventQuery(recorded.get());
    return code != CUDA_ERROR_NOT_READY;
  });
  return code;
}

// Promise:   EV-REC-003. Each of many records replaces the one before.
// Defect:    now and then a record is lost. The host comes back at once and finds the epoch of the round
//            before, or of some earlier one.
// Any speed: a driver that keeps the promise shows the new epoch however fast it is; one that does not is
//            seen when the host is faster than the kernel.
STREAMCTS_CASE(recorded_often, {.arrangement = "event/recorded_often",
                                .clauses = {clause::EV_REC_003},
                                .axes = {created_streams()},
                                .needs = {need::mapped_memory},
                                .without_hold = "many records are what is tried; each is judged by "
                                                "its data"}) {
  const driver::function_table& cuda = context.cuda();
  const driver::stream stream(cuda, stream_of(context));
  const driver::event recorded(cuda);
  payload out(cuda, memory_kind::mapped, payload::visibility_words);
  const int rounds = context.by_tier(150, 1000, 20000);
  for (int round = 0; round < rounds && !context.failed(); ++round) {
    context.count_round();
    const bool by_query = round % 2 == 1;
    out.begin_round(kernels::ramp(context.next_epoch()));
    context.kernels().write_pattern(stream.get(), out.target(), out.words(), out.expected());
    recorded.record(stream.get());
    const char* observer = by_query ? "host after cuEventQuery" : "host after cuEventSynchronize";
    if (!context.expect(clause::EV_REC_003, failure_kind::status, observer,
                        await(context, recorded, by_query), Succeeds())) {
      break;
    }
    const sighting seen = out.look();
    context.expect(clause::EV_REC_003, kind_of(seen, gate::state::opened), observer, seen,
                   IsComplete());
  }
  stream.synchronize();
}

}  // namespace
}  // namespace streamcts
