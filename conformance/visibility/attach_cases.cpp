// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Attaching managed memory to a stream, to the host, to everybody.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

CUresult attach(case_context& context, CUstream stream, const product& what, unsigned how) {
  return context.cuda().cuStreamAttachMemAsync(stream, what.data.target(), 0, how);
}

// Promise:   AT-001. Attaching takes its place in the stream behind earlier work, and replaces what was
//            there before.
// Defect:    it takes effect in the call, or ends the stream's order: the host that has synchronized with
//            it finds the sentinel; or the stream that the memory is attached to next cannot use it.
// Any speed: the kernel in front is held until the host waits; the host looks once the wait has returned.
STREAMCTS_CASE(in_stream_order, {.arrangement = "visibility/attach_in_order",
                                 .clauses = {clause::AT_001},
                                 .axes = {host_calls(), created_streams()},
                                 .needs = {need::managed_memory, need::device_gate,
                                           need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  lane& other = scene.stream(stream_of(context));
  product& data = scene.buffer(memory_kind::managed);
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(2, 5, 50))) {
    out.data.begin_round(data.data.expected());
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(data);
    operation victim{};
    streamcts::host_wait* wait = nullptr;
    scene.hold_work([&] {
      victim = scene.victim(stream, data);
      scene.note(stream, "attach to the host");
      STREAMCTS_CHECK(attach(context, stream.get(), data, CU_MEM_ATTACH_HOST));
      scene.enqueue(stream, call);
      wait = &scene.synchronize(stream);
      wait->looks_at(data);
    });
    scene.drain();
    scene.expect_complete(clause::AT_001, victim, call);
    scene.expect_covered(clause::AT_001, victim, *wait);
    scene.note(other, "attach to the other stream");
    STREAMCTS_CHECK(attach(context, other.get(), data, CU_MEM_ATTACH_SINGLE));
    const operation read = scene.note(other, "kernel of the other stream");
    context.kernels().copy_words(other.get(), out.data.target(), data.data.target(),
                                 data.data.words());
    scene.note(other, "attach to all");
    STREAMCTS_CHECK(attach(context, other.get(), data, CU_MEM_ATTACH_GLOBAL));
    other.stream.synchronize();
    const operation seen = scene.host_after(other, "host after cuStreamSynchronize");
    scene.expect_complete(clause::AT_001, read, seen, out);
  }
}

/// The names of the legacy stream.
enum class null_name { null, legacy };
std::string_view name(null_name what) { return what == null_name::null ? "null" : "legacy"; }

MATCHER(IsRefused, negation ? "CUDA_SUCCESS" : "an error") {
  *result_listener << driver::result_name(arg);
  return arg != CUDA_SUCCESS;
}

// Promise:   AT-002. Attaching memory singly to the NULL stream is an error, and leaves it as it was.
// Defect:    the request is taken for another one: CUDA_SUCCESS; or the memory is lost to its stream, and
//            the host call finds the sentinel.
// Any speed: the code does not depend on time; host call and kernel are ordered by their stream.
STREAMCTS_CASE(to_null, {.arrangement = "visibility/attach_to_null",
                         .clauses = {clause::AT_002},
                         .axes = {make_axis<null_name>("stream", {null_name::null,
                                                                  null_name::legacy})},
                         .needs = {need::managed_memory},
                         .without_hold = "the code of a call is looked at"}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& data = scene.buffer(memory_kind::managed);
  STREAMCTS_CHECK(attach(context, stream.get(), data, CU_MEM_ATTACH_SINGLE));
  stream.stream.synchronize();
  const CUstream null =
      context.get<null_name>("stream") == null_name::null ? nullptr : CU_STREAM_LEGACY;
  while (scene.next_round(context.by_tier(1, 2, 5))) {
    const CUresult code = attach(context, null, data, CU_MEM_ATTACH_SINGLE);
    context.expect(clause::AT_002, failure_kind::status, "host after cuStreamAttachMemAsync", code,
                   IsRefused());
    observer& call = scene.host_call(host_call::add_callback);
    call.looks_at(data);
    const operation written = scene.write(stream, data);
    scene.enqueue(stream, call);
    scene.drain();
    scene.expect_complete(clause::AT_002, written, call);
  }
  STREAMCTS_CHECK(attach(context, stream.get(), data, CU_MEM_ATTACH_GLOBAL));
  stream.stream.synchronize();
}

// Promise:   AT-004. When a stream is destroyed, memory that was attached to it is as it was before, once
//            the stream's work is done.
// Defect:    the memory stays with the stream that is no more: another stream may not use or have it (a
//            call is refused), or what the old stream wrote is lost, and the host finds the sentinel.
// Any speed: the context is synchronized between the destruction and every look.
STREAMCTS_CASE(of_destroyed_stream, {.arrangement = "visibility/attach_outlived",
                                     .clauses = {clause::AT_004},
                                     .axes = {created_streams()},
                                     .needs = {need::managed_memory, need::mapped_memory},
                                     .without_hold = "destroying a stream may wait for its work, so "
                                                     "nothing is held"}) {
  arrangement scene(context);
  lane& other = scene.stream(stream_of(context));
  product& data = scene.buffer(memory_kind::managed);
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(2, 5, 30))) {
    out.data.begin_round(data.data.expected());
    operation written{};
    {
      const driver::stream gone(context.cuda(), stream_of(context));
      STREAMCTS_CHECK(attach(context, gone.get(), data, CU_MEM_ATTACH_SINGLE));
      written = scene.note(other, "late kernel of a stream that is destroyed");
      context.kernels().write_pattern(gone.get(), data.data.target(), data.data.words(),
                                      data.data.expected(), 500'000);
    }
    STREAMCTS_CHECK(context.cuda().cuCtxSynchronize());
    const operation after = scene.note(other, "host after cuCtxSynchronize");
    scene.expect_complete(clause::AT_004, written, after, data);
    const operation read = scene.note(other, "kernel of another stream");
    context.kernels().copy_words(other.get(), out.data.target(), data.data.target(),
                                 data.data.words());
    const CUresult code = attach(context, other.get(), data, CU_MEM_ATTACH_SINGLE);
    scene.expect(clause::AT_004, written, read, failure_kind::refused, code, Succeeds());
    STREAMCTS_CHECK(attach(context, other.get(), data, CU_MEM_ATTACH_GLOBAL));
    other.stream.synchronize();
    const operation seen = scene.host_after(other, "host after cuStreamSynchronize");
    scene.expect_complete(clause::AT_004, read, seen, out);
  }
}

}  // namespace
}  // namespace streamcts
