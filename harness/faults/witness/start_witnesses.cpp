// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host calls start only after what is in front of them.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

void callback_waits_for_kernel(scene& s) {
  for (const form how : both_forms) {
    for (CUstream stream : s.streams_of_every_kind()) {
      held& gate = s.hold(stream);
      host_call_probe& probe = s.probe();
      s.call(stream, how, probe);
      s.must_not_start(gate, probe, "a host call started before the kernel in front of it");
      MUST(cu().StreamSynchronize(stream));
      s.expect(probe.ended == 1, "a host call did not run once");
    }
  }
}

void third_callback_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  for (int round = 0; round < 3; ++round) {
    held& gate = s.hold(stream);
    host_call_probe& probe = s.probe();
    s.call(stream, form::add_callback, probe);
    s.must_not_start(gate, probe, "one of three callbacks started before its kernel");
  }
}

void hundredth_callback_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  for (int i = 0; i < 99; ++i) s.call(stream, form::launch_host_func, s.probe());
  held& gate = s.hold(stream);
  host_call_probe& probe = s.probe();
  s.call(stream, form::add_callback, probe);
  s.must_not_start(gate, probe, "the hundredth host call started before its kernel");
}

void crowded_callback_waits_for_kernel(scene& s) {
  CUstream crowd = s.stream(), stream = s.stream();
  held& crowd_gate = s.hold(crowd);
  for (int i = 0; i < 70; ++i) s.call(crowd, form::add_callback, s.probe());
  held& gate = s.hold(stream);
  host_call_probe& probe = s.probe();
  s.call(stream, form::add_callback, probe);
  s.must_not_start(gate, probe, "with 70 host calls pending, one started before its kernel");
  crowd_gate.open();
}

/// A download into @p out, and host calls of both forms that look at all of it.
void download_and_look(scene& s, words out, const char* what) {
  CUstream stream = s.stream();
  CUdeviceptr source = s.device(out.size_bytes());
  for (const form how : both_forms) {
    const std::uint64_t epoch = new_epoch();
    s.write(stream, source, out.size(), epoch);
    MUST(cu().MemcpyDtoHAsync(out.data(), source, out.size_bytes(), stream));
    host_call_probe& probe = s.probe();
    std::atomic<bool> whole{false};
    probe.body = [&] { whole = holds(out, epoch); };
    s.call(stream, how, probe);
    s.finish();
    s.expect(whole, what);
  }
}

void callback_waits_for_download(scene& s) {
  download_and_look(s, s.pinned(mebi), "a host call saw less than the whole download");
  download_and_look(s, s.pinned(5 * mebi), "a host call saw less than the whole large download");
}

void callback_waits_for_pageable_download(scene& s) {
  std::vector<std::uint64_t> out(mebi / 8, sentinel);
  download_and_look(s, out, "a host call saw less than the whole pageable download");
}

void hundredth_callback_sees_download(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(std::size_t{64} << 10);
  CUdeviceptr source = s.device(out.size_bytes());
  std::atomic<int> wrong{0};
  for (int i = 0; i < 100; ++i) {
    const std::uint64_t epoch = new_epoch();
    s.write(stream, source, out.size(), epoch);
    MUST(cu().MemcpyDtoHAsync(out.data(), source, out.size_bytes(), stream));
    host_call_probe& probe = s.probe();
    probe.body = [&, epoch] { wrong += holds(out, epoch) ? 0 : 1; };
    s.call(stream, form::add_callback, probe);
    MUST(cu().StreamSynchronize(stream));
  }
  s.expect(wrong == 0, "one of a hundred callbacks did not see its download");
}

void callback_waits_for_upload(scene& s) {
  CUstream stream = s.stream();
  const words source = s.pinned(mebi);
  CUdeviceptr target = s.device(mebi);
  for (const form how : both_forms) {
    const std::uint64_t epoch = new_epoch();
    fill(source, epoch);
    MUST(cu().MemcpyHtoDAsync(target, source.data(), mebi, stream));
    host_call_probe& probe = s.probe();
    probe.body = [&] { fill_sentinel(source); };
    s.call(stream, how, probe);
    s.finish();
    std::vector<std::uint64_t> arrived(source.size());
    MUST(cu().MemcpyDtoH(arrived.data(), target, mebi));
    s.expect(holds(arrived, epoch), "a host call ran while an upload was reading its source");
  }
}

void callback_waits_for_memset(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(mebi);
  for (const form how : both_forms) {
    const auto value = static_cast<std::uint32_t>(new_epoch());
    MUST(cu().MemsetD32Async(s.on_device(out.data()), value, mebi / 4, stream));
    host_call_probe& probe = s.probe();
    std::atomic<bool> whole{false};
    probe.body = [&] {
      const std::uint64_t word = value * 0x100000001ull;
      bool all = true;
      for (const std::uint64_t each : out) all = all && each == word;
      whole = all;
    };
    s.call(stream, how, probe);
    s.finish();
    s.expect(whole, "a host call saw less than the whole memset");
  }
}

void callback_waits_for_graph_launch(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    held* gate = nullptr;
    CUgraphExec graph = s.gate_graph(&gate);
    MUST(cu().GraphLaunch(graph, stream));
    host_call_probe& probe = s.probe();
    s.call(stream, how, probe);
    s.must_not_start(*gate, probe, "a host call started before the graph in front of it");
    s.finish();
  }
}

void callback_waits_for_value_wait(scene& s) {
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    held& gate = s.hold(stream);  // makes a word that the keeper looks after
    gate.open();
    MUST(cu().StreamSynchronize(stream));
    *gate.word = 0;
    MUST(cu().StreamWaitValue32(stream, s.on_device(gate.word), 1, CU_STREAM_WAIT_VALUE_GEQ));
    host_call_probe& probe = s.probe();
    s.call(stream, how, probe);
    s.must_not_start(gate, probe, "a host call started before a value wait in front of it");
    s.finish();
  }
}

const witness list[] = {
    {"callback_waits_for_kernel", callback_waits_for_kernel},
    {"third_callback_waits_for_kernel", third_callback_waits_for_kernel},
    {"hundredth_callback_waits_for_kernel", hundredth_callback_waits_for_kernel, true},
    {"crowded_callback_waits_for_kernel", crowded_callback_waits_for_kernel},
    {"callback_waits_for_download", callback_waits_for_download},
    {"callback_waits_for_pageable_download", callback_waits_for_pageable_download},
    {"hundredth_callback_sees_download", hundredth_callback_sees_download, true},
    {"callback_waits_for_upload", callback_waits_for_upload},
    {"callback_waits_for_memset", callback_waits_for_memset},
    {"callback_waits_for_graph_launch", callback_waits_for_graph_launch},
    {"callback_waits_for_value_wait", callback_waits_for_value_wait},
};

}  // namespace

std::span<const witness> start_witnesses() { return list; }

}  // namespace streamcts::faults::witness
