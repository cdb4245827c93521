// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Two operations of one stream, of every two kinds.

#include <fmt/format.h>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"

namespace streamcts {
namespace {

/// How much the two operations move: copies of different sizes may take different ways.
enum class size { words_8k, words_1m };
std::string_view name(size what) { return what == size::words_8k ? "64k" : "8m"; }
std::size_t words_of(size what) { return what == size::words_8k ? 8192 : std::size_t{1} << 20; }

axis sizes() { return make_axis<size>("bytes", {size::words_8k, {size::words_1m, tier::standard}}); }

/// The order of host calls has clauses of its own.
axis device_consumers() {
  return make_axis<consumer>("consumer", {consumer::kernel, consumer::copy, consumer::upload,
                                          consumer::memset, consumer::graph});
}

// Promise:   ST-ORDER-001. Of two operations of one stream the second starts when the first has ended, and
//            sees what it did.
// Defect:    copies and memsets overtake kernels, or the other way round. What the second read is the
//            epoch of the round before; where it overwrote the first, the first's pattern is there.
// Any speed: the first is held until the second had its chance.
STREAMCTS_CASE(second_after_first, {.arrangement = "stream/order",
                                    .clauses = {clause::ST_ORDER_001},
                                    .axes = {producers(), device_consumers(), streams(), sizes()},
                                    .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& in = scene.buffer(input_of(consumer_of(context)), producer_of(context),
                             words_of(context.get<size>("bytes")));
  consumption behind(context, scene, consumer_of(context), in);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, in);
      behind.enqueue(stream);
    });
    scene.drain();
    behind.expect_ordered(clause::ST_ORDER_001, victim);
  }
}

// Promise:   ST-ORDER-001, for the last of many operations of one kind.
// Defect:    behind so many kernels, copies or memsets an operation is not ordered any more. What it reads
//            is the epoch of the round before.
// Any speed: the first of 70 is held until the last had its chance. The ones between write elsewhere, so
//            that none of them can do the first one's work. The canary stands behind some kernels, too: the
//            last operation, where it forgets the first, may still have to wait for those between.
STREAMCTS_CASE(last_after_many, {.arrangement = "stream/order_many",
                                 .clauses = {clause::ST_ORDER_001},
                                 .axes = {producers(), device_consumers()},
                                 .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& in = scene.buffer(input_of(consumer_of(context)), producer_of(context), 512);
  constexpr driver::launch_shape small = {1, 32};
  product& between = scene.buffer(memory_kind::mapped, producer_of(context), 64);
  product& beside = scene.buffer(memory_kind::mapped, producer::kernel, 64);
  consumption behind(context, scene, consumer_of(context), in);
  const auto write_small = [&](CUstream on, const payload& to) {
    context.kernels().write_pattern(on, to.target(), to.words(), to.expected(), 0, small);
  };
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, in);
      for (int i = 0; i < 70; ++i) {
        if (producer_of(context) == producer::kernel) {
          scene.note(stream, fmt::format("kernel {} between", i + 1));
          write_small(stream.get(), between.data);
        } else {
          scene.write(stream, between);
        }
      }
      behind.enqueue(stream);
      for (int i = 0; i < 16; ++i) write_small(scene.canary_stream(), beside.data);
    });
    scene.drain();
    behind.expect_ordered(clause::ST_ORDER_001, victim);
  }
}

// Promise:   ST-ORDER-001, whichever host threads enqueue the operations.
// Defect:    what one thread enqueued is not known to the next. What the second operation reads is the
//            epoch of the round before.
// Any speed: the first is held until the second had its chance; the thread that enqueues the second begins
//            when the first's call has returned.
STREAMCTS_CASE(second_of_other_thread, {.arrangement = "stream/order_threads",
                                        .clauses = {clause::ST_ORDER_001},
                                        .axes = {producers(), device_consumers(), streams()},
                                        .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& in = scene.buffer(input_of(consumer_of(context)), producer_of(context));
  consumption behind(context, scene, consumer_of(context), in);
  host_thread& first = scene.thread();
  host_thread& second = scene.thread();
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    operation victim{};
    scene.hold_work([&] {
      first.run([&] { victim = scene.victim(stream, in); });
      second.run([&] { behind.enqueue(stream); });
    });
    scene.drain();
    behind.expect_ordered(clause::ST_ORDER_001, victim);
  }
}

}  // namespace
}  // namespace streamcts
