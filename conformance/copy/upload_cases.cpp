// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// When the source of a copy to the device may be written again.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

axis sources() {
  return make_axis<memory_kind>("memory", {memory_kind::pinned, memory_kind::mapped,
                                           memory_kind::write_combined, memory_kind::registered});
}

// Promise:   VS-COPY-004. A host call behind an asynchronous copy to the device may overwrite the pinned
//            source: what arrives is what was there before.
// Defect:    the host call starts while the copy engine still reads. What arrives carries the sentinel in
//            its last words.
// Any speed: the copy waits behind a gate until the host call is enqueued; what the host call writes and
//            the device then has was read too late.
STREAMCTS_CASE(source_reuse, {.arrangement = "copy/source_reuse",
                              .clauses = {clause::VS_COPY_004},
                              .axes = {host_calls(), sources()},
                              .needs = {need::device_gate, need::mapped_memory},
                              .needs_of = needs_of_memory}) {
  const auto words = static_cast<std::size_t>(context.by_tier(1, 8, 64)) << 17;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& in = scene.buffer(memory_of(context), producer::kernel, words);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, words);
  const driver::device_buffer target(context.cuda(), in.data.bytes());
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    out.data.begin_round(in.data.expected());
    fill_with_pattern(in.data.host_words(), in.data.expected());
    observer& call = scene.host_call(host_call_of(context));
    call.first([&in] { fill_with_sentinel(in.data.host_words()); });
    operation victim{};
    operation back{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      victim = scene.note(stream, "copy to the device");
      STREAMCTS_CHECK(context.cuda().cuMemcpyHtoDAsync(
          target.address(), in.data.host_words().data(), in.data.bytes(), stream.get()));
      scene.enqueue(stream, call);
      back = scene.note(stream, "kernel reading what arrived");
      out.written = back;
      context.kernels().copy_words(stream.get(), out.data.target(), target.address(), words);
    });
    scene.drain();
    const sighting seen = out.data.look();
    scene.expect(clause::VS_COPY_004, victim, call.op(), kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

}  // namespace
}  // namespace streamcts
