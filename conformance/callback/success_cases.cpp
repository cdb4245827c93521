// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The status that callbacks are given while nothing has gone wrong.

#include <array>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// What is around the callbacks.
enum class setting {
  alone,                ///< the first and only thing in its stream
  behind_kernel,
  behind_copy,
  behind_host_function,
  in_a_row,             ///< thirty of them
  joined,               ///< behind the work of another stream
  while_asked,          ///< the stream is queried, and is not ready
  after_refused_call,   ///< a call with bad arguments has been refused
};
std::string_view name(setting what) {
  switch (what) {
    case setting::alone: return "alone";
    case setting::behind_kernel: return "behind_kernel";
    case setting::behind_copy: return "behind_copy";
    case setting::behind_host_function: return "behind_host_function";
    case setting::in_a_row: return "in_a_row";
    case setting::joined: return "joined";
    case setting::while_asked: return "while_asked";
    case setting::after_refused_call: return "after_refused_call";
  }
  return "unknown";
}

axis settings() {
  return make_axis<setting>(
      "setting", {setting::alone, setting::behind_kernel, setting::behind_copy,
                  setting::behind_host_function, setting::in_a_row, setting::joined,
                  setting::while_asked, setting::after_refused_call});
}

constexpr std::array all_streams = {
    driver::stream_kind::blocking, driver::stream_kind::non_blocking,
    driver::stream_kind::null_stream, driver::stream_kind::legacy, driver::stream_kind::per_thread};

MATCHER(IsSuccess, negation ? "an error as status" : "CUDA_SUCCESS as status") {
  *result_listener << driver::result_name(arg);
  return arg == CUDA_SUCCESS;
}

/// Buffers of the settings and a further stream, and the callbacks of a round.
class stage {
 public:
  stage(case_context& context, arrangement& scene)
      : context_(context), scene_(scene),
        other_(scene.stream(driver::stream_kind::non_blocking)),
        written_(scene.buffer(memory_kind::mapped, producer::kernel, 512)),
        copied_(scene.buffer(memory_kind::copied, producer::copy, 512)), joined_(scene.event()) {}

  void play(setting which, lane& on) {
    calls_.clear();
    stream_ = &on;
    switch (which) {
      case setting::alone: add(); return;
      case setting::behind_kernel:
        scene_.write(*stream_, written_);
        add();
        add();
        return;
      case setting::behind_copy:
        scene_.write(*stream_, copied_);
        add();
        return;
      case setting::behind_host_function:
        scene_.enqueue(*stream_, scene_.host_call(host_call::launch_host_func));
        add();
        return;
      case setting::in_a_row:
        for (int i = 0; i < 30; ++i) add();
        return;
      case setting::joined:
        scene_.write(other_, written_);
        scene_.record(joined_, other_);
        scene_.wait(*stream_, joined_);
        add();
        return;
      case setting::while_asked:
        scene_.note(*stream_, "delay");
        context_.kernels().delay(stream_->get(), 200'000);
        for (int i = 0; i < 8; ++i) {
          add();
          (void)context_.cuda().cuStreamQuery(stream_->get());
        }
        return;
      case setting::after_refused_call:
        add();
        launch_no_blocks();
        add();
        return;
    }
  }

  const std::vector<observer*>& calls() const { return calls_; }

 private:
  /// Bad arguments: whatever the driver answers, it is no error of the device.
  void launch_no_blocks() {
    std::uint64_t duration = 0;
    void* parameters[] = {&duration, nullptr};
    (void)context_.cuda().cuLaunchKernel(context_.kernels().get().delay.launchable(), 0, 1, 1, 1, 1, 1,
                                         0, stream_->get(), parameters, nullptr);
  }

  void add() {
    calls_.push_back(&scene_.host_call(host_call::add_callback));
    scene_.enqueue(*stream_, *calls_.back());
  }

  case_context& context_;
  arrangement& scene_;
  lane* stream_ = nullptr;
  lane& other_;
  product& written_;
  product& copied_;
  mark& joined_;
  std::vector<observer*> calls_;
};

// Promise:   CB-STATUS-001. While no error has occurred in the context, a callback is given
//            CUDA_SUCCESS.
// Defect:    the first callback of a stream, or one whose stream was asked meanwhile, gets what a query
//            would have answered; a refused call is taken for an error of the device. The status is
//            CUDA_ERROR_NOT_READY or another code.
// Any speed: nothing is timed.
STREAMCTS_CASE(success, {.arrangement = "callback/success",
                         .clauses = {clause::CB_STATUS_001},
                         .axes = {settings()},
                         .needs = {need::mapped_memory},
                         .without_hold = "a status is right or wrong in every execution"}) {
  arrangement scene(context);
  std::vector<lane*> streams;
  for (const driver::stream_kind each : all_streams) streams.push_back(&scene.stream(each));
  stage on(context, scene);
  const int rounds = context.by_tier(1, 2, 20) * static_cast<int>(streams.size());
  for (std::size_t round = 0; scene.next_round(rounds); ++round) {
    on.play(context.get<setting>("setting"), *streams[round % streams.size()]);
    scene.drain();
    for (const observer* each : on.calls()) {
      if (!each->slot().ended()) return;  // lost: drain() has said so
      scene.expect(clause::CB_STATUS_001, each->op(), each->op(), failure_kind::status,
                   each->slot().status(), IsSuccess());
    }
  }
}

}  // namespace
}  // namespace streamcts
