// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of copies: their place in the stream, and when they read their sources.

#include <algorithm>
#include <array>
#include <vector>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// The copies of one batch, all by one access order.
class copy_batch {
 public:
  copy_batch(case_context& context, CUmemcpySrcAccessOrder order) : context_(context) {
    const driver::function_table& cuda = context.cuda();
    if (!cuda.cuMemcpyBatchAsync_v2 && !cuda.cuMemcpyBatchAsync_v1) {
      context.not_supported("cuMemcpyBatchAsync is absent");
    }
    attributes_.srcAccessOrder = order;
  }
  void add(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
    to_.push_back(to);
    from_.push_back(from);
    bytes_.push_back(bytes);
  }
  void enqueue(CUstream stream) {
    const driver::function_table& cuda = context_.cuda();
    std::size_t first = 0, failed = 0;
    if (cuda.cuMemcpyBatchAsync_v2) {
      STREAMCTS_CHECK(cuda.cuMemcpyBatchAsync_v2(to_.data(), from_.data(), bytes_.data(), to_.size(),
                                                 &attributes_, &first, 1, stream));
    } else {
      STREAMCTS_CHECK(cuda.cuMemcpyBatchAsync_v1(to_.data(), from_.data(), bytes_.data(), to_.size(),
                                                 &attributes_, &first, 1, &failed, stream));
    }
  }

 private:
  case_context& context_;
  CUmemcpyAttributes attributes_{};
  std::vector<CUdeviceptr> to_, from_;
  std::vector<std::size_t> bytes_;
};

CUdeviceptr address_of(const void* host) { return reinterpret_cast<CUdeviceptr>(host); }

/// Cuts @p words words into @p pieces stretches of very different lengths; calls @p take(first, count).
template <typename Take>
void cut(std::size_t words, std::size_t pieces, Take take) {
  std::size_t first = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    // The largest comes first and the smallest last: what is listed last is done first.
    const std::size_t left = words - first;
    const std::size_t count = i + 1 == pieces ? left : std::max<std::size_t>(1, left / 8);
    take(first, count);
    first += count;
  }
}

// Promise:   VS-COPY-006. A batch of copies starts after earlier work, and a host call behind it finds all
//            of its copies done.
// Defect:    the host call waits for the copy that is listed last, or none of the batch waits for the
//            kernel in front. It finds the sentinel, or what the source held before.
// Any speed: the kernel that writes the source is held until the host call is enqueued.
STREAMCTS_CASE(as_a_whole, {.arrangement = "copy/batch",
                            .clauses = {clause::VS_COPY_006},
                            .axes = {host_calls(), created_streams()},
                            .needs = {need::device_gate, need::mapped_memory}}) {
  constexpr std::size_t pieces = 64;
  const auto words = static_cast<std::size_t>(context.by_tier(4, 32, 128)) << 14;
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, words);
  const driver::device_buffer source(context.cuda(), words * 8);
  copy_batch batch(context, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
  cut(words, pieces, [&](std::size_t first, std::size_t count) {
    batch.add(address_of(out.data.host_words().data() + first), source.address() + first * 8,
              count * 8);
  });
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      gate& held = scene.victim_gate();
      victim = scene.note(stream, "held kernel writing the sources");
      context.kernels().gated_write(stream.get(), held.word().device(),
                                    held.begun_word().device(), 1,
                                    static_cast<std::uint64_t>(held.timeout().count()),
                                    source.address(), words, out.data.expected());
      out.written = scene.note(stream, "batch of copies");
      batch.enqueue(stream.get());
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(clause::VS_COPY_006, victim, call);
  }
}

// Promise:   VS-COPY-008. With the source order "during the call" the sources may be overwritten as soon
//            as the call has returned.
// Defect:    the order is taken for that of the stream. A host call finds the sentinel, which the sources
//            were overwritten with, in the targets.
// Any speed: a kernel in front keeps the stream busy, so that a source that is read in stream order is
//            read after it was overwritten. One that is read sooner merely hides the defect.
STREAMCTS_CASE(during_call, {.arrangement = "copy/batch_during_call",
                             .clauses = {clause::VS_COPY_008},
                             .axes = {host_calls()},
                             .needs = {need::mapped_memory},
                             .without_hold = "the call may wait for the stream while it reads, so what is "
                                             "in front ends by itself"}) {
  constexpr std::size_t words = 32 * 1024;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::copied, producer::kernel, words);
  std::vector<std::uint64_t> heap(words / 2);
  std::array<std::uint64_t, words / 2> stack{};
  copy_batch batch(context, CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL);
  batch.add(out.data.target(), address_of(heap.data()), heap.size() * 8);
  batch.add(out.data.target() + heap.size() * 8, address_of(stack.data()), stack.size() * 8);
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    const kernels::pattern expected = out.data.expected();
    fill_with_pattern(heap, expected);
    fill_with_pattern(stack, {expected.word(heap.size()), expected.step});
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    scene.note(stream, "delay");
    context.kernels().delay(stream.get(), 2'000'000);
    const operation copied = scene.note(stream, "batch of copies from ordinary memory");
    out.written = copied;
    batch.enqueue(stream.get());
    fill_with_sentinel(heap);
    fill_with_sentinel(stack);
    out.data.deliver(stream.get());
    scene.enqueue(stream, call);
    scene.drain();
    scene.expect_complete(clause::VS_COPY_008, copied, call);
  }
}

// Promise:   VS-COPY-009. With the source order "stream" a batch copies what a host call in front of it
//            has written into the sources.
// Defect:    the sources are read during the call, whatever the order. A host call behind finds the
//            sentinel in the targets.
// Any speed: the host call that writes the source is held until the batch is enqueued.
STREAMCTS_CASE(in_stream, {.arrangement = "copy/batch_stream_order",
                           .clauses = {clause::VS_COPY_009},
                           .axes = {host_calls()},
                           .needs = {need::device_gate, need::host_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& in = scene.buffer(memory_kind::pinned);
  product& out = scene.buffer(memory_kind::copied);
  copy_batch batch(context, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
  cut(in.data.words(), 8, [&](std::size_t first, std::size_t count) {
    batch.add(out.data.target() + first * 8, address_of(in.data.host_words().data() + first),
              count * 8);
  });
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    out.data.begin_round(in.data.expected());
    observer& writer = scene.host_call(host_call_of(context));
    writer.finally([&in] { fill_with_pattern(in.data.host_words(), in.data.expected()); });
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    scene.hold_call(stream, writer, [&] {
      out.written = scene.note(stream, "batch of copies");
      batch.enqueue(stream.get());
      out.data.deliver(stream.get());
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(clause::VS_COPY_009, writer.op(), call);
  }
}

}  // namespace
}  // namespace streamcts
