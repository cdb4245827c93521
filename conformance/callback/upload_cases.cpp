// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// A host call may reuse what the device has been told to read before it.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

enum class extent { page, middle, large };
std::string_view name(extent what) {
  switch (what) {
    case extent::page: return "4k";
    case extent::middle: return "128k";
    case extent::large: return "8m";
  }
  return "unknown";
}

std::size_t words_of(extent what) {
  switch (what) {
    case extent::page: return std::size_t{4096} / 8;
    case extent::middle: return std::size_t{128} * 1024 / 8;
    case extent::large: return std::size_t{8} * 1024 * 1024 / 8;
  }
  return 0;
}

axis extents() {
  return make_axis<extent>("extent", {extent::page, extent::middle, {extent::large, tier::standard}});
}

std::vector<clause_id> upload_clauses(const parameters& values) {
  return {by_host_call(values, clause::CB_ORDER_002, clause::HF_ORDER_001)};
}

// Promise:   CB-ORDER-002, HF-ORDER-001. A host call starts only after earlier copies to the device have
//            finished, so that it may fill their source anew.
// Defect:    it waits for copies to the host alone. The device gets what the host call has written: the
//            sentinel instead of the pattern.
// Any speed: the copy is held until the host call had its chance. The source can change before the copy
//            has read it only if the host call started too early.
STREAMCTS_CASE(after_upload, {.arrangement = "callback/after_upload",
                              .clauses = {clause::CB_ORDER_002, clause::HF_ORDER_001},
                              .clauses_of = upload_clauses,
                              .axes = {host_calls(), streams(), extents()},
                              .needs = {need::device_gate, need::mapped_memory}}) {
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(stream_of(context));
  product& out = scene.buffer(memory_kind::copied, producer::kernel,
                              words_of(context.get<extent>("extent")));
  const driver::host_buffer source(context.cuda(), out.data.bytes());
  const std::span<std::uint64_t> words = source.words().first(out.data.words());
  while (scene.next_round(context.by_tier(2, 3, 50))) {
    fill_with_pattern(words, out.data.expected());
    observer& call = scene.host_call(host_call_of(context));
    call.finally([words] { fill_with_sentinel(words); });
    operation victim{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      victim = scene.note(stream, "copy to the device");
      STREAMCTS_CHECK(context.cuda().cuMemcpyHtoDAsync(out.data.target(), words.data(),
                                                       out.data.bytes(), stream.get()));
      scene.enqueue(stream, call);
      out.data.deliver(stream.get());
    });
    scene.drain();
    const sighting seen = out.data.look();
    scene.expect(promise, victim, call.op(), failure_kind::early, seen, IsComplete());
  }
}

}  // namespace
}  // namespace streamcts
