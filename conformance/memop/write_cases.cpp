// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Value writes and batches: when they happen, and what whoever sees the value may rely on.

#include "conformance/clauses/clauses.h"
#include "conformance/memop/operations.h"
#include "kernels/parameters.h"

namespace streamcts {
namespace {

constexpr std::uint32_t token = 1;

// Promise:   MO-WRITE-001. A value write happens after all earlier work of its stream, behind a
//            system-wide fence: whoever sees the value also sees the earlier results.
// Defect:    the write waits for nothing, or for kernels alone, or is not behind a fence. The host sees
//            the value while the producer is held, or finds old words in the payload.
// Any speed: the producer is held until the write had its chance; then the host looks at the payload as
//            soon as it sees the value, whenever that is.
STREAMCTS_CASE(write_behind_producer, {.arrangement = "memop/write_behind_producer",
                                       .clauses = {clause::MO_WRITE_001},
                                       .axes = {memop_forms(), producers(), streams()},
                                       .needs = {need::device_gate, need::mapped_memory}}) {
  const auto form = context.get<memop_form>("form");
  require_memop(context, form);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  constexpr std::size_t words = 512 * 1024 / sizeof(std::uint64_t);
  product& out = scene.buffer(memory_kind::mapped, producer_of(context), words);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const control_word word = scene.marker();
    host_wait* wait = nullptr;
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.note(stream, "value write");
      write_value(context.cuda(), form, stream.get(), word.device(), token);
      wait = &scene.host_wait(scene.host_after(stream, "the host seeing the value"),
                              poll_word(word, token, context.calibration().patience()));
      wait->looks_at(out);
    });
    scene.drain();
    scene.expect_covered(clause::MO_WRITE_001, victim, *wait);
  }
}

// Promise:   MO-WRITE-002. A value write behind a host call does not happen before the host call has
//            returned.
// Defect:    writes are made by the thread that submits, or wait for the device alone. The host call finds
//            the value before it returns.
// Any speed: the host call holds itself until the write had its chance.
STREAMCTS_CASE(write_behind_host_call, {.arrangement = "memop/write_behind_host_call",
                                        .clauses = {clause::MO_WRITE_002},
                                        .axes = {host_calls(), memop_forms(), streams()},
                                        .needs = {need::device_gate, need::host_gate,
                                                  need::mapped_memory}}) {
  const auto form = context.get<memop_form>("form");
  require_memop(context, form);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const control_word marker = scene.marker();
    observer& held = scene.host_call(host_call_of(context));
    held.watches(marker);
    operation behind{};
    scene.hold_call(stream, held, [&] {
      behind = scene.note(stream, "value write");
      write_value(context.cuda(), form, stream.get(), marker.device(), token);
    });
    scene.drain();
    scene.expect_blocked(clause::MO_WRITE_002, held, behind);
    scene.expect(clause::MO_WRITE_002, held.op(), behind, failure_kind::lost, marker.load(),
                 ::testing::Eq(token));
  }
}

/// The width of a batch's operations.
enum class width { bits_32, bits_64 };
std::string_view name(width what) { return what == width::bits_32 ? "bits_32" : "bits_64"; }
axis widths() { return make_axis<width>("width", {width::bits_32, width::bits_64}); }

bool wide_batch(case_context& context) {
  const bool wide = context.get<width>("width") == width::bits_64;
  require_memop(context, wide ? memop_form::batch_64 : memop_form::batch_32);
  return wide;
}

// Promise:   MO-BATCH-001. The operations of a batch take effect in the order of the array, at the batch's
//            place in its stream.
// Defect:    writes are moved around a wait in the batch. The host sees the last value while the wait is
//            not satisfied, or before the first value; or a host call behind the batch starts too soon.
// Any speed: the host satisfies the wait only after all that is behind it had its chance.
STREAMCTS_CASE(batch_around_wait, {.arrangement = "memop/batch_around_wait",
                                   .clauses = {clause::MO_BATCH_001},
                                   .axes = {widths(), streams(), host_calls()},
                                   .needs = {need::mapped_memory, need::value_wait}}) {
  const bool wide = wide_batch(context);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const control_word first = scene.marker();
    const control_word last = scene.marker();
    observer& call = scene.host_call(host_call_of(context));
    gate::state at_call = gate::state::shut;
    std::uint32_t first_seen = 0, last_at_call = 0;
    operation victim{};
    host_wait* wait = nullptr;
    scene.hold_work([&] {
      const gate& held = scene.victim_gate();
      victim = scene.note(stream, "batch: write, wait, write");
      CUstreamBatchMemOpParams steps[] = {
          write_parameters(wide, first.device(), token),
          wait_parameters(wide, held.word().device(), kernels::gate_opened,
                          CU_STREAM_WAIT_VALUE_EQ),
          write_parameters(wide, last.device(), token)};
      STREAMCTS_CHECK(context.cuda().cuStreamBatchMemOp(stream.get(), 3, steps, 0));
      call.finally([&] {
        at_call = held.now();
        last_at_call = last.load();
      });
      scene.enqueue(stream, call);
      wait = &scene.host_wait(scene.host_after(stream, "the host seeing the last value"),
                              poll_word(last, token, context.calibration().patience()));
      wait->then([&first_seen, first] { first_seen = first.load(); });
    });
    scene.drain();
    scene.expect_covered(clause::MO_BATCH_001, victim, *wait);
    scene.expect(clause::MO_BATCH_001, victim, wait->op(), failure_kind::order, first_seen,
                 ::testing::Eq(token));
    scene.expect(clause::MO_BATCH_001, victim, call.op(), failure_kind::early, at_call, IsNotHeld());
    scene.expect(clause::MO_BATCH_001, victim, call.op(), failure_kind::missing, last_at_call,
                 ::testing::Eq(token));
  }
}

