// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What is enqueued behind a host call waits until it has returned.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

/// A host call that is kept inside.
held& held_call(scene& s, CUstream stream, form how) {
  host_call_probe& probe = s.probe();
  held& gate = s.host_gate();
  probe.gate = &gate;
  s.call(stream, how, probe);
  return gate;
}

void callback_blocks_kernel(scene& s) {
  for (const form how : both_forms) {
    for (CUstream stream : s.streams_of_every_kind()) {
      held& gate = held_call(s, stream, how);
      std::uint32_t* const begun = s.control_word();
      s.signal(stream, begun);
      s.must_not_happen(gate, [&] { return look(begun) != 0; },
                        "a kernel started before the host call in front of it had returned");
      s.finish();
    }
  }
}

void third_callback_blocks_kernel(scene& s) {
  CUstream stream = s.stream();
  for (int round = 0; round < 3; ++round) {
    held& gate = held_call(s, stream, form::launch_host_func);
    std::uint32_t* const begun = s.control_word();
    s.signal(stream, begun);
    s.must_not_happen(gate, [&] { return look(begun) != 0; },
                      "a kernel passed one of three host calls");
    s.finish();
  }
}

void crowded_callback_blocks_kernel(scene& s) {
  CUstream stream = s.stream();
  held& first = s.hold(stream);
  for (int i = 0; i < 70; ++i) s.call(stream, form::add_callback, s.probe());
  held& gate = held_call(s, stream, form::add_callback);
  std::uint32_t* const begun = s.control_word();
  s.signal(stream, begun);
  first.open();
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "with 70 host calls pending, a kernel passed one");
}

void callback_blocks_copy(scene& s) {
  for (const form how : both_forms) {
    for (const std::size_t bytes : {mebi, 5 * mebi}) {
      CUstream stream = s.stream();
      const words out = s.pinned(bytes);
      CUdeviceptr source = s.device(bytes);
      s.write(stream, source, out.size(), new_epoch());
      MUST(cu().StreamSynchronize(stream));
      held& gate = held_call(s, stream, how);
      MUST(cu().MemcpyDtoHAsync(out.data(), source, bytes, stream));
      const auto* first = reinterpret_cast<const std::uint32_t*>(out.data());
      const auto before = static_cast<std::uint32_t>(sentinel);
      s.must_not_happen(gate, [&] { return look(first) != before; },
                        "a copy started before the host call in front of it had returned");
      s.finish();
    }
  }
}

void callback_blocks_memset(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    const words out = s.pinned(mebi);
    held& gate = held_call(s, stream, how);
    MUST(cu().MemsetD32Async(s.on_device(out.data()), 1, mebi / 4, stream));
    const auto* first = reinterpret_cast<const std::uint32_t*>(out.data());
    s.must_not_happen(gate, [&] { return look(first) == 1; },
                      "a memset started before the host call in front of it had returned");
    s.finish();
  }
}

void callback_blocks_graph_launch(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    std::uint32_t* const begun = s.control_word();
    CUgraphExec graph = s.signal_graph(begun);
    held& gate = held_call(s, stream, how);
    MUST(cu().GraphLaunch(graph, stream));
    s.must_not_happen(gate, [&] { return look(begun) != 0; },
                      "a graph started before the host call in front of it had returned");
    s.finish();
  }
}

void callback_blocks_value_write(scene& s) {
  CUstream stream = s.stream();
  std::uint32_t* const word = s.control_word();
  held& gate = held_call(s, stream, form::add_callback);
  MUST(cu().StreamWriteValue32(stream, s.on_device(word), 1, 0));
  s.must_not_happen(gate, [&] { return look(word) != 0; },
                    "a value was written before the host call in front of it had returned");
}

void callback_blocks_event(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    CUevent event = s.event();
    held& gate = held_call(s, stream, how);
    MUST(cu().EventRecord(event, stream));
    s.must_not_happen(gate, [&] { return cu().EventQuery(event) == CUDA_SUCCESS; },
                      "an event completed before the host call in front of it had returned");
    s.finish();
  }
}

void callback_blocks_joined_stream(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream(), other = s.stream();
    CUevent event = s.event();
    held& gate = held_call(s, stream, how);
    MUST(cu().EventRecord(event, stream));
    MUST(cu().StreamWaitEvent(other, event, 0));
    std::uint32_t* const begun = s.control_word();
    s.signal(other, begun);
    s.must_not_happen(gate, [&] { return look(begun) != 0; },
                      "a joined stream went on before the host call had returned");
    s.finish();
  }
}

void legacy_callback_blocks_other_streams(scene& s) {
  for (const form how : both_forms) {
    CUstream other = s.stream(CU_STREAM_DEFAULT);
    held& gate = held_call(s, CU_STREAM_LEGACY, how);
    std::uint32_t* const begun = s.control_word();
    s.signal(other, begun);
    s.must_not_happen(gate, [&] { return look(begun) != 0; },
                      "a blocking stream passed a host call of the legacy stream");
    s.finish();
  }
}

void callback_does_not_wait_for_later_kernel(scene& s) {
  CUstream stream = s.stream();
  held& in_front = s.hold(stream);
  host_call_probe& probe = s.probe();
  s.call(stream, form::add_callback, probe);
  held& behind = s.hold(stream);
  in_front.open();
  s.must_happen(behind, [&] { return probe.ended > 0; },
                "a host call waits for the kernel behind it");
}

const witness list[] = {
    {"callback_blocks_kernel", callback_blocks_kernel},
    {"third_callback_blocks_kernel", third_callback_blocks_kernel},
    {"crowded_callback_blocks_kernel", crowded_callback_blocks_kernel},
    {"callback_blocks_copy", callback_blocks_copy},
    {"callback_blocks_memset", callback_blocks_memset},
    {"callback_blocks_graph_launch", callback_blocks_graph_launch},
    {"callback_blocks_value_write", callback_blocks_value_write},
    {"callback_blocks_event", callback_blocks_event},
    {"callback_blocks_joined_stream", callback_blocks_joined_stream},
    {"legacy_callback_blocks_other_streams", legacy_callback_blocks_other_streams},
    {"callback_does_not_wait_for_later_kernel", callback_does_not_wait_for_later_kernel, true},
};

}  // namespace

std::span<const witness> blocking_witnesses() { return list; }

}  // namespace streamcts::faults::witness
