// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <fmt/format.h>

#include <optional>
#include <source_location>
#include <vector>

#include "conformance/consumers.h"
#include "harness/case/arrangement.h"
#include "harness/driver/graph.h"
#include "harness/driver/result.h"

namespace streamcts {

/// What is put behind a host call that is held.
enum class later {
  kernel,
  copy_d2h,
  copy_h2d,
  copy_d2d,
  memset,
  graph,  ///< two roots: a kernel and a copy
  callback,
  host_function,
  write_value,
};

inline std::string_view name(later what) {
  switch (what) {
    case later::kernel: return "kernel";
    case later::copy_d2h: return "copy_d2h";
    case later::copy_h2d: return "copy_h2d";
    case later::copy_d2d: return "copy_d2d";
    case later::memset: return "memset";
    case later::graph: return "graph";
    case later::callback: return "callback";
    case later::host_function: return "host_function";
    case later::write_value: return "write_value";
  }
  return "unknown";
}

inline std::vector<need> needs_of_later(later what) {
  switch (what) {
    case later::copy_d2d: return {need::managed_memory};
    case later::write_value: return {need::mapped_memory, need::value_wait};
    default: return {need::mapped_memory};
  }
}

/// Stamps are drawn from one counter, at the begin and at the end of each host call.
MATCHER_P(BeganAfterStamp, end, fmt::format("a begin after {}, the end of the call in front", end)) {
  return arg > end;
}

/// Work behind a held host call, and the two ways in which it shows that it did not wait:
///   - what it writes is there before the host call has returned (the host call looks just before);
///   - what it reads is older than the last act of the host call, which fills a token.
class later_work {
 public:
  /// @param words size of what it writes, in 64-bit words. Made before the first round.
  later_work(case_context& context, arrangement& scene, later what, std::size_t words)
      : context_(context), scene_(scene), what_(what) {
    switch (what) {
      case later::kernel: add(memory_kind::mapped, producer::kernel, words, true); break;
      case later::copy_d2h: add(memory_kind::copied, producer::copy, words, false); break;
      case later::copy_h2d: add(memory_kind::copied, producer::kernel, words, true); break;
      case later::copy_d2d: add(memory_kind::managed, producer::copy, words, false); break;
      case later::memset: add(memory_kind::mapped, producer::memset, words, false); break;
      case later::graph:
        add(memory_kind::mapped, producer::kernel, words, true);
        add(memory_kind::copied, producer::kernel, words, true);
        build_graph();
        break;
      case later::callback:
      case later::host_function:
      case later::write_value: break;
    }
  }

  /// Begins a round: @p held gets what it has to watch. Before @p held is enqueued.
  void prepare(observer& held) {
    if (what_ == later::callback) next_call_ = &scene_.host_call(host_call::add_callback);
    if (what_ == later::host_function) next_call_ = &scene_.host_call(host_call::launch_host_func);
    if (what_ == later::write_value) {
      marker_ = scene_.marker();
      held.watches(marker_);
    }
    for (piece& each : pieces_) {
      held.guards(*each.out);
      if (each.reads_token) fill_with_sentinel(each.token.words());
    }
    held.finally([this] { fill_tokens(); });
  }

  operation enqueue(lane& on) {
    const driver::function_table& cuda = context_.cuda();
    switch (what_) {
      case later::kernel:
        op_ = scene_.note(on, "kernel copying the token");
        context_.kernels().copy_words(on.get(), first().out->data.target(),
                                      first().token.device_address(), first().out->data.words());
        break;
      case later::copy_h2d:
        op_ = scene_.note(on, "copy of the token to the device");
        STREAMCTS_CHECK(cuda.cuMemcpyHtoDAsync(first().out->data.target(), first().token.data(),
                                               first().out->data.bytes(), on.get()));
        first().out->data.deliver(on.get());
        break;
      case later::copy_d2h:
      case later::copy_d2d:
      case later::memset: op_ = scene_.write(on, *first().out); break;
      case later::graph:
        op_ = scene_.note(on, "graph copying the tokens");
        executable_->launch(on.get());
        break;
      case later::callback:
      case later::host_function: op_ = scene_.enqueue(on, *next_call_); break;
      case later::write_value:
        op_ = scene_.note(on, "write of a value");
        STREAMCTS_CHECK(cuda.cuStreamWriteValue32(on.get(), marker_.device(), 1,
                                                  CU_STREAM_WRITE_VALUE_DEFAULT));
        break;
    }
    for (piece& each : pieces_) each.out->written = op_;
    return op_;
  }

  /// After drain(): nothing of this may have started before @p held had returned.
  void expect_blocked(clause_id promise, const observer& held,
                      std::source_location site = std::source_location::current()) const {
    scene_.expect_blocked(promise, held, op_, site);
    for (const piece& each : pieces_) {
      if (!each.reads_token) continue;
      const sighting seen = each.out->data.look();
      scene_.expect(promise, held.op(), op_, kind_of(seen, gate::state::opened), seen, IsComplete(),
                    site);
    }
    if (next_call_ != nullptr) {
      scene_.expect(promise, held.op(), op_, failure_kind::early, next_call_->slot().begin_stamp(),
                    BeganAfterStamp(held.slot().end_stamp()), site);
    }
  }

 private:
  struct piece {
    product* out;
    bool reads_token;
    driver::host_buffer token;  ///< what the host call fills as its last act
  };

  piece& first() { return pieces_.front(); }

  void add(memory_kind kind, producer by, std::size_t words, bool reads_token) {
    product& out = scene_.buffer(kind, by, words);
    driver::host_buffer token;
    if (reads_token) token = driver::host_buffer(context_.cuda(), out.data.bytes());
    pieces_.push_back({&out, reads_token, std::move(token)});
  }

  /// Runs inside the held host call.
  void fill_tokens() noexcept {
    for (piece& each : pieces_) {
      if (!each.reads_token) continue;
      fill_with_pattern(each.token.words().first(each.out->data.words()),
                        each.out->data.expected());
    }
  }

  /// Two independent roots, so that each of them has to wait: a kernel, and a copy whose result a
  /// second copy brings to the host.
  void build_graph() {
    require_graphs(context_);
    const CUcontext current = context_.session().context();
    const payload& by_kernel = pieces_[0].out->data;
    const payload& by_copy = pieces_[1].out->data;
    driver::graph graph(context_.cuda());
    graph.add_kernel(context_.kernels().get().copy_words, {32, 128}, {}, by_kernel.target(),
                     pieces_[0].token.device_address(), std::uint64_t{by_kernel.words()});
    const CUgraphNode root = graph.add_memcpy(by_copy.target(), pieces_[1].token.device_address(),
                                              by_copy.bytes(), current);
    graph.add_memcpy(reinterpret_cast<CUdeviceptr>(by_copy.host_words().data()), by_copy.target(),
                     by_copy.bytes(), current, root);
    executable_.emplace(graph);
    // A first launch may load or allocate, and would do so behind the gate.
    executable_->launch(scene_.canary_stream());
    STREAMCTS_CHECK(context_.cuda().cuStreamSynchronize(scene_.canary_stream()));
  }

  case_context& context_;
  arrangement& scene_;
  later what_;
  std::vector<piece> pieces_;
  control_word marker_;
  observer* next_call_ = nullptr;
  std::optional<driver::graph_exec> executable_;
  operation op_ = 0;
};

}  // namespace streamcts
