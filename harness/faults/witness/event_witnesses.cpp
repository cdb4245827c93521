// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Events capture what they should, and waits hold back for it.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

/// Records @p event behind a gate in a new stream.
held& record_behind_gate(scene& s, CUevent event, CUstream* recorder = nullptr) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  MUST(cu().EventRecord(event, stream));
  if (recorder) *recorder = stream;
  return gate;
}

void expect_held_call(scene& s, held& gate, CUstream waiter, const char* what) {
  host_call_probe& probe = s.probe();
  s.call(waiter, form::launch_host_func, probe);
  s.must_not_start(gate, probe, what);
  s.finish();
}

void callback_waits_for_join(scene& s) {
  int least = 0, greatest = 0;
  MUST(cu().CtxGetStreamPriorityRange(&least, &greatest));
  for (const unsigned flags : {CU_EVENT_DISABLE_TIMING, CU_EVENT_DEFAULT}) {
    for (const bool used : {false, true}) {
      for (CUstream waiter : {s.stream(CU_STREAM_DEFAULT), s.stream(),
                              s.stream(CU_STREAM_NON_BLOCKING, greatest)}) {
        if (used) s.signal(waiter, s.control_word());
        CUevent event = s.event(flags);
        held& gate = record_behind_gate(s, event);
        MUST(cu().StreamWaitEvent(waiter, event, 0));
        expect_held_call(s, gate, waiter, "a host call started before a joined stream's work");
      }
    }
  }
}

