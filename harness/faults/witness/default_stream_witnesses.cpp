// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The legacy default stream's barrier.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

void legacy_kernel_waits_for_blocking_streams(scene& s) {
  held& gate = s.hold(s.stream(CU_STREAM_DEFAULT));
  std::uint32_t* const begun = s.control_word();
  s.signal(CU_STREAM_LEGACY, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a kernel of the legacy stream did not wait for a blocking stream");
}

void null_stream_is_the_legacy_stream(scene& s) {
  held& gate = s.hold(s.stream(CU_STREAM_DEFAULT));
  std::uint32_t* const begun = s.control_word();
  s.signal(nullptr, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a kernel of the NULL stream did not wait for a blocking stream");
}

void legacy_callback_waits_for_blocking_streams(scene& s) {
  for (const form how : both_forms) {
    held& gate = s.hold(s.stream(CU_STREAM_DEFAULT));
    host_call_probe& probe = s.probe();
    s.call(CU_STREAM_LEGACY, how, probe);
    s.must_not_start(gate, probe,
                     "a host call of the legacy stream did not wait for a blocking stream");
    s.finish();
  }
}

void legacy_record_waits_for_blocking_streams(scene& s) {
  CUevent event = s.event();
  held& gate = s.hold(s.stream(CU_STREAM_DEFAULT));
  MUST(cu().EventRecord(event, CU_STREAM_LEGACY));
  s.must_not_happen(gate, [&] { return cu().EventQuery(event) == CUDA_SUCCESS; },
                    "an event of the legacy stream did not wait for a blocking stream");
}

void legacy_graph_launch_waits_for_blocking_streams(scene& s) {
  std::uint32_t* const begun = s.control_word();
  CUgraphExec graph = s.signal_graph(begun);
  held& gate = s.hold(s.stream(CU_STREAM_DEFAULT));
  MUST(cu().GraphLaunch(graph, CU_STREAM_LEGACY));
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a graph in the legacy stream did not wait for a blocking stream");
}

void blocking_streams_wait_for_legacy(scene& s) {
  for (CUstream stream : {s.stream(CU_STREAM_DEFAULT), s.stream(CU_STREAM_DEFAULT)}) {
    held& gate = s.hold(CU_STREAM_LEGACY);
    std::uint32_t* const begun = s.control_word();
    s.signal(stream, begun);
    s.must_not_happen(gate, [&] { return look(begun) != 0; },
                      "a kernel of a blocking stream did not wait for the legacy stream");
    s.finish();
  }
}

void blocking_stream_callback_waits_for_legacy(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream(CU_STREAM_DEFAULT);
    held& gate = s.hold(CU_STREAM_LEGACY);
    host_call_probe& probe = s.probe();
    s.call(stream, how, probe);
    s.must_not_start(gate, probe,
                     "a host call of a blocking stream did not wait for the legacy stream");
    s.finish();
  }
}

void per_thread_stream_waits_for_legacy(scene& s) {
  held& gate = s.hold(CU_STREAM_LEGACY);
  std::uint32_t* const begun = s.control_word();
  s.signal(CU_STREAM_PER_THREAD, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "the per-thread stream did not wait for the legacy stream");
}

void blocking_stream_waits_for_null(scene& s) {
  CUstream stream = s.stream(CU_STREAM_DEFAULT);
  held& gate = s.hold(nullptr);
  std::uint32_t* const begun = s.control_word();
  s.signal(stream, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a blocking stream did not wait for the NULL stream");
}

void sync_copy_waits_for_blocking_streams(scene& s) {
  CUstream stream = s.stream(CU_STREAM_DEFAULT);
  CUdeviceptr source = s.device(mebi);
  std::vector<std::uint64_t> out(mebi / 8, sentinel);
  held& gate = s.hold(stream);
  s.must_not_return(gate, [&] { cu().MemcpyDtoH(out.data(), source, mebi); },
                    "a synchronous copy did not wait for a blocking stream");
}

void blocking_streams_inherit_legacy_waits(scene& s) {
  CUstream recorder = s.stream(), stream = s.stream(CU_STREAM_DEFAULT);
  CUevent event = s.event();
  held& gate = s.hold(recorder);
  MUST(cu().EventRecord(event, recorder));
  MUST(cu().StreamWaitEvent(CU_STREAM_LEGACY, event, 0));
  std::uint32_t* const begun = s.control_word();
  s.signal(stream, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a blocking stream did not inherit a wait of the legacy stream");
}

const witness list[] = {
    {"legacy_kernel_waits_for_blocking_streams", legacy_kernel_waits_for_blocking_streams},
    {"null_stream_is_the_legacy_stream", null_stream_is_the_legacy_stream},
    {"legacy_callback_waits_for_blocking_streams", legacy_callback_waits_for_blocking_streams},
    {"legacy_record_waits_for_blocking_streams", legacy_record_waits_for_blocking_streams},
    {"legacy_graph_launch_waits_for_blocking_streams",
     legacy_graph_launch_waits_for_blocking_streams},
    {"blocking_streams_wait_for_legacy", blocking_streams_wait_for_legacy},
    {"blocking_stream_callback_waits_for_legacy", blocking_stream_callback_waits_for_legacy},
    {"per_thread_stream_waits_for_legacy", per_thread_stream_waits_for_legacy},
    {"blocking_stream_waits_for_null", blocking_stream_waits_for_null},
    {"sync_copy_waits_for_blocking_streams", sync_copy_waits_for_blocking_streams},
    {"blocking_streams_inherit_legacy_waits", blocking_streams_inherit_legacy_waits},
};

}  // namespace

std::span<const witness> default_stream_witnesses() { return list; }

}  // namespace streamcts::faults::witness
