// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream-ordered allocation, and graphs that are to be launched by the device.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t payload = std::size_t{64} << 10;

CUdeviceptr allocate(CUstream stream) {
  CUdeviceptr made = 0;
  MUST(cu().MemAllocAsync(&made, payload, stream));
  return made;
}

void free_disturbs_nothing(scene& s) {
  CUstream stream = s.stream(), other = s.stream();
  const words out = s.pinned(payload);
  for (CUstream each : {stream, other}) MUST(cu().MemFreeAsync(allocate(each), each));
  MUST(cu().CtxSynchronize());
  const CUdeviceptr memory = allocate(stream);
  const std::uint64_t epoch = new_epoch();
  s.write(stream, memory, out.size(), epoch);
  MUST(cu().StreamSynchronize(stream));
  held& gate = s.hold(stream);
  MUST(cu().MemcpyDtoHAsync(out.data(), memory, payload, stream));
  MUST(cu().MemFreeAsync(memory, stream));
  const CUdeviceptr again = allocate(other);
  MUST(cu().MemsetD32Async(again, 0xE5E5E5E5u, payload / 4, other));
  MUST(cu().MemFreeAsync(again, other));
  // A driver may let the other stream wait for the memory: then it is not done before the gate opens.
  wait_until([&] { return gate.is_open() || cu().StreamQuery(other) == CUDA_SUCCESS; });
  gate.open();
  s.finish();
  s.expect(holds(out, epoch), "memory was handed out before what used it had finished");
}

void live_memory_is_used_once(scene& s) {
  constexpr int count = 6;
  CUstream stream = s.stream();
  CUdeviceptr memory[count];
  words outs[count];
  std::uint64_t epochs[count];
  for (int i = 0; i < count; ++i) {
    outs[i] = s.pinned(payload);
    epochs[i] = new_epoch();
    memory[i] = allocate(stream);
    s.write(stream, memory[i], outs[i].size(), epochs[i]);
  }
  for (int i = 0; i < count; ++i) {
    MUST(cu().MemcpyDtoHAsync(outs[i].data(), memory[i], payload, stream));
    MUST(cu().MemFreeAsync(memory[i], stream));
  }
  s.finish();
  for (int i = 0; i < count; ++i) {
    s.expect(holds(outs[i], epochs[i]), "memory was handed out twice");
  }
}

void allocation_can_be_used_elsewhere(scene& s) {
  CUstream stream = s.stream(), other = s.stream();
  CUevent event = s.event();
  const words out = s.pinned(payload);
  const CUdeviceptr memory = allocate(stream);
  MUST(cu().EventRecord(event, stream));
  MUST(cu().StreamWaitEvent(other, event, 0));
  const std::uint64_t epoch = new_epoch();
  s.write(other, memory, out.size(), epoch);
  MUST(cu().MemcpyDtoHAsync(out.data(), memory, payload, other));
  MUST(cu().MemFreeAsync(memory, other));
  s.finish();
  s.expect(holds(out, epoch), "what another stream wrote into an allocation was lost");
}

void graph_allocation_outlives_graph(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(payload);
  const std::uint64_t epoch = new_epoch();
  MUST(cu().StreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const CUdeviceptr memory = allocate(stream);
  s.write(stream, memory, out.size(), epoch);
  CUgraph graph = nullptr;
  MUST(cu().StreamEndCapture(stream, &graph));
  CUgraphExec executable = nullptr;
  const CUresult made = cu().GraphInstantiateWithFlags(&executable, graph, 0);
  cu().GraphDestroy(graph);
  MUST(made);
  MUST(cu().GraphLaunch(executable, stream));
  MUST(cu().MemcpyDtoHAsync(out.data(), memory, payload, stream));
  MUST(cu().MemFreeAsync(memory, stream));
  s.finish();
  cu().GraphExecDestroy(executable);
  s.expect(holds(out, epoch), "memory that a graph allocated was lost behind its launch");
}

void host_node_is_refused_for_device_launch(scene& s) {
  CUgraph graph = s.graph();
  CUgraphExec executable = nullptr;
  s.signal_node(graph, {}, s.control_word());
  constexpr unsigned long long flags = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
  MUST(cu().GraphInstantiateWithFlags(&executable, graph, flags));
  MUST(cu().GraphExecDestroy(executable));
  s.host_node(graph, {}, s.probe());
  const CUresult result = cu().GraphInstantiateWithFlags(&executable, graph, flags);
  if (result == CUDA_SUCCESS) cu().GraphExecDestroy(executable);
  s.expect(result != CUDA_SUCCESS, "a graph with a host node was made for launch by the device");
}

const witness list[] = {
    {"free_disturbs_nothing", free_disturbs_nothing},
    {"live_memory_is_used_once", live_memory_is_used_once},
    {"allocation_can_be_used_elsewhere", allocation_can_be_used_elsewhere},
    {"graph_allocation_outlives_graph", graph_allocation_outlives_graph},
    {"host_node_is_refused_for_device_launch", host_node_is_refused_for_device_launch},
};

}  // namespace

std::span<const witness> allocation_witnesses() { return list; }

}  // namespace streamcts::faults::witness