// Promise:   MO-BATCH-001. Of the writes of a batch, the host never sees a later one without the earlier
//            ones.
// Defect:    the writes of a batch are made in another order. The host sees the last value and misses one
//            in front of it.
// Any speed: the host looks, from the last word to the first, again and again until it has seen the last
//            round; what it sees is wrong at any time.
STREAMCTS_CASE(batch_of_writes, {.arrangement = "memop/batch_of_writes",
                                 .clauses = {clause::MO_BATCH_001},
                                 .axes = {widths()},
                                 .needs = {need::mapped_memory},
                                 .without_hold = "looks at the words while batches run"}) {
  const bool wide = wide_batch(context);
  constexpr std::size_t writes = 8;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  control_page page(context.cuda());
  std::vector<control_word> words;
  for (std::size_t i = 0; i < writes; ++i) words.push_back(page.next());
  const auto batches = static_cast<std::uint32_t>(context.by_tier(150, 400, 2000));
  std::uint32_t value = 0;
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    const operation all = scene.note(stream, "batches of eight writes");
    host_thread& enqueuer = scene.thread();
    const std::uint32_t end = value + batches;
    enqueuer.start([&, from = value] {
      for (std::uint32_t now = from + 1; now <= end; ++now) {
        std::array<CUstreamBatchMemOpParams, writes> steps;
        for (std::size_t i = 0; i < writes; ++i) {
          steps[i] = write_parameters(wide, words[i].device(), now);
        }
        STREAMCTS_CHECK(context.cuda().cuStreamBatchMemOp(stream.get(), writes, steps.data(), 0));
      }
    });
    std::uint32_t last = value, behind = 0;
    const auto start = std::chrono::steady_clock::now();
    while (last != end && std::chrono::steady_clock::now() - start <
                              context.calibration().patience()) {
      last = words[writes - 1].load();
      std::uint32_t least = last;
      for (std::size_t i = writes - 1; i-- > 0;) least = std::min(least, words[i].load());
      behind = std::max(behind, last - least);
    }
    enqueuer.wait(context.calibration().patience());
    scene.drain();
    scene.expect(clause::MO_BATCH_001, all, all, failure_kind::order, behind, ::testing::Eq(0u));
    scene.expect(clause::MO_BATCH_001, all, all, failure_kind::lost, last, ::testing::Eq(end));
    value = end;
  }
}

// Promise:   MO-BARRIER-001. A system-wide barrier in a batch orders writes in front of it in the stream
//            before those behind it, for the host.
// Defect:    the barrier is for the device alone, or waits for nothing. The host sees the value behind it
//            and old words of the payload in front.
// Any speed: the producer is held until the batch had its chance; then the host looks as soon as it sees
//            the value.
STREAMCTS_CASE(barrier_in_batch, {.arrangement = "memop/barrier_in_batch",
                                  .clauses = {clause::MO_BARRIER_001},
                                  .axes = {widths(), producers()},
                                  .needs = {need::device_gate, need::mapped_memory}}) {
  const bool wide = wide_batch(context);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  constexpr std::size_t words = 512 * 1024 / sizeof(std::uint64_t);
  product& out = scene.buffer(memory_kind::mapped, producer_of(context), words);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    const control_word word = scene.marker();
    host_wait* wait = nullptr;
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.note(stream, "batch: barrier, write");
      CUstreamBatchMemOpParams steps[2] = {};
      steps[0].memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
      steps[0].memoryBarrier.flags = CU_STREAM_MEMORY_BARRIER_TYPE_SYS;
      steps[1] = write_parameters(wide, word.device(), token);
      STREAMCTS_CHECK(context.cuda().cuStreamBatchMemOp(stream.get(), 2, steps, 0));
      wait = &scene.host_wait(scene.host_after(stream, "the host seeing the value"),
                              poll_word(word, token, context.calibration().patience()));
      wait->looks_at(out);
    });
    scene.drain();
    scene.expect_covered(clause::MO_BARRIER_001, victim, *wait);
  }
}

}  // namespace
}  // namespace streamcts
