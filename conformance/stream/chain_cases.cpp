// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Long chains of operations in one stream, each computing from what the one before left.

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "conformance/clauses/clauses.h"
#include "conformance/consumers.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// Whether the chain waits behind a gate until all of it is enqueued.
enum class start { held, free };
std::string_view name(start how) { return how == start::held ? "held" : "free"; }
axis starts() { return make_axis<start>("start", {start::held, start::free}); }

/// Words of the chain's buffers. One step works on all of them or on a part.
constexpr std::size_t words = 1024;

/// Smaller allocations may be taken for control words.
constexpr std::size_t payload_bytes = payload::visibility_words * 8;

/// One step, as the device does it and as the host foretells it.
enum class step { hash, hash_aside, round_trip, memset, patch, graph };
constexpr int step_kinds = 6;

/// A random chain. Steps do not commute and none makes the result of an earlier one irrelevant, so that
/// the last words tell whether each step saw all of the ones before.
class chain {
 public:
  chain(case_context& context, arrangement& scene, lane& stream)
      : context_(context),
        scene_(scene),
        stream_(stream),
        random_(context.seed()),
        data_(context.cuda(), words * 8),
        aside_(context.cuda(), words * 8),
        through_(context.cuda(), payload_bytes),
        patch_(context.cuda(), payload_bytes),
        result_(context.cuda(), payload_bytes),
        foretold_(words) {
    require_graphs(context);
    driver::graph made(context.cuda());
    made.add_kernel(context.kernels().get().hash_step, {8, 128}, {}, data_.address(),
                    data_.address(), std::uint64_t{words}, graph_salt);
    graph_.emplace(made);
    graph_->launch(scene.canary_stream());
    STREAMCTS_CHECK(context.cuda().cuStreamSynchronize(scene.canary_stream()));
  }

  /// New values at the start of the chain. Before anything of the round is enqueued.
  void begin_round() {
    const kernels::pattern first = kernels::ramp(context_.next_epoch());
    for (std::size_t i = 0; i < words; ++i) {
      foretold_[i] = first.word(i);
      patch_.words()[i] = kernels::mix(first.word(i));
    }
    first_ = first;
    fill_with_sentinel(result_.words());
  }

  /// Puts the start of the chain and @p steps random steps into the stream.
  operation enqueue(int steps) {
    const operation begin = scene_.note(stream_, "kernel at the start of the chain");
    context_.kernels().write_pattern(stream_.get(), data_.address(), words, first_);
    for (int i = 0; i < steps; ++i) {
      scene_.note(stream_, fmt::format("step {}", i + 1));
      enqueue(static_cast<step>(random_() % step_kinds));
    }
    end_ = scene_.note(stream_, "copy of the chain's result");
    STREAMCTS_CHECK(context_.cuda().cuMemcpyDtoHAsync(result_.data(), data_.address(), words * 8,
                                                      stream_.get()));
    return begin;
  }

  operation end() const { return end_; }

  /// After the chain has ended: what the host sees of it.
  sighting look() const {
    sighting seen{.words = words, .mismatches = 0};
    for (std::size_t i = 0; i < words; ++i) {
      if (result_.words()[i] == foretold_[i]) continue;
      if (seen.mismatches++ != 0) continue;
      seen.first_index = i;
      seen.first_expected = foretold_[i];
      seen.first_seen = result_.words()[i];
      seen.first_origin = seen.first_seen == kernels::sentinel ? word_origin::sentinel
                                                               : word_origin::foreign;
    }
    return seen;
  }

 private:
  static constexpr std::uint64_t graph_salt = 0x6a09e667f3bcc909;