void kernel_waits_for_join(scene& s) {
  CUstream waiter = s.stream();
  CUevent event = s.event();
  held& gate = record_behind_gate(s, event);
  MUST(cu().StreamWaitEvent(waiter, event, 0));
  std::uint32_t* const begun = s.control_word();
  s.signal(waiter, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a kernel started before a joined stream's work");
}

void callback_waits_for_every_join(scene& s) {
  constexpr int joins = 5;
  for (int slow = 0; slow < joins; ++slow) {
    CUstream waiter = s.stream();
    held* gate = nullptr;
    for (int i = 0; i < joins; ++i) {
      CUstream recorder = s.stream();
      CUevent event = s.event();
      if (i == slow) gate = &s.hold(recorder);
      MUST(cu().EventRecord(event, recorder));
      MUST(cu().StreamWaitEvent(waiter, event, 0));
    }
    expect_held_call(s, *gate, waiter, "a host call started before one of five joined streams");
  }
}

void join_relays(scene& s) {
  CUstream relay = s.stream(), waiter = s.stream();
  CUevent first = s.event(), second = s.event();
  held& gate = record_behind_gate(s, first);
  MUST(cu().StreamWaitEvent(relay, first, 0));
  MUST(cu().EventRecord(second, relay));
  MUST(cu().StreamWaitEvent(waiter, second, 0));
  expect_held_call(s, gate, waiter, "a join through a stream without own work was lost");
}

void wait_for_legacy_record(scene& s) {
  CUstream waiter = s.stream();
  CUevent event = s.event();
  held& gate = s.hold(CU_STREAM_LEGACY);
  MUST(cu().EventRecord(event, CU_STREAM_LEGACY));
  MUST(cu().StreamWaitEvent(waiter, event, 0));
  expect_held_call(s, gate, waiter, "a wait for an event of the legacy stream was lost");
}

void wait_from_another_thread(scene& s) {
  CUstream waiter = s.stream();
  CUevent event = s.event();
  held& gate = record_behind_gate(s, event);
  CUcontext context = nullptr;
  MUST(cu().CtxGetCurrent(&context));
  host_call_probe& probe = s.probe();
  std::thread([&] {
    cu().CtxSetCurrent(context);
    cu().StreamWaitEvent(waiter, event, 0);
    s.call(waiter, form::launch_host_func, probe);
  }).join();
  s.must_not_start(gate, probe, "a wait made by another thread than the record was lost");
}

void joins_beyond_32_streams(scene& s) {
  std::vector<CUstream> streams;
  for (int i = 0; i < 40; ++i) streams.push_back(s.stream());
  CUevent event = s.event();
  held& gate = s.hold(streams[38]);
  MUST(cu().EventRecord(event, streams[38]));
  MUST(cu().StreamWaitEvent(streams[39], event, 0));
  expect_held_call(s, gate, streams[39], "a join beyond the 32nd stream was lost");
}

void repeated_wait_counts(scene& s) {
  CUstream recorder = s.stream(), waiter = s.stream();
  CUevent event = s.event();
  MUST(cu().EventRecord(event, recorder));
  MUST(cu().StreamWaitEvent(waiter, event, 0));
  s.finish();
  held& gate = s.hold(recorder);
  MUST(cu().EventRecord(event, recorder));
  MUST(cu().StreamWaitEvent(waiter, event, 0));
  expect_held_call(s, gate, waiter, "the second wait for an event was lost");
}

void wait_binds_at_the_call(scene& s) {
  CUstream idle = s.stream(), waiter = s.stream();
  CUevent event = s.event();
  held& gate = record_behind_gate(s, event);
  MUST(cu().StreamWaitEvent(waiter, event, 0));
  MUST(cu().EventRecord(event, idle));
  expect_held_call(s, gate, waiter, "a wait moved to a later record of its event");
}

void destroyed_event_still_holds(scene& s) {
  CUstream waiter = s.stream();
  CUevent event = nullptr;
  MUST(cu().EventCreate(&event, CU_EVENT_DISABLE_TIMING));
  held& gate = record_behind_gate(s, event);
  MUST(cu().StreamWaitEvent(waiter, event, 0));
  MUST(cu().EventDestroy(event));
  expect_held_call(s, gate, waiter, "destroying an event cancelled a wait for it");
}

void wait_delays_copies(scene& s) {
  CUstream waiter = s.stream();
  const words out = s.pinned(mebi);
  CUdeviceptr source = s.device(mebi);
  s.write(waiter, source, out.size(), new_epoch());
  MUST(cu().StreamSynchronize(waiter));
  CUevent event = s.event();
  held& gate = record_behind_gate(s, event);
  MUST(cu().StreamWaitEvent(waiter, event, 0));
  MUST(cu().MemcpyDtoHAsync(out.data(), source, mebi, waiter));
  const auto* first = reinterpret_cast<const std::uint32_t*>(out.data());
  const auto before = static_cast<std::uint32_t>(sentinel);
  s.must_not_happen(gate, [&] { return look(first) != before; }, "a copy passed a wait");
}

void event_waits_for_kernel(scene& s) {
  CUevent event = s.event();
  held& gate = record_behind_gate(s, event);
  s.must_not_happen(gate, [&] { return cu().EventQuery(event) == CUDA_SUCCESS; },
                    "an event completed before the kernel in front of it");
}

void event_sync_waits_for_kernel(scene& s) {
  for (const unsigned flags : {CU_EVENT_DISABLE_TIMING, CU_EVENT_BLOCKING_SYNC}) {
    CUevent event = s.event(flags);
    held& gate = record_behind_gate(s, event);
    s.must_not_return(gate, [&] { cu().EventSynchronize(event); },
                      "synchronizing an event returned before the kernel in front of it");
  }
}

void event_waits_for_copy(scene& s) {
  CUstream stream = s.stream();
  CUevent event = s.event();
  const words out = s.pinned(mebi);
  CUdeviceptr source = s.device(mebi);
  const std::uint64_t epoch = new_epoch();
  s.write(stream, source, out.size(), epoch);
  MUST(cu().MemcpyDtoHAsync(out.data(), source, mebi, stream));
  MUST(cu().EventRecord(event, stream));
  MUST(cu().EventSynchronize(event));
  s.expect(holds(out, epoch), "an event completed before the copy in front of it");
}

void event_waits_for_graph_launch(scene& s) {
  CUstream stream = s.stream();
  CUevent event = s.event();
  held* gate = nullptr;
  CUgraphExec graph = s.gate_graph(&gate);
  MUST(cu().GraphLaunch(graph, stream));
  MUST(cu().EventRecord(event, stream));
  s.must_not_happen(*gate, [&] { return cu().EventQuery(event) == CUDA_SUCCESS; },
                    "an event completed before the graph in front of it");
}

void second_record_counts(scene& s) {
  CUstream stream = s.stream();
  CUevent event = s.event();
  MUST(cu().EventRecord(event, stream));
  MUST(cu().EventSynchronize(event));
  held& gate = s.hold(stream);
  MUST(cu().EventRecord(event, stream));
  s.must_not_happen(gate, [&] { return cu().EventQuery(event) == CUDA_SUCCESS; },
                    "an event recorded again kept its first state");
}

void unrecorded_event_is_ready(scene& s) {
  CUevent event = s.event();
  s.expect(wait_until([&] { return cu().EventQuery(event) == CUDA_SUCCESS; }),
           "an event that was never recorded is not ready");
}

void event_ignores_later_work(scene& s) {
  CUstream stream = s.stream();
  CUevent event = s.event();
  MUST(cu().EventRecord(event, stream));
  held& gate = s.hold(stream);
  s.must_happen(gate, [&] { return cu().EventQuery(event) == CUDA_SUCCESS; },
                "an event waits for a kernel enqueued behind it");
}

void new_event_is_unrecorded(scene& s) {
  CUevent event = nullptr;
  MUST(cu().EventCreate(&event, CU_EVENT_DISABLE_TIMING));
  held& gate = record_behind_gate(s, event);
  MUST(cu().EventDestroy(event));
  CUevent fresh = s.event(CU_EVENT_DISABLE_TIMING);
  const CUresult state = cu().EventQuery(fresh);
  if (gate.forced) return s.cannot_tell("the gate was opened by force");
  s.expect(state == CUDA_SUCCESS, "a new event has a record already");
}

void elapsed_time_needs_completion(scene& s) {
  CUevent begin = s.event(CU_EVENT_DEFAULT), end = s.event(CU_EVENT_DEFAULT);
  CUstream stream = s.stream();
  MUST(cu().EventRecord(begin, stream));
  held& gate = s.hold(stream);
  MUST(cu().EventRecord(end, stream));
  float time = -1;
  const CUresult result = cu().EventElapsedTime(&time, begin, end);
  if (gate.forced) return s.cannot_tell("the gate was opened by force");
  s.expect(result != CUDA_SUCCESS, "a time was given for an event that is not complete");
}

void elapsed_time_covers_callback(scene& s) {
  CUevent begin = s.event(CU_EVENT_DEFAULT), end = s.event(CU_EVENT_DEFAULT);
  CUstream stream = s.stream();
  MUST(cu().EventRecord(begin, stream));
  host_call_probe& probe = s.probe();
  probe.body = [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); };
  s.call(stream, form::launch_host_func, probe);
  MUST(cu().EventRecord(end, stream));
  MUST(cu().EventSynchronize(end));
  float time = 0;
  MUST(cu().EventElapsedTime(&time, begin, end));
  s.expect(time >= 19, "the time between two events leaves out a host call of 20 ms");
}

