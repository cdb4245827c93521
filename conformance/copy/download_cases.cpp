// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Asynchronous copies to the host and memsets of host memory, as a host call behind them sees them.

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "conformance/copy/bytes.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// How many bytes, and how far from an aligned address.
enum class extent { one_byte, odd_61, odd_64k, mib_5 };
std::string_view name(extent what) {
  constexpr std::array<std::string_view, 4> names = {"byte_1", "bytes_61", "kib_64_odd",
                                                     "mib_5_odd"};
  return names[static_cast<std::size_t>(what)];
}
struct stretch {
  std::size_t offset, length;
};
stretch stretch_of(extent what) {
  constexpr std::array<stretch, 4> all = {{{7, 1}, {3, 61}, {5, 64 * 1024 + 13},
                                           {1, 5 * 1024 * 1024 + 7}}};
  return all[static_cast<std::size_t>(what)];
}
axis extents() {
  return make_axis<extent>("extent", {extent::one_byte, extent::odd_61, extent::odd_64k,
                                      {extent::mib_5, tier::standard}});
}

driver::host_memory memory_for(memory_kind kind) {
  switch (kind) {
    case memory_kind::mapped: return driver::host_memory::mapped;
    case memory_kind::registered: return driver::host_memory::registered;
    default: return driver::host_memory::pinned;
  }
}

/// Payloads of visibility are in allocations of 64 KiB and more, however few their bytes are.
std::size_t allocation_for(std::size_t offset, std::size_t length) {
  return std::max<std::size_t>(byte_field::space_for(offset, length), 64 * 1024);
}

std::span<std::uint8_t> bytes_of(const driver::host_buffer& buffer) {
  return {buffer.as<std::uint8_t>(), buffer.size()};
}

std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

// Promise:   VS-COPY-001. Behind a copy from the device to pinned memory a host call finds every byte of
//            it, and not one beside it.
// Defect:    the host call starts when the last burst of the copy is on its way; or lengths and addresses
//            are rounded. It finds the sentinel in the last bytes, or something else in a guard.
// Any speed: the source's writer is held until everything is enqueued; nothing comes between the host
//            call's start and its look.
STREAMCTS_CASE(download, {.arrangement = "copy/download",
                          .clauses = {clause::VS_COPY_001},
                          .axes = {host_calls(), extents(),
                                   make_axis<memory_kind>("memory", {memory_kind::pinned,
                                                                     memory_kind::mapped,
                                                                     memory_kind::registered})},
                          .needs = {need::device_gate},
                          .needs_of = needs_of_memory}) {
  const stretch at = stretch_of(context.get<extent>("extent"));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const std::size_t words = words_for(at.length);
  const driver::device_buffer source(context.cuda(), words * 8);
  const driver::host_buffer memory(context.cuda(), allocation_for(at.offset, at.length),
                                   memory_for(memory_of(context)));
  byte_field out(bytes_of(memory), at.offset, at.length);
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    const kernels::pattern expected = kernels::ramp(context.next_epoch());
    out.begin_round(expected);
    observer& call = scene.host_call(host_call_of(context));
    byte_sighting seen;
    call.first([&seen, &out] { seen = out.look(); });
    operation victim{};
    scene.hold_work([&] {
      gate& held = scene.victim_gate();
      scene.note(stream, "held kernel writing the source");
      context.kernels().gated_write(stream.get(), held.word().device(),
                                    held.begun_word().device(), 1,
                                    static_cast<std::uint64_t>(held.timeout().count()),
                                    source.address(), words, expected);
      victim = scene.note(stream, "copy to the host");
      STREAMCTS_CHECK(context.cuda().cuMemcpyDtoHAsync(out.data(), source.address(), out.length(),
                                                       stream.get()));
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect(clause::VS_COPY_001, victim, call.op(), kind_of(seen), seen, HasAllBytes());
  }
}

/// Where ordinary memory comes from.
enum class ordinary { heap, file, stack };
std::string_view name(ordinary what) {
  constexpr std::array<std::string_view, 3> names = {"heap", "file", "stack"};
  return names[static_cast<std::size_t>(what)];
}

/// A file of its own, mapped shared.
class mapped_file {
 public:
  explicit mapped_file(std::size_t bytes) : bytes_(bytes) {
    const int file = memfd_create("streamcts", MFD_CLOEXEC);
    if (file < 0) return;
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0) {
      at_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    }
    close(file);
  }
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file() {
    if (made()) munmap(at_, bytes_);
  }
  bool made() const { return at_ != MAP_FAILED; }
  std::span<std::uint64_t> words() const {
    return {static_cast<std::uint64_t*>(at_), bytes_ / sizeof(std::uint64_t)};
  }

 private:
  std::size_t bytes_;
  void* at_ = MAP_FAILED;
};

