// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronous copies go through the default stream.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// Synchronous calls that copy what a blocking stream writes, or write over it.
enum class copy {
  dtoh,      ///< cuMemcpyDtoH into pageable memory
  dtoh_pin,  ///< cuMemcpyDtoH into pinned memory
  unified,   ///< cuMemcpy into pinned memory
  dtod,      ///< cuMemcpyDtoD to elsewhere
  htod,      ///< cuMemcpyHtoD over what the stream writes: the later write must win
};
std::string_view name(copy what) {
  switch (what) {
    case copy::dtoh: return "dtoh";
    case copy::dtoh_pin: return "dtoh_pinned";
    case copy::unified: return "unified";
    case copy::dtod: return "dtod";
    case copy::htod: return "htod";
  }
  return "unknown";
}
axis copies() {
  return make_axis<copy>("copy", {copy::dtoh, copy::dtoh_pin, copy::unified, copy::dtod,
                                  copy::htod});
}

/// Device memory that a stream writes, and a synchronous copy of it.
class synchronous_copy {
 public:
  synchronous_copy(case_context& context, copy what, const product& in)
      : context_(context),
        what_(what),
        in_(in),
        bytes_(in.data.bytes()),
        pageable_(in.data.words()),
        pinned_(context.cuda(), bytes_),
        elsewhere_(context.cuda(), bytes_) {}

  void begin_round() {
    previous_ = expected_;
    expected_ = what_ == copy::htod ? kernels::ramp(context_.next_epoch()) : in_.data.expected();
    fill_with_sentinel(pageable_);
    fill_with_sentinel(pinned_.words().first(in_.data.words()));
    if (what_ == copy::htod) fill_with_pattern(pageable_, expected_);
  }

  CUresult call() {
    const driver::function_table& cuda = context_.cuda();
    const CUdeviceptr in = in_.data.target();
    switch (what_) {
      case copy::dtoh: return cuda.cuMemcpyDtoH(pageable_.data(), in, bytes_);
      case copy::dtoh_pin: return cuda.cuMemcpyDtoH(pinned_.data(), in, bytes_);
      case copy::unified:
        return cuda.cuMemcpy(reinterpret_cast<CUdeviceptr>(pinned_.data()), in, bytes_);
      case copy::dtod: return cuda.cuMemcpyDtoD(elsewhere_.address(), in, bytes_);
      case copy::htod: return cuda.cuMemcpyHtoD(in, pageable_.data(), bytes_);
    }
    return CUDA_ERROR_INVALID_VALUE;
  }

  /// Whether the host finds the result by itself once the call has returned.
  bool delivers() const {
    return what_ == copy::dtoh || what_ == copy::dtoh_pin || what_ == copy::unified;
  }

  /// What the host finds; for copies that deliver, right after the return.
  sighting look() const {
    const auto pinned = pinned_.words().first(in_.data.words());
    const std::span<const std::uint64_t> seen =
        what_ == copy::dtoh ? std::span<const std::uint64_t>(pageable_) : pinned;
    return streamcts::look(seen, expected_, previous_);
  }

  /// For the other copies: brings the result to the host. After the round's work has ended.
  void fetch() {
    const CUdeviceptr from = what_ == copy::dtod ? elsewhere_.address() : in_.data.target();
    STREAMCTS_CHECK(context_.cuda().cuMemcpyDtoH(pinned_.data(), from, bytes_));
  }

 private:
  case_context& context_;
  copy what_;
  const product& in_;
  std::size_t bytes_;
  std::vector<std::uint64_t> pageable_;
  driver::host_buffer pinned_;
  driver::device_buffer elsewhere_;
  kernels::pattern expected_{kernels::sentinel, 0};
  kernels::pattern previous_{kernels::sentinel, 0};
};

// Promise:   ST-DEF-008. Synchronous copies are issued through the default stream and take part in its
//            barrier. (Online text of the manual; not in the header.)
// Defect:    they have a stream of their own. The host reads the epoch of the round before; what the copy
//            wrote is overwritten by the work that it had to follow.
// Any speed: the work of one blocking stream is held, of another in the next round, until the copy, made
//            by a thread of its own, had its chance.
STREAMCTS_CASE(synchronous_copies, {.arrangement = "stream/synchronous_copy",
                                    .clauses = {clause::ST_DEF_008},
                                    .axes = {copies(), producers()},
                                    .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane* blocking[] = {&scene.stream(driver::stream_kind::blocking),
                      &scene.stream(driver::stream_kind::blocking)};
  product& in = scene.buffer(memory_kind::copied, producer_of(context));
  synchronous_copy copying(context, context.get<copy>("copy"), in);
  for (int round = 0; scene.next_round(context.by_tier(2, 4, 50)); ++round) {
    copying.begin_round();
    lane& stream = *blocking[round % 2];
    operation victim{};
    host_wait* by = nullptr;
    sighting seen{};
    scene.hold_work([&] {
      victim = scene.victim(stream, in);
      by = &scene.host_wait(scene.host_after(stream, "synchronous copy"),
                            [&copying] { return copying.call(); });
      if (copying.delivers()) by->then([&] { seen = copying.look(); });
    });
    scene.drain();
    if (!by->returned()) break;
    scene.expect(clause::ST_DEF_008, victim, by->op(), failure_kind::status, by->code(),
                 Succeeds());
    if (!copying.delivers()) {
      copying.fetch();
      seen = copying.look();
    }
    scene.expect(clause::ST_DEF_008, victim, by->op(), kind_of(seen, by->victim()), seen,
                 IsComplete());
  }
}

}  // namespace
}  // namespace streamcts