void record_in_another_context_is_refused(scene& s) {
  CUcontext first = nullptr, second = nullptr;
  CUstream foreign = nullptr;
  MUST(cu().CtxGetCurrent(&first));
  CUevent event = s.event();
  MUST(cu().CtxCreate(&second, nullptr, 0, 0));
  MUST(cu().StreamCreate(&foreign, CU_STREAM_NON_BLOCKING));
  s.expect(cu().EventRecord(event, foreign) != CUDA_SUCCESS,
           "an event was recorded in a stream of another context");
  MUST(cu().StreamDestroy(foreign));
  MUST(cu().CtxDestroy(second));
  MUST(cu().CtxSetCurrent(first));
}

void timed_interprocess_event_is_refused(scene& s) {
  CUevent event = nullptr;
  CUresult result = cu().EventCreate(&event, CU_EVENT_INTERPROCESS);
  CUipcEventHandle handle{};
  if (result == CUDA_SUCCESS) {
    result = cu().IpcGetEventHandle(&handle, event);
    cu().EventDestroy(event);
  }
  s.expect(result != CUDA_SUCCESS, "an event was exported although it was made with timing");
}

const witness list[] = {
    {"callback_waits_for_join", callback_waits_for_join},
    {"kernel_waits_for_join", kernel_waits_for_join},
    {"callback_waits_for_every_join", callback_waits_for_every_join},
    {"join_relays", join_relays},
    {"wait_for_legacy_record", wait_for_legacy_record},
    {"wait_from_another_thread", wait_from_another_thread},
    {"joins_beyond_32_streams", joins_beyond_32_streams},
    {"repeated_wait_counts", repeated_wait_counts},
    {"wait_binds_at_the_call", wait_binds_at_the_call},
    {"destroyed_event_still_holds", destroyed_event_still_holds},
    {"wait_delays_copies", wait_delays_copies},
    {"event_waits_for_kernel", event_waits_for_kernel},
    {"event_sync_waits_for_kernel", event_sync_waits_for_kernel},
    {"event_waits_for_copy", event_waits_for_copy},
    {"event_waits_for_graph_launch", event_waits_for_graph_launch},
    {"second_record_counts", second_record_counts},
    {"unrecorded_event_is_ready", unrecorded_event_is_ready},
    {"event_ignores_later_work", event_ignores_later_work, true},
    {"new_event_is_unrecorded", new_event_is_unrecorded},
    {"elapsed_time_needs_completion", elapsed_time_needs_completion},
    {"elapsed_time_covers_callback", elapsed_time_covers_callback},
    {"record_in_another_context_is_refused", record_in_another_context_is_refused},
    {"timed_interprocess_event_is_refused", timed_interprocess_event_is_refused},
};

}  // namespace

std::span<const witness> event_witnesses() { return list; }

}  // namespace streamcts::faults::witness
