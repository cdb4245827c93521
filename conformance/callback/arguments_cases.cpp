// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What a callback is given.

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <deque>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// What one execution was given.
struct arguments {
  CUstream stream = nullptr;
  void* data = nullptr;
  friend bool operator==(const arguments&, const arguments&) = default;
  friend void PrintTo(const arguments& what, std::ostream* out) {
    *out << fmt::format("stream {} and userData {}", fmt::ptr(what.stream), fmt::ptr(what.data));
  }
};

/// The arguments of a run of callbacks, in the order in which they ran. A callback knows nothing but its
/// arguments, and these may be anything; so where to write comes from here.
struct recorder {
  static constexpr std::size_t capacity = 64;
  std::atomic<std::size_t> used{0};
  std::atomic<std::size_t> written{0};
  std::array<arguments, capacity> seen{};
};
std::atomic<recorder*> current_recorder{nullptr};

/// A recorder for one round, kept until the process ends: late executions may still find it.
recorder& next_recorder() {
  static auto* const kept = new std::deque<recorder>;
  recorder& made = kept->emplace_back();
  current_recorder.store(&made, std::memory_order_release);
  return made;
}

void CUDA_CB record_arguments(CUstream stream, CUresult, void* data) {
  recorder* into = current_recorder.load(std::memory_order_acquire);
  const std::size_t at = into->used.fetch_add(1, std::memory_order_acq_rel);
  if (at < recorder::capacity) into->seen[at] = {stream, data};
  into->written.fetch_add(1, std::memory_order_acq_rel);
}

void await_count(const case_context& context, const recorder& into, std::size_t count) {
  const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
  for (unsigned step = 0; into.written.load(std::memory_order_acquire) < count; ++step) {
    if (std::chrono::steady_clock::now() > limit) return;
    relax_thread(step);
  }
}

/// Values that a driver may take for something else: none, odd, negative, above and below 32 bits.
std::vector<void*> telling_values() {
  static int object = 0;
  std::vector<void*> values;
  for (const std::uintptr_t each :
       {std::uintptr_t{0}, std::uintptr_t{1}, std::uintptr_t{2}, ~std::uintptr_t{0},
        std::uintptr_t{0x00000000FFFFFFFF}, std::uintptr_t{0x0123456789ABCDEF},
        std::uintptr_t{0xFEDCBA9876543211}, reinterpret_cast<std::uintptr_t>(&object)}) {
    values.push_back(reinterpret_cast<void*>(each));
  }
  return values;
}

/// Every kind of stream whose handle a callback can be registered with.
axis all_streams() {
  using driver::stream_kind;
  return make_axis<stream_kind>("stream", {stream_kind::null_stream, stream_kind::legacy,
                                           stream_kind::per_thread, stream_kind::blocking,
                                           stream_kind::non_blocking});
}

enum class table { legacy, per_thread };
std::string_view name(table what) {
  return what == table::legacy ? "legacy_mode" : "per_thread_mode";
}

// Promise:   CB-ARGS-001. A callback is given the stream handle and the pointer that it was registered
//            with, value for value.
// Defect:    a handle of the driver's own comes instead of NULL or a default-stream handle, userData is
//            cut to 32 bits, or belongs to another pending registration.
// Any speed: all of them are pending at once behind a held kernel, so that there are others to be mixed
//            up with. Callbacks of one stream run in order, so the n-th execution has the n-th arguments.
STREAMCTS_CASE(gets_its_arguments, {.arrangement = "callback/gets_its_arguments",
                                    .clauses = {clause::CB_ARGS_001},
                                    .axes = {all_streams(),
                                             make_axis<table>("mode", {table::legacy,
                                                                       table::per_thread})},
                                    .needs = {need::device_gate}}) {
  const bool per_thread = context.get<table>("mode") == table::per_thread;
  const driver::function_table& cuda = per_thread ? context.cuda_per_thread() : context.cuda();
  arrangement scene(context);
  const driver::stream stream(cuda, stream_of(context));
  // Gates are launched by the table of the legacy mode, where the same stream may have another name.
  const CUstream gated =
      per_thread && stream.get() == nullptr ? CU_STREAM_PER_THREAD : stream.get();
  while (scene.next_round(context.by_tier(2, 3, 20))) {
    recorder& into = next_recorder();
    const std::vector<void*> values = telling_values();
    scene.hold_work([&] {
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), gated, gate_kind::mapped_flag);
      for (void* each : values) {
        STREAMCTS_CHECK(cuda.cuStreamAddCallback(stream.get(), &record_arguments, each, 0));
      }
    });
    STREAMCTS_CHECK(cuda.cuStreamSynchronize(stream.get()));
    await_count(context, into, values.size());
    if (!context.expect(clause::CB_ARGS_001, failure_kind::lost, "host",
                        into.written.load(std::memory_order_acquire), testing::Ge(values.size()))) {
      return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!context.expect(clause::CB_ARGS_001, failure_kind::argument,
                          fmt::format("callback {}", i + 1), into.seen[i],
                          testing::Eq(arguments{stream.get(), values[i]}))) {
        return;
      }
    }
  }
}

}  // namespace
}  // namespace streamcts
