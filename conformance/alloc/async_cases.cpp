// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream-ordered allocation: memory that comes and goes with the work of a stream.

#include <fmt/format.h>

#include <random>

#include "conformance/capture/capturing.h"
#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

void require_async_allocation(case_context& context) {
  using driver::feature;
  if (context.capabilities().works(feature::stream_ordered_allocation)) return;
  context.not_supported(
      fmt::format("stream_ordered_allocation = no ({})",
                  context.capabilities().of(feature::stream_ordered_allocation).reason));
}

CUdeviceptr allocate(const driver::function_table& cuda, CUstream stream, std::size_t bytes) {
  CUdeviceptr made = 0;
  STREAMCTS_CHECK(cuda.cuMemAllocAsync(&made, bytes, stream));
  return made;
}

/// Puts a kernel that writes fresh memory into @p on.
void use(case_context& context, lane& on, CUdeviceptr memory, const product& out) {
  context.kernels().write_pattern(on.get(), memory, out.data.words(), out.data.expected());
}

/// Puts a copy to the host and the free into @p on: the memory becomes the payload @p out.
void bring_and_free(case_context& context, lane& on, CUdeviceptr memory, product& out) {
  payload& data = out.data;
  STREAMCTS_CHECK(context.cuda().cuMemcpyDtoHAsync(data.host_words().data(), memory, data.bytes(),
                                                   on.get()));
  STREAMCTS_CHECK(context.cuda().cuMemFreeAsync(memory, on.get()));
}

// Promise:   AL-001. Memory allocated in a stream can be used by later work of it, up to a host call that
//            looks at a copy.
// Defect:    the memory is there only after the first kernel, or a block is handed out twice. The host
//            call finds the sentinel, or words of another block.
// Any speed: each host call looks at its own block's copy, whenever it runs; several blocks of random
//            sizes are alive and written before the first is copied.
STREAMCTS_CASE(used_in_stream, {.arrangement = "alloc/used_in_stream",
                                .clauses = {clause::AL_001},
                                .axes = {streams(), host_calls()},
                                .without_hold = "contents of every block"}) {
  require_async_allocation(context);
  constexpr std::size_t blocks = 6;
  std::mt19937_64 random(context.seed());
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  std::vector<product*> outs;
  for (std::size_t i = 0; i < blocks; ++i) {
    outs.push_back(&scene.buffer(memory_kind::mapped, producer::kernel,
                                 payload::visibility_words + random() % 4096));
  }
  while (scene.next_round(context.by_tier(3, 20, 500))) {
    std::vector<observer*> calls;
    std::vector<CUdeviceptr> memory;
    for (product* each : outs) {
      scene.note(stream, "allocation");
      memory.push_back(allocate(context.cuda(), stream.get(), each->data.bytes()));
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      scene.note(stream, fmt::format("kernel writing block {}", i + 1));
      use(context, stream, memory[i], *outs[i]);
    }
    for (std::size_t i = 0; i < blocks; ++i) {
      outs[i]->written = scene.note(stream, fmt::format("copy of block {}", i + 1));
      bring_and_free(context, stream, memory[i], *outs[i]);
      calls.push_back(&scene.host_call(host_call_of(context)));
      calls.back()->looks_at(*outs[i]);
      scene.enqueue(stream, *calls.back());
    }
    scene.drain();
    for (const observer* each : calls) {
      scene.expect_complete(clause::AL_001, each->glances().front().at->written.value(), *each);
    }
  }
}

// Promise:   AL-002. Memory allocated in one stream can be used in another that an event orders behind
//            the allocation.
// Defect:    only its own stream knows when it is there. The other stream's host call finds the sentinel.
// Any speed: the other stream waits for the event; its host call looks at the copy, whenever it runs.
STREAMCTS_CASE(used_elsewhere, {.arrangement = "alloc/used_elsewhere",
                                .clauses = {clause::AL_002},
                                .axes = {created_streams(), host_calls()},
                                .without_hold = "contents of every block"}) {
  require_async_allocation(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event();
  product& front = scene.buffer(memory_kind::mapped);
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(4, 20, 300))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(front);
    call.looks_at(out);
    scene.write(stream, front);
    const operation made = scene.note(stream, "allocation");
    const CUdeviceptr memory = allocate(context.cuda(), stream.get(), out.data.bytes());
    scene.record(event, stream);
    scene.wait(other, event);
    out.written = scene.note(other, "kernel and copy of the block");
    use(context, other, memory, out);
    bring_and_free(context, other, memory, out);
    scene.enqueue(other, call);
    scene.drain();
    scene.expect_complete(clause::AL_002, made, call);
  }
}

