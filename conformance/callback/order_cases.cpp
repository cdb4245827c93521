// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// When a host call starts: after everything in front of it, and not after what is behind it.

#include <algorithm>
#include <chrono>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

std::vector<clause_id> order_clauses(const parameters& values) {
  const bool kernel = values.get<producer>("producer") == producer::kernel;
  return {by_host_call(values, kernel ? clause::CB_ORDER_001 : clause::CB_ORDER_002,
                       clause::HF_ORDER_001)};
}

// Promise:   CB-ORDER-001, CB-ORDER-002, HF-ORDER-001. A host call starts only after the kernels,
//            copies and memsets in front of it in its stream have finished.
// Defect:    it runs when the work in front was submitted, or watches only one engine. It finds the
//            sentinel, or in device memory the pattern of the round before.
// Any speed: the producer is held shut until the host call had its chance; what the host call then
//            finds unwritten was not finished, however fast either side is.
STREAMCTS_CASE(after_producer, {.arrangement = "callback/after_producer",
                                .clauses = {clause::CB_ORDER_001, clause::CB_ORDER_002,
                                            clause::HF_ORDER_001},
                                .clauses_of = order_clauses,
                                .axes = {host_calls(), streams(), producers(), memories()},
                                .needs = {need::device_gate},
                                .needs_of = needs_of_memory}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_of(context), producer_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

std::size_t within(double bytes, std::size_t least, std::size_t most) {
  return std::clamp(static_cast<std::size_t>(bytes), least, most) / sizeof(std::uint64_t);
}

/// A size whose copy takes long beside the latency of a host call, as far as the tier affords.
std::size_t long_copy_words(const case_context& context) {
  constexpr std::size_t mib = 1024 * 1024;
  const std::chrono::duration<double> window = 20 * context.calibration().host_call_latency_p999;
  const std::size_t most = static_cast<std::size_t>(context.by_tier(8, 64, 256)) * mib;
  return within(window.count() * context.calibration().copy_bytes_per_second, 5 * mib, most);
}

// Promise:   CB-ORDER-001, CB-ORDER-002, HF-ORDER-001. The same for payloads that take long: the
//            host call does not start before the last word of them has been written.
// Defect:    it waits for kernels and not for the copy engine, or for the first piece of a copy that
//            is done in pieces. It finds the sentinel in the last words.
// Any speed: everything is enqueued before the producer is let go. What is found unwritten was not
//            finished; a fast copy merely hides the defect.
STREAMCTS_CASE(after_large, {.arrangement = "callback/after_large",
                             .clauses = {clause::CB_ORDER_001, clause::CB_ORDER_002,
                                         clause::HF_ORDER_001},
                             .clauses_of = order_clauses,
                             .axes = {host_calls(), producers()},
                             .needs = {need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  const producer by = producer_of(context);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(by == producer::copy ? memory_kind::copied : memory_kind::mapped, by,
                              long_copy_words(context));
  while (scene.next_round(context.by_tier(1, 2, 10))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

// Promise:   CB-ORDER-002, HF-ORDER-001. A host call waits for a copy or memset also where no kernel
//            at all is in front of it.
// Defect:    it watches the compute queue, which is empty, and starts at once. It finds the sentinel.
// Any speed: the copy is held by a wait for a value until the host call had its chance.
STREAMCTS_CASE(after_copy_alone, {.arrangement = "callback/after_copy_alone",
                                  .clauses = {clause::CB_ORDER_002, clause::HF_ORDER_001},
                                  .clauses_of = order_clauses,
                                  .axes = {host_calls(),
                                           make_axis<producer>("producer", {producer::copy,
                                                                            producer::memset}),
                                           streams()},
                                  .needs = {need::mapped_memory, need::value_wait}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped, producer_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      scene.note(stream, "wait for a value");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::value_wait);
      victim = scene.write(stream, out);
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

/// The grid of a kernel: how many blocks of four threads. Each thread of the last one is late, and a CPU
/// runs them one after another.
enum class grid { one, few, many };
std::string_view name(grid what) {
  switch (what) {
    case grid::one: return "one_block";
    case grid::few: return "blocks_16";
    case grid::many: return "blocks_1024";
  }
  return "unknown";
}

unsigned blocks_of(grid what) {
  switch (what) {
    case grid::one: return 1;
    case grid::few: return 16;
    case grid::many: return 1024;
  }
  return 1;
}

// Promise:   CB-ORDER-001, HF-ORDER-001. A host call starts only after the last block of the kernel in
//            front of it has finished, however late that block is.
// Defect:    it starts when the kernel begins or its first blocks retire. It finds the sentinel in the
//            words of the last block.
// Any speed: the last block is late by many times the latency of a host call, which only buys the
//            chance to see it; what is found unwritten was not finished.
STREAMCTS_CASE(after_late_block, {.arrangement = "callback/after_late_block",
                                  .clauses = {clause::CB_ORDER_001, clause::HF_ORDER_001},
                                  .clauses_of = [](const parameters& values) {
                                    return std::vector{by_host_call(values, clause::CB_ORDER_001,
                                                                    clause::HF_ORDER_001)};
                                  },
                                  .axes = {host_calls(), make_axis<grid>("grid", {grid::one, grid::few,
                                                                                  grid::many})},
                                  .needs = {need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  const std::chrono::nanoseconds late =
      std::clamp<std::chrono::nanoseconds>(20 * context.calibration().host_call_latency_p999,
                                           std::chrono::milliseconds(1),
                                           std::chrono::milliseconds(context.by_tier(3, 20, 80)));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(1, 3, 20))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      victim = scene.note(stream, "kernel with a late last block");
      out.written = victim;
      const payload& data = out.data;
      context.kernels().write_pattern(stream.get(), data.target(), data.words(), data.expected(),
                                      static_cast<std::uint64_t>(late.count()),
                                      {blocks_of(context.get<grid>("grid")), 4});
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(promise, victim, call);
  }
}

/// The streams that the cover of the other cases leaves out.
axis other_streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::legacy, stream_kind::per_thread,
                                           stream_kind::high_priority, stream_kind::low_priority});
}

std::vector<need> needs_of_stream(const parameters& values) {
  using driver::stream_kind;
  const stream_kind kind = values.get<stream_kind>("stream");
  if (kind == stream_kind::high_priority || kind == stream_kind::low_priority) {
    return {need::stream_priorities};
  }
  return {};
}

// Promise:   CB-ORDER-001, CB-BLOCK-001, HF-ORDER-001, HF-BLOCK-001. In every kind of stream a host
//            call starts after the kernel in front of it, and the kernel behind it after the host call.
// Defect:    one kind of stream has a path of its own that keeps no order. The host call finds the
//            sentinel; or the kernel's mark, before it has returned.
// Any speed: first the kernel is held, then the host call, each until what comes later had its chance.
STREAMCTS_CASE(in_any_stream, {.arrangement = "callback/in_any_stream",
                               .clauses = {clause::CB_ORDER_001, clause::CB_BLOCK_001,
                                           clause::HF_ORDER_001, clause::HF_BLOCK_001},
                               .clauses_of = [](const parameters& values) {
                                 return std::vector{by_host_call(values, clause::CB_ORDER_001,
                                                                 clause::HF_ORDER_001),
                                                    by_host_call(values, clause::CB_BLOCK_001,
                                                                 clause::HF_BLOCK_001)};
                               },
                               .axes = {host_calls(), other_streams()},
                               .needs = {need::device_gate, need::host_gate, need::mapped_memory},
                               .needs_of = needs_of_stream}) {
  const clause_id starts = context.instance().clauses[0];
  const clause_id blocks = context.instance().clauses[1];
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.enqueue(stream, call);
    }, {starts});
    scene.drain();
    scene.expect_complete(starts, victim, call);

    observer& held = scene.host_call(host_call_of(context));
    const control_word marker = scene.marker();
    held.watches(marker);
    operation behind{};
    scene.hold_call(stream, held, [&] { behind = scene.signal(stream, marker); },
                    {.clauses = {blocks}});
    scene.drain();
    scene.expect_blocked(blocks, held, behind);
  }
}

}  // namespace
}  // namespace streamcts
