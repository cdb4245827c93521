// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Copies and memsets that are done when the call returns.

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

constexpr std::size_t words = 256 * 1024 / sizeof(std::uint64_t);

/// The entry point.
enum class entry { directed, unified };
std::string_view name(entry what) { return what == entry::directed ? "directed" : "unified"; }
axis entries() { return make_axis<entry>("entry", {entry::directed, entry::unified}); }

axis host_memories() {
  return make_axis<memory_kind>("memory", {memory_kind::pinned, memory_kind::mapped,
                                           memory_kind::registered, memory_kind::pageable});
}

CUdeviceptr address_of(const void* host) { return reinterpret_cast<CUdeviceptr>(host); }

/// The payload and a device buffer beside it.
struct pair {
  product& host;
  driver::device_buffer device;

  pair(case_context& context, arrangement& scene)
      : host(scene.buffer(memory_of(context), producer::kernel, words)),
        device(context.cuda(), words * 8) {}
  std::uint64_t* data() const { return host.data.host_words().data(); }
  kernels::pattern expected() const { return host.data.expected(); }
};

// Promise:   CP-SYNC-001. When a synchronous copy to the host returns, the data is there, in pinned and
//            in ordinary memory.
// Defect:    the call returns when the copy was handed over. The host finds the sentinel.
// Any speed: the copy's source is written late in the same stream; nothing comes between the return and
//            the look, and no other call is made.
STREAMCTS_CASE(download, {.arrangement = "copy/sync_download",
                          .clauses = {clause::CP_SYNC_001},
                          .axes = {entries(), host_memories()},
                          .needs_of = needs_of_memory,
                          .without_hold = "the call waits for what is in front, so nothing can be held; "
                                          "the host looks after every return"}) {
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::null_stream);
  pair data(context, scene);
  while (scene.next_round(context.by_tier(2, 6, 60))) {
    const operation written = scene.note(stream, "kernel writing the source");
    context.kernels().write_pattern(stream.get(), data.device.address(), words, data.expected(),
                                    200'000);
    if (context.get<entry>("entry") == entry::directed) {
      STREAMCTS_CHECK(cuda.cuMemcpyDtoH(data.data(), data.device.address(), words * 8));
    } else {
      STREAMCTS_CHECK(cuda.cuMemcpy(address_of(data.data()), data.device.address(), words * 8));
    }
    const sighting seen = data.host.data.look();
    const operation after = scene.note(stream, "return of the copy");
    scene.expect(clause::CP_SYNC_001, written, after, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

// Promise:   CP-SYNC-002. When a synchronous copy to the device returns, the source may be overwritten.
// Defect:    the call returns before the source was read. The device gets the sentinel.
// Any speed: the source is overwritten as soon as the call has returned; what the device then has of it
//            was read too late. A copy that is over by then merely hides the defect.
STREAMCTS_CASE(upload, {.arrangement = "copy/sync_upload",
                        .clauses = {clause::CP_SYNC_002},
                        .axes = {entries(), host_memories()},
                        .needs = {need::mapped_memory},
                        .needs_of = needs_of_memory,
                        .without_hold = "the call waits for what is in front, so nothing can be held; "
                                        "the source is overwritten after every return"}) {
  const driver::function_table& cuda = context.cuda();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::null_stream);
  pair data(context, scene);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, words);
  while (scene.next_round(context.by_tier(2, 6, 60))) {
    out.data.begin_round(data.expected());
    fill_with_pattern(data.host.data.host_words(), data.expected());
    const operation copied = scene.note(stream, "synchronous copy to the device");
    if (context.get<entry>("entry") == entry::directed) {
      STREAMCTS_CHECK(cuda.cuMemcpyHtoD(data.device.address(), data.data(), words * 8));
    } else {
      STREAMCTS_CHECK(cuda.cuMemcpy(data.device.address(), address_of(data.data()), words * 8));
    }
    fill_with_sentinel(data.host.data.host_words());
    const operation read = scene.note(stream, "kernel reading what arrived");
    context.kernels().copy_words(stream.get(), out.data.target(), data.device.address(), words);
    stream.stream.synchronize();
    const sighting seen = out.data.look();
    scene.expect(clause::CP_SYNC_002, copied, read, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

/// Which form of a copy within the host.
enum class form { synchronous, asynchronous, behind_work };
std::string_view name(form what) {
  switch (what) {
    case form::synchronous: return "sync";
    case form::asynchronous: return "async_idle";
    case form::behind_work: return "async_behind_work";
  }
  return "unknown";
}

// Promise:   CP-SYNC-004. A copy from host to host is complete when the call returns, whichever form it
//            has and whatever is in front of it in its stream.
// Defect:    such copies are left to a thread. The host finds the sentinel.
// Any speed: nothing comes between the return and the look. What is in front ends by itself.
STREAMCTS_CASE(within_host, {.arrangement = "copy/host_to_host",
                             .clauses = {clause::CP_SYNC_004},
                             .axes = {make_axis<form>("form", {form::synchronous, form::asynchronous,
                                                               form::behind_work}),
                                      host_memories()},
                             .needs_of = needs_of_memory,
                             .without_hold = "the call waits for what is in front, so nothing can be "
                                             "held; the host looks after every return"}) {
  const driver::function_table& cuda = context.cuda();
  const form how = context.get<form>("form");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& from = scene.buffer(memory_of(context), producer::kernel, words);
  product& to = scene.buffer(memory_of(context), producer::kernel, words);
  while (scene.next_round(context.by_tier(2, 6, 60))) {
    to.data.begin_round(from.data.expected());
    fill_with_pattern(from.data.host_words(), from.data.expected());
    if (how == form::behind_work) {
      scene.note(stream, "delay");
      context.kernels().delay(stream.get(), 500'000);
    }
    const operation copied = scene.note(stream, "copy from host to host");
    const CUdeviceptr source = address_of(from.data.host_words().data());
    const CUdeviceptr target = address_of(to.data.host_words().data());
    STREAMCTS_CHECK(how == form::synchronous
                        ? cuda.cuMemcpy(target, source, words * 8)
                        : cuda.cuMemcpyAsync(target, source, words * 8, stream.get()));
    const sighting seen = to.data.look();
    const operation after = scene.note(stream, "return of the copy");
    scene.expect(clause::CP_SYNC_004, copied, after, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

/// The element of a memset.
enum class element { d8, d16, d32 };
std::string_view name(element what) {
  switch (what) {
    case element::d8: return "d8";
    case element::d16: return "d16";
    case element::d32: return "d32";
  }
  return "unknown";
}

CUresult fill(const driver::function_table& cuda, element what, CUdeviceptr at, std::uint32_t value) {
  switch (what) {
    case element::d8: return cuda.cuMemsetD8(at, static_cast<unsigned char>(value), words * 8);
    case element::d16: return cuda.cuMemsetD16(at, static_cast<unsigned short>(value), words * 4);
    case element::d32: return cuda.cuMemsetD32(at, value, words * 2);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

axis mappable_memories() {
  return make_axis<memory_kind>("memory", {memory_kind::pinned, memory_kind::mapped,
                                           memory_kind::registered});
}

// Promise:   CP-SYNC-006. A memset of pinned memory by a call that is not asynchronous is done when the
//            call returns.
// Defect:    such calls are asynchronous for every kind of memory. The host finds the sentinel.
// Any speed: nothing comes between the return and the look.
STREAMCTS_CASE(set, {.arrangement = "copy/sync_memset",
                     .clauses = {clause::CP_SYNC_006},
                     .axes = {make_axis<element>("element", {element::d8, element::d16, element::d32}),
                              mappable_memories()},
                     .needs_of = needs_of_memory,
                     .without_hold = "the call waits for what is in front, so nothing can be held; the "
                                     "host looks after every return"}) {
  const element what = context.get<element>("element");
  const std::uint64_t factor = what == element::d8    ? 0x0101010101010101u
                               : what == element::d16 ? 0x0001000100010001u
                                                      : 0x0000000100000001u;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::null_stream);
  product& out = scene.buffer(memory_of(context), producer::kernel, words);
  while (scene.next_round(context.by_tier(2, 6, 60))) {
    const std::uint64_t mask = ~std::uint64_t{0} / factor;
    const std::uint64_t value = kernels::uniform_value(context.next_epoch()) & mask;
    out.data.begin_round({value * factor, 0});
    const operation filled = scene.note(stream, "synchronous memset");
    STREAMCTS_CHECK(fill(context.cuda(), what, out.data.target(),
                         static_cast<std::uint32_t>(value)));
    const sighting seen = out.data.look();
    const operation after = scene.note(stream, "return of the memset");
    scene.expect(clause::CP_SYNC_006, filled, after, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

// Promise:   CP-SYNC-007. On memory with the sync-memops attribute a synchronous copy within the device
//            is done when the call returns.
// Defect:    the attribute has no effect: the call returns at once, as it may without. A kernel that only
//            the return orders behind the copy reads what was there before.
// Any speed: the kernel is in a stream that nothing joins to the copy; a copy that is over by then merely
//            hides the defect.
STREAMCTS_CASE(sync_memops, {.arrangement = "copy/sync_memops",
                             .clauses = {clause::CP_SYNC_007},
                             .needs = {need::mapped_memory},
                             .without_hold = "nothing may be in front of the copy but work that ends; "
                                             "a kernel reads after every return"}) {
  const driver::function_table& cuda = context.cuda();
  if (!cuda.cuPointerSetAttribute) context.not_supported("cuPointerSetAttribute is absent");
  const auto large = static_cast<std::size_t>(context.by_tier(1, 16, 64)) << 17;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::null_stream);
  lane& other = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, large);
  const driver::device_buffer from(cuda, large * 8);
  const driver::device_buffer to(cuda, large * 8);
  unsigned on = 1;
  STREAMCTS_CHECK(cuda.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, from.address()));
  STREAMCTS_CHECK(cuda.cuPointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, to.address()));
  while (scene.next_round(context.by_tier(2, 6, 60))) {
    scene.note(stream, "kernel writing the source");
    context.kernels().write_pattern(stream.get(), from.address(), large, out.data.expected(), 200'000);
    const operation copied = scene.note(stream, "synchronous copy within the device");
    STREAMCTS_CHECK(cuda.cuMemcpyDtoD(to.address(), from.address(), large * 8));
    const operation read = scene.note(other, "kernel of another stream");
    context.kernels().copy_words(other.get(), out.data.target(), to.address(), large);
    other.stream.synchronize();
    const sighting seen = out.data.look();
    scene.expect(clause::CP_SYNC_007, copied, read, kind_of(seen, gate::state::opened), seen,
                 IsComplete());
  }
}

}  // namespace
}  // namespace streamcts
