// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What the host writes, before it enqueues work or inside a host call, as the device sees it.

#include "conformance/visibility/memory_clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// What reads the host's writes.
enum class reader { kernel, upload };
std::string_view name(reader what) { return what == reader::kernel ? "kernel" : "upload"; }

axis readers() { return make_axis<reader>("reader", {reader::kernel, reader::upload}); }
axis written_memories() {
  return make_axis<memory_kind>("memory", {memory_kind::mapped, memory_kind::write_combined,
                                           memory_kind::registered, memory_kind::managed});
}

/// Copies of managed memory may be made by the call itself: never behind something held.
bool is_asynchronous(const parameters& values) {
  return values.get<memory_kind>("memory") != memory_kind::managed ||
         values.get<reader>("reader") != reader::upload;
}

/// The host's writes on their way: `in` is written by the host, `out` is what the reader made of it.
struct way {
  product& in;
  product& out;
  driver::device_buffer aside;

  way(case_context& context, arrangement& scene)
      : in(scene.buffer(memory_of(context))),
        out(scene.buffer(memory_kind::mapped)),
        aside(context.cuda(), in.data.bytes()) {}

  /// The host's writes of this round.
  void write() const { fill_with_pattern(in.data.host_words(), in.data.expected()); }

  /// Puts the reader into @p on; once a round.
  operation read(case_context& context, arrangement& scene, lane& on) {
    const reader by = context.get<reader>("reader");
    out.data.begin_round(in.data.expected());
    const operation made = scene.note(on, by == reader::kernel ? "kernel reading host memory"
                                                               : "copy from host memory");
    out.written = made;
    CUdeviceptr from = in.data.target();
    if (by == reader::upload) {
      STREAMCTS_CHECK(context.cuda().cuMemcpyHtoDAsync(
          aside.address(), in.data.host_words().data(), in.data.bytes(), on.get()));
      from = aside.address();
    }
    context.kernels().copy_words(on.get(), out.data.target(), from, out.data.words());
    return made;
  }
};

// Promise:   VS-HOST-001. What the host wrote before it enqueued an operation, the operation sees.
// Defect:    the device reads what it has cached of the round before, or the processor's writes have not
//            left it. The copy holds the pattern of the round before, or the sentinel.
// Any speed: the enqueuing call alone orders writes and reader; each round is a chance of its own.
STREAMCTS_CASE(before_enqueue, {.arrangement = "visibility/before_enqueue",
                                .clauses = {clause::VS_HOST_001},
                                .axes = {readers(), written_memories()},
                                .needs = {need::mapped_memory},
                                .needs_of = needs_of_memory,
                                .without_hold = "nothing is held between the host's writes and the "
                                                "reader: it reads at once in every round"}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  way data(context, scene);
  while (scene.next_round(context.by_tier(8, 60, 2000))) {
    data.write();
    const operation read = data.read(context, scene, stream);
    stream.stream.synchronize();
    const operation seen = scene.host_after(stream, "host after cuStreamSynchronize");
    scene.expect_complete(clause::VS_HOST_001, read, seen, data.out);
  }
}

/// Where the reader is.
enum class place { same_stream, joined_stream };
std::string_view name(place what) {
  return what == place::same_stream ? "same_stream" : "joined_stream";
}

// Promise:   VS-HOST-002. What a host call writes, all later work of its stream and of streams that wait
//            for it sees.
// Defect:    the device has read ahead while the host call was pending, or a copy has taken its source
//            when it was enqueued. The copy holds the sentinel.
// Any speed: the host call writes just before it returns, and is held until the reader is enqueued and
//            had its chance to start too soon.
STREAMCTS_CASE(by_host_call_written, {.arrangement = "visibility/host_call_writes",
                                      .clauses = {clause::VS_HOST_002},
                                      .axes = {host_calls(), written_memories(), readers(),
                                               make_axis<place>("place", {place::same_stream,
                                                                          place::joined_stream})},
                                      .valid = is_asynchronous,
                                      .needs = {need::device_gate, need::host_gate,
                                                need::mapped_memory},
                                      .needs_of = needs_of_memory}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event();
  way data(context, scene);
  while (scene.next_round(context.by_tier(1, 3, 50))) {
    observer& call = scene.host_call(host_call_of(context));
    call.finally([&data] { data.write(); });
    operation read{};
    scene.hold_call(stream, call, [&] {
      if (context.get<place>("place") == place::same_stream) {
        read = data.read(context, scene, stream);
        return;
      }
      scene.record(event, stream);
      scene.wait(other, event);
      read = data.read(context, scene, other);
    });
    scene.drain();
    const sighting seen = data.out.data.look();
    scene.expect(clause::VS_HOST_002, call.op(), read, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

}  // namespace
}  // namespace streamcts