  void enqueue(step what) {
    const driver::function_table& cuda = context_.cuda();
    const std::size_t bytes = words * 8;
    const CUstream on = stream_.get();
    const CUdeviceptr data = data_.address();
    const std::uint64_t salt = random_();
    switch (what) {
      case step::hash:
        context_.kernels().hash_step(on, data, data, words, salt);
        foretell_hash(salt);
        return;
      case step::hash_aside:
        context_.kernels().hash_step(on, aside_.address(), data, words, salt);
        STREAMCTS_CHECK(cuda.cuMemcpyDtoDAsync(data, aside_.address(), bytes, on));
        foretell_hash(salt);
        return;
      case step::round_trip:  // the next step shows whether it took the right epoch with it
        STREAMCTS_CHECK(cuda.cuMemcpyDtoHAsync(through_.data(), data, bytes, on));
        context_.kernels().hash_step(on, data, data, words, salt);
        STREAMCTS_CHECK(cuda.cuMemcpyHtoDAsync(aside_.address(), through_.data(), bytes, on));
        context_.kernels().hash_step(on, data, aside_.address(), words, ~salt);
        foretell_hash(~salt);
        return;
      case step::memset: return enqueue_memset(salt);
      case step::patch: return enqueue_patch(salt);
      case step::graph:
        graph_->launch(on);
        foretell_hash(graph_salt);
        return;
    }
  }

  /// Eight words are overwritten; a later hash of them shows where in the chain that was.
  void enqueue_memset(std::uint64_t salt) {
    const std::size_t first = salt % (words - 8);
    const auto value = static_cast<unsigned>(salt >> 32);
    STREAMCTS_CHECK(context_.cuda().cuMemsetD32Async(data_.address() + first * 8, value, 16,
                                                     stream_.get()));
    std::fill_n(foretold_.begin() + static_cast<std::ptrdiff_t>(first), 8,
                std::uint64_t{value} * 0x0000000100000001);
  }

  void enqueue_patch(std::uint64_t salt) {
    const std::size_t first = salt % (words - 64);
    STREAMCTS_CHECK(context_.cuda().cuMemcpyHtoDAsync(
        data_.address() + first * 8, patch_.words().data() + first, 64 * 8, stream_.get()));
    std::copy_n(patch_.words().begin() + static_cast<std::ptrdiff_t>(first), 64,
                foretold_.begin() + static_cast<std::ptrdiff_t>(first));
  }

  void foretell_hash(std::uint64_t salt) {
    for (std::uint64_t& each : foretold_) each = kernels::mix(each ^ salt) | 1;
  }

  case_context& context_;
  arrangement& scene_;
  lane& stream_;
  std::mt19937_64 random_;
  driver::device_buffer data_, aside_;
  driver::host_buffer through_, patch_, result_;
  std::optional<driver::graph_exec> graph_;
  std::vector<std::uint64_t> foretold_;
  kernels::pattern first_{};
  operation end_ = 0;
};

// Promise:   ST-ORDER-001. The operations of one stream execute in issue order and each sees the effects of
//            all earlier ones.
// Defect:    an operation overtakes the one in front, perhaps only one in a hundred, only behind many
//            others, only at the first use of something. The last words are not the foretold hash.
// Any speed: the host computes the same chain. Half of the chains wait behind a gate until all of them is
//            enqueued, then run as fast as the device can; the others run while they are enqueued.
STREAMCTS_CASE(chain_of_steps, {.arrangement = "stream/chain",
                                .clauses = {clause::ST_ORDER_001},
                                .axes = {streams(), starts()},
                                .needs = {need::device_gate, need::mapped_memory},
                                .without_hold = "every step is judged by what the chain computes"}) {
  const bool held = context.get<start>("start") == start::held;
  // Behind a gate fewer than 200 launches; a step makes up to two, and two copies.
  const int steps = held ? 70 : context.by_tier(80, 600, 3000);
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  chain links(context, scene, stream);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    links.begin_round();
    operation begin{};
    if (held) {
      scene.hold_work([&] {
        scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                    gate_kind::mapped_flag);
        begin = links.enqueue(steps);
      });
    } else {
      begin = links.enqueue(steps);
    }
    scene.drain();
    const sighting seen = links.look();
    scene.expect(clause::ST_ORDER_001, begin, links.end(), failure_kind::order, seen, IsComplete());
  }
}

}  // namespace
}  // namespace streamcts