void run_pageable_download(case_context& context, std::span<std::uint64_t> out) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  const driver::device_buffer source(context.cuda(), out.size_bytes());
  kernels::pattern previous{kernels::sentinel, 0};
  while (scene.next_round(context.by_tier(2, 3, 10))) {
    const kernels::pattern expected = kernels::ramp(context.next_epoch());
    fill_with_sentinel(out);
    observer& call = scene.host_call(host_call_of(context));
    sighting seen;
    call.first([&] { seen = look(out, expected, previous); });
    scene.note(stream, "kernel writing the source");
    context.kernels().write_pattern(stream.get(), source.address(), out.size(), expected, 200'000);
    const operation copied = scene.note(stream, "copy to ordinary memory");
    STREAMCTS_CHECK(context.cuda().cuMemcpyDtoHAsync(out.data(), source.address(),
                                                     out.size_bytes(), stream.get()));
    scene.enqueue(stream, call);
    scene.drain();
    scene.expect(clause::VS_COPY_002, copied, call.op(), kind_of(seen, gate::state::opened), seen,
                 IsComplete());
    previous = expected;
  }
}

// Promise:   VS-COPY-002. Behind a copy from the device to ordinary memory a host call finds all of it.
// Defect:    the host call starts when the data is in the driver's staging buffer and not yet in the
//            program's memory. It finds the sentinel in the last pieces.
// Any speed: the copy may be made by the call or later; either way the host call comes after it. No gate
//            is in front: the call may wait for the stream.
STREAMCTS_CASE(pageable_download,
               {.arrangement = "copy/pageable_download",
                .clauses = {clause::VS_COPY_002},
                .axes = {host_calls(), make_axis<ordinary>("memory", {ordinary::heap,
                                                                      ordinary::file,
                                                                      ordinary::stack})},
                .without_hold = "the copying call may wait for the stream, so nothing can be held; the "
                                "host call looks in every round"}) {
  const auto bytes = static_cast<std::size_t>(context.by_tier(2, 32, 100)) << 20;
  switch (context.get<ordinary>("memory")) {
    case ordinary::heap: {
      std::vector<std::uint64_t> memory(bytes / 8);
      return run_pageable_download(context, memory);
    }
    case ordinary::file: {
      const mapped_file file(bytes);
      if (!file.made()) context.inconclusive("resource: a file in memory cannot be had");
      return run_pageable_download(context, file.words());
    }
    case ordinary::stack: {
      std::array<std::uint64_t, 32 * 1024> memory;
      return run_pageable_download(context, memory);
    }
  }
}

/// The element of a memset.
enum class element { d8, d16, d32, rows_d8 };
std::string_view name(element what) {
  constexpr std::array<std::string_view, 4> names = {"d8", "d16", "d32", "rows_d8"};
  return names[static_cast<std::size_t>(what)];
}

CUresult fill(const driver::function_table& cuda, element what, CUdeviceptr at, std::size_t bytes,
              std::uint32_t value, CUstream stream) {
  const auto byte = static_cast<unsigned char>(value);
  switch (what) {
    case element::d8: return cuda.cuMemsetD8Async(at, byte, bytes, stream);
    case element::d16:
      return cuda.cuMemsetD16Async(at, static_cast<unsigned short>(value), bytes / 2, stream);
    case element::d32: return cuda.cuMemsetD32Async(at, value, bytes / 4, stream);
    case element::rows_d8: return cuda.cuMemsetD2D8Async(at, 64, byte, 64, bytes / 64, stream);
  }
  return CUDA_ERROR_INVALID_VALUE;
}

/// A value of which every element of the given size is the same.
kernels::pattern uniform_of(element what, std::uint64_t epoch) {
  const std::uint32_t value = kernels::uniform_value(epoch);
  switch (what) {
    case element::d16: return {(value & 0xFFFF) * 0x0001000100010001ull, 0};
    case element::d32: return {value * 0x0000000100000001ull, 0};
    default: return {(value & 0xFF) * 0x0101010101010101ull, 0};
  }
}

// Promise:   VS-COPY-003. Behind an asynchronous memset of pinned memory a host call finds every element
//            set, and nothing beside them.
// Defect:    a memset of host memory counts as done when it was handed over; or its ends are rounded. The
//            host call finds the sentinel, or something else in a guard.
// Any speed: the memset waits behind a gate until the host call is enqueued.
STREAMCTS_CASE(set, {.arrangement = "copy/memset",
                     .clauses = {clause::VS_COPY_003},
                     .axes = {host_calls(), make_axis<element>("element", {element::d8, element::d16,
                                                                           element::d32,
                                                                           element::rows_d8})},
                     .needs = {need::device_gate, need::mapped_memory}}) {
  const element what = context.get<element>("element");
  const std::size_t offset = what == element::d8 ? 5 : what == element::d16 ? 6 : 4;
  const std::size_t length = 256 * 1024 + (what == element::d8 ? 3 : 64);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  const driver::host_buffer memory(context.cuda(), allocation_for(offset, length));
  byte_field out(bytes_of(memory), offset, length);
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    const kernels::pattern expected = uniform_of(what, context.next_epoch());
    out.begin_round(expected);
    observer& call = scene.host_call(host_call_of(context));
    byte_sighting seen;
    call.first([&seen, &out] { seen = out.look(); });
    operation victim{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      victim = scene.note(stream, "memset of pinned memory");
      STREAMCTS_CHECK(fill(context.cuda(), what, memory.device_address() + out.offset(), length,
                           static_cast<std::uint32_t>(expected.base), stream.get()));
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect(clause::VS_COPY_003, victim, call.op(), kind_of(seen), seen, HasAllBytes());
  }
}

}  // namespace
}  // namespace streamcts
