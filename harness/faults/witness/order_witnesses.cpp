// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The order of one stream, host calls apart.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;

bool changed(const words& out) {
  return look(reinterpret_cast<const std::uint32_t*>(out.data())) !=
         static_cast<std::uint32_t>(sentinel);
}

void copy_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(mebi);
  CUdeviceptr source = s.device(mebi);
  s.write(stream, source, out.size(), new_epoch());
  MUST(cu().StreamSynchronize(stream));
  held& gate = s.hold(stream);
  MUST(cu().MemcpyDtoHAsync(out.data(), source, mebi, stream));
  s.must_not_happen(gate, [&] { return changed(out); }, "a copy passed a kernel");
}

void memset_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(mebi);
  held& gate = s.hold(stream);
  MUST(cu().MemsetD32Async(s.on_device(out.data()), 1, mebi / 4, stream));
  s.must_not_happen(gate, [&] { return changed(out); }, "a memset passed a kernel");
}

void small_upload_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  const words source = s.pinned(32 << 10);
  const std::uint64_t last = new_epoch();
  fill(source, last);
  CUdeviceptr target = s.device(source.size_bytes());
  held& gate = s.hold_and_write(stream, target, source.size(), new_epoch());
  MUST(cu().MemcpyHtoDAsync(target, source.data(), source.size_bytes(), stream));
  // Gives an upload that does not wait the time to be first.
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  gate.open();
  s.finish();
  std::vector<std::uint64_t> arrived(source.size());
  MUST(cu().MemcpyDtoH(arrived.data(), target, source.size_bytes()));
  s.expect(holds(arrived, last), "a small upload passed a kernel");
}

void kernel_waits_for_copy(scene& s) {
  CUstream stream = s.stream();
  const words source = s.pinned(mebi);
  const std::uint64_t epoch = new_epoch();
  fill(source, epoch);
  CUdeviceptr first = s.device(mebi), second = s.device(mebi);
  s.write(stream, first, source.size(), new_epoch());
  MUST(cu().StreamSynchronize(stream));
  MUST(cu().MemcpyHtoDAsync(first, source.data(), mebi, stream));
  s.copy_words(stream, second, first, source.size());
  s.finish();
  std::vector<std::uint64_t> arrived(source.size());
  MUST(cu().MemcpyDtoH(arrived.data(), second, mebi));
  s.expect(holds(arrived, epoch), "a kernel passed a copy");
}

void kernels_keep_order_beyond_64(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  std::uint32_t* const begun = s.control_word();
  for (int i = 0; i < 70; ++i) s.signal(stream, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "with 70 kernels pending, one passed the others");
}

void kernel_of_another_thread_waits(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  std::uint32_t* const begun = s.control_word();
  CUcontext context = nullptr;
  MUST(cu().CtxGetCurrent(&context));
  std::thread([&] {
    cu().CtxSetCurrent(context);
    s.signal(stream, begun);
  }).join();
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a kernel passed one that another thread had enqueued before it");
}

void kernel_waits_for_value_wait(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  gate.open();
  MUST(cu().StreamSynchronize(stream));
  *gate.word = 0;
  MUST(cu().StreamWaitValue32(stream, s.on_device(gate.word), 1, CU_STREAM_WAIT_VALUE_GEQ));
  std::uint32_t* const begun = s.control_word();
  s.signal(stream, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; }, "a kernel passed a value wait");
}

void value_write_waits_for_copy(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(mebi);
  CUdeviceptr source = s.device(mebi);
  const std::uint64_t epoch = new_epoch();
  s.write(stream, source, out.size(), epoch);
  std::uint32_t* const word = s.control_word();
  MUST(cu().MemcpyDtoHAsync(out.data(), source, mebi, stream));
  MUST(cu().StreamWriteValue32(stream, s.on_device(word), 1, 0));
  if (!wait_until([&] { return look(word) != 0; })) return s.cannot_tell("no value was written");
  s.expect(holds(out, epoch), "a value was written before the copy in front of it");
}

void value_write_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  held& gate = s.hold(stream);
  std::uint32_t* const word = s.control_word();
  MUST(cu().StreamWriteValue32(stream, s.on_device(word), 1, 0));
  s.must_not_happen(gate, [&] { return look(word) != 0; },
                    "a value was written before the kernel in front of it");
}

void priority_stream_keeps_order(scene& s) {
  int least = 0, greatest = 0;
  MUST(cu().CtxGetStreamPriorityRange(&least, &greatest));
  CUstream stream = s.stream(CU_STREAM_NON_BLOCKING, greatest);
  held& gate = s.hold(stream);
  std::uint32_t* const begun = s.control_word();
  s.signal(stream, begun);
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a kernel of a priority stream passed another of its stream");
}

void graph_launch_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  std::uint32_t* const begun = s.control_word();
  CUgraphExec graph = s.signal_graph(begun);
  held& gate = s.hold(stream);
  MUST(cu().GraphLaunch(graph, stream));
  s.must_not_happen(gate, [&] { return look(begun) != 0; }, "a graph passed a kernel");
}

void kernel_waits_for_graph_launch(scene& s) {
  CUstream stream = s.stream();
  held* gate = nullptr;
  CUgraphExec graph = s.gate_graph(&gate);
  std::uint32_t* const begun = s.control_word();
  MUST(cu().GraphLaunch(graph, stream));
  s.signal(stream, begun);
  s.must_not_happen(*gate, [&] { return look(begun) != 0; }, "a kernel passed a graph");
}

const witness list[] = {
    {"copy_waits_for_kernel", copy_waits_for_kernel},
    {"memset_waits_for_kernel", memset_waits_for_kernel},
    {"small_upload_waits_for_kernel", small_upload_waits_for_kernel},
    {"kernel_waits_for_copy", kernel_waits_for_copy},
    {"kernels_keep_order_beyond_64", kernels_keep_order_beyond_64},
    {"kernel_of_another_thread_waits", kernel_of_another_thread_waits},
    {"kernel_waits_for_value_wait", kernel_waits_for_value_wait},
    {"value_write_waits_for_copy", value_write_waits_for_copy},
    {"value_write_waits_for_kernel", value_write_waits_for_kernel},
    {"priority_stream_keeps_order", priority_stream_keeps_order},
    {"graph_launch_waits_for_kernel", graph_launch_waits_for_kernel},
    {"kernel_waits_for_graph_launch", kernel_waits_for_graph_launch},
};

}  // namespace

std::span<const witness> order_witnesses() { return list; }

}  // namespace streamcts::faults::witness
