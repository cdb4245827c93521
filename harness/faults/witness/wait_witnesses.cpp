// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronize calls return, and queries say complete, no sooner than what they cover.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

held& held_call(scene& s, CUstream stream, form how) {
  host_call_probe& probe = s.probe();
  held& gate = s.host_gate();
  probe.gate = &gate;
  s.call(stream, how, probe);
  return gate;
}

void join(scene& s, held** gate, CUstream waiter) {
  CUstream recorder = s.stream();
  CUevent event = s.event();
  *gate = &s.hold(recorder);
  MUST(cu().EventRecord(event, recorder));
  MUST(cu().StreamWaitEvent(waiter, event, 0));
}

void stream_sync_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  for (int round = 0; round < 3; ++round) {
    held& gate = s.hold(stream);
    s.must_not_return(gate, [&] { cu().StreamSynchronize(stream); },
                      "stream synchronize returned before a kernel had finished");
    s.finish();
  }
}

void hundredth_stream_sync_waits(scene& s) {
  CUstream stream = s.stream();
  for (int i = 0; i < 99; ++i) MUST(cu().StreamSynchronize(stream));
  held& gate = s.hold(stream);
  s.must_not_return(gate, [&] { cu().StreamSynchronize(stream); },
                    "the hundredth stream synchronize returned early");
}

void stream_sync_waits_for_callback(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    held& gate = held_call(s, stream, how);
    s.must_not_return(gate, [&] { cu().StreamSynchronize(stream); },
                      "stream synchronize returned before a host call had");
    s.finish();
  }
}

void stream_sync_waits_for_join(scene& s) {
  CUstream waiter = s.stream();
  held* gate = nullptr;
  join(s, &gate, waiter);
  s.must_not_return(*gate, [&] { cu().StreamSynchronize(waiter); },
                    "stream synchronize returned before a joined stream's work had finished");
}

void stream_query_sees_kernel(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  s.must_not_happen(gate, [&] { return cu().StreamQuery(stream) == CUDA_SUCCESS; },
                    "stream query said complete before a kernel had finished");
}

void stream_query_sees_callback(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    held& gate = held_call(s, stream, how);
    s.must_not_happen(gate, [&] { return cu().StreamQuery(stream) == CUDA_SUCCESS; },
                      "stream query said complete while a host call ran");
    s.finish();
  }
}

void stream_query_sees_join(scene& s) {
  CUstream waiter = s.stream();
  held* gate = nullptr;
  join(s, &gate, waiter);
  s.must_not_happen(*gate, [&] { return cu().StreamQuery(waiter) == CUDA_SUCCESS; },
                    "stream query said complete before a joined stream's work had finished");
}

void context_sync_covers_nonblocking_streams(scene& s) {
  held& gate = s.hold(s.stream());
  s.must_not_return(gate, [&] { cu().CtxSynchronize(); },
                    "context synchronize left out a non-blocking stream");
}

void context_sync_covers_destroyed_streams(scene& s) {
  CUstream stream = nullptr;
  MUST(cu().StreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  held& gate = s.hold(stream);
  MUST(cu().StreamDestroy(stream));
  s.must_not_return(gate, [&] { cu().CtxSynchronize(); },
                    "context synchronize left out a destroyed stream");
}

void context_sync_covers_callbacks(scene& s) {
  for (const form how : both_forms) {
    held& gate = held_call(s, s.stream(), how);
    s.must_not_return(gate, [&] { cu().CtxSynchronize(); },
                      "context synchronize returned before a host call had");
    s.finish();
  }
}

const witness list[] = {
    {"stream_sync_waits_for_kernel", stream_sync_waits_for_kernel},
    {"hundredth_stream_sync_waits", hundredth_stream_sync_waits, true},
    {"stream_sync_waits_for_callback", stream_sync_waits_for_callback},
    {"stream_sync_waits_for_join", stream_sync_waits_for_join},
    {"stream_query_sees_kernel", stream_query_sees_kernel},
    {"stream_query_sees_callback", stream_query_sees_callback},
    {"stream_query_sees_join", stream_query_sees_join},
    {"context_sync_covers_nonblocking_streams", context_sync_covers_nonblocking_streams},
    {"context_sync_covers_destroyed_streams", context_sync_covers_destroyed_streams},
    {"context_sync_covers_callbacks", context_sync_covers_callbacks},
};

}  // namespace

std::span<const witness> wait_witnesses() { return list; }

}  // namespace streamcts::faults::witness