// Promise:   AL-003. A stream-ordered free does not disturb what is in front of it, even if the memory is
//            handed out again at once, in whichever stream.
// Defect:    the block goes to another stream when the free is called, not when it is done. The copy in
//            front of the free has words of the other stream's memset.
// Any speed: what uses the block is held in front of its copy until another stream had its chance to
//            overwrite whatever it was given.
STREAMCTS_CASE(reused_after_free, {.arrangement = "alloc/reused_after_free",
                                   .clauses = {clause::AL_003},
                                   .axes = {created_streams()},
                                   .needs = {need::device_gate, need::mapped_memory}}) {
  require_async_allocation(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped);
  const std::size_t bytes = out.data.bytes();
  // Twice what a round needs goes through the pool first: later allocations need not make any.
  for (lane* each : {&stream, &other}) {
    const CUdeviceptr blocks[] = {allocate(cuda, each->get(), bytes),
                                  allocate(cuda, each->get(), bytes)};
    for (const CUdeviceptr block : blocks) STREAMCTS_CHECK(cuda.cuMemFreeAsync(block, each->get()));
  }
  STREAMCTS_CHECK(cuda.cuCtxSynchronize());
  while (scene.next_round(context.by_tier(4, 10, 100))) {
    const CUdeviceptr memory = allocate(cuda, stream.get(), bytes);
    context.kernels().write_pattern(stream.get(), memory, out.data.words(), out.data.expected());
    stream.stream.synchronize();
    observer& call = scene.host_call(host_call::launch_host_func);
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(cuda, context.kernels(), stream.get(), gate_kind::mapped_flag);
      victim = scene.note(stream, "copy of the block");
      out.written = victim;
      STREAMCTS_CHECK(
          cuda.cuMemcpyDtoHAsync(out.data.host_words().data(), memory, bytes, stream.get()));
      scene.note(stream, "free");
      STREAMCTS_CHECK(cuda.cuMemFreeAsync(memory, stream.get()));
      scene.enqueue(stream, call);
      scene.note(other, "allocation, memset and free");
      const CUdeviceptr again = allocate(cuda, other.get(), bytes);
      STREAMCTS_CHECK(cuda.cuMemsetD32Async(again, 0xE5E5E5E5u, bytes / 4, other.get()));
      STREAMCTS_CHECK(cuda.cuMemFreeAsync(again, other.get()));
    });
    scene.drain();
    scene.expect_complete(clause::AL_003, victim, call);
  }
}

// Promise:   AL-008. An allocation that is captured becomes a node; what is not freed in the graph can be
//            used by work behind the launch, until that frees it.
// Defect:    the memory is taken back when the graph has ended. The host call finds the sentinel, or
//            other words.
// Any speed: the work behind the launch is in its stream; its host call looks, whenever it runs.
STREAMCTS_CASE(captured_allocation, {.arrangement = "alloc/captured",
                                     .clauses = {clause::AL_008},
                                     .axes = {created_streams(), host_calls()},
                                     .without_hold = "contents of the block behind each launch"}) {
  require_async_allocation(context);
  require_capture(context);
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped, producer::copy);
  payload& data = out.data;
  capture recording(cuda, stream.get());
  const CUdeviceptr memory = allocate(cuda, stream.get(), data.bytes());
  context.kernels().copy_words(stream.get(), memory, out.source.address(), data.words());
  const driver::graph made = recording.take();
  const driver::graph_exec graph(made, CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH);
  // An odd number of rounds: nothing is left allocated after the last.
  for (int round = 0; scene.next_round(context.by_tier(5, 11, 101)); ++round) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    const operation launch = scene.note(stream, "graph with an allocation");
    graph.launch(stream.get());
    out.written = scene.note(stream, "copy of the block");
    STREAMCTS_CHECK(
        cuda.cuMemcpyDtoHAsync(data.host_words().data(), memory, data.bytes(), stream.get()));
    // Every other launch is left to free what the one before it made.
    if (round % 2 == 0) STREAMCTS_CHECK(cuda.cuMemFreeAsync(memory, stream.get()));
    scene.enqueue(stream, call);
    scene.drain();
    scene.expect_complete(clause::AL_008, launch, call);
  }
}

}  // namespace
}  // namespace streamcts
