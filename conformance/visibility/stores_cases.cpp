// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What kernels store in memory that the host can read, as a host call behind them sees it.

#include <array>

#include "conformance/visibility/memory_clauses.h"

namespace streamcts {
namespace {

/// How much is written.
enum class amount { kib_64, mib_5 };
std::string_view name(amount what) { return what == amount::kib_64 ? "kib_64" : "mib_5"; }

std::size_t words_of(amount what) {
  return what == amount::kib_64 ? payload::visibility_words
                                : std::size_t{5} * 1024 * 1024 / sizeof(std::uint64_t);
}

// Promise:   VS-MAP-001, VS-MAP-003, VS-REG-001, VS-MAN-001. A host call sees all plain stores of the
//            kernels in front of it, in every kind of memory that the host can read.
// Defect:    the host call comes before the last stores have left the device, or only the first one of a
//            stream is preceded by a flush. It finds the sentinel, all over or in the last words.
// Any speed: the kernel is held until everything is enqueued; no fence and no later call repairs what
//            the host calls find at their start.
STREAMCTS_CASE(stores, {.arrangement = "visibility/stores",
                        .clauses = {clause::VS_MAP_001, clause::VS_MAP_003, clause::VS_REG_001,
                                    clause::VS_MAN_001},
                        .clauses_of = clauses_of_memory,
                        .axes = {host_calls(), stored_memories(),
                                 make_axis<amount>("amount", {amount::kib_64,
                                                              {amount::mib_5, tier::standard}})},
                        .needs = {need::device_gate},
                        .needs_of = needs_of_memory}) {
  const clause_id promise = context.instance().clauses.front();
  const std::size_t words = words_of(context.get<amount>("amount"));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& first = scene.buffer(memory_of(context), producer::kernel, words);
  product& second = scene.buffer(memory_of(context), producer::kernel, words);
  while (scene.next_round(context.by_tier(2, 3, 30))) {
    observer& one = scene.host_call(host_call_of(context));
    observer& two = scene.host_call(host_call_of(context));
    one.looks_at(first);
    two.looks_at(second);
    two.looks_at(first);
    operation victim{}, later{};
    scene.hold_work([&] {
      victim = scene.victim(stream, first);
      scene.enqueue(stream, one);
      later = scene.write(stream, second);
      scene.enqueue(stream, two);
    });
    scene.drain();
    scene.expect_complete(promise, victim, one);
    scene.expect_complete(promise, later, two);
  }
}

// Promise:   VS-MAP-001. The same for one large allocation: the words stored last are there, too.
// Defect:    large memory is delivered in pieces, and the last one after the host call has begun. It finds
//            the sentinel in the last words.
// Any speed: as above.
STREAMCTS_CASE(large_stores, {.arrangement = "visibility/large_stores",
                              .clauses = {clause::VS_MAP_001},
                              .axes = {host_calls()},
                              .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  constexpr std::size_t words = (std::size_t{4} * 1024 + 128) * 1024 / sizeof(std::uint64_t);
  product& out = scene.buffer(memory_kind::mapped, producer::kernel, words);
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(clause::VS_MAP_001, victim, call);
  }
}

/// The size of one store.
enum class store_width { byte, half, word, double_word, quad_word };
std::string_view name(store_width what) {
  constexpr std::array<std::string_view, 5> names = {"bytes_1", "bytes_2", "bytes_4", "bytes_8",
                                                     "bytes_16"};
  return names[static_cast<std::size_t>(what)];
}
unsigned bytes_of(store_width what) { return 1u << static_cast<unsigned>(what); }

// Promise:   VS-MAP-001. The same for stores of any size, in an order that jumps about.
// Defect:    stores that do not fill a line are gathered and still wait when the host call starts. It
//            finds the sentinel, or words of which some bytes are the sentinel's.
// Any speed: the kernel waits behind a gate until everything is enqueued.
STREAMCTS_CASE(scattered_stores,
               {.arrangement = "visibility/scattered_stores",
                .clauses = {clause::VS_MAP_001},
                .axes = {host_calls(),
                         make_axis<store_width>("store", {store_width::byte, store_width::half,
                                                          store_width::word,
                                                          store_width::double_word,
                                                          store_width::quad_word})},
                .needs = {need::device_gate, need::mapped_memory}}) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      victim = scene.note(stream, "kernel with scattered stores");
      out.written = victim;
      context.kernels().scatter(stream.get(), out.data.target(), out.data.words(),
                                out.data.expected(),
                                bytes_of(context.get<store_width>("store")));
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(clause::VS_MAP_001, victim, call);
  }
}

axis addressed_memories() {
  return make_axis<memory_kind>("memory", {memory_kind::mapped, memory_kind::pinned,
                                           memory_kind::portable, memory_kind::write_combined,
                                           memory_kind::registered});
}

bool is_named(const case_context& context, const char* attribute) {
  return context.capabilities().attribute(attribute) != 0;
}

/// Whether the device reaches the memory by the address that the host has for it.
bool has_one_address(const case_context& context, memory_kind kind) {
  if (kind == memory_kind::write_combined) return false;
  return kind != memory_kind::registered ||
         is_named(context, "can_use_host_pointer_for_registered_mem");
}

// Promise:   VS-MAP-002. With unified addressing a kernel writes host memory by the host's own address;
//            for write-combined memory, and for registered memory where the device says so, by the one
//            that is asked for.
// Defect:    the device's address is that of another page. The host call finds the sentinel.
// Any speed: the kernel is held until the host call is enqueued; the addresses do not depend on time.
STREAMCTS_CASE(address, {.arrangement = "visibility/address",
                         .clauses = {clause::VS_MAP_002},
                         .axes = {host_calls(), addressed_memories()},
                         .needs = {need::device_gate},
                         .needs_of = needs_of_memory}) {
  if (!is_named(context, "unified_addressing")) context.not_supported("unified_addressing = 0");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  product& out = scene.buffer(memory_of(context));
  const auto host = reinterpret_cast<CUdeviceptr>(out.data.host_words().data());
  const bool one = has_one_address(context, memory_of(context));
  if (one) {
    context.expect(clause::VS_MAP_002, failure_kind::value, "host after cuMemHostGetDevicePointer",
                   out.data.target(), testing::Eq(host));
  }
  const CUdeviceptr address = one ? host : out.data.target();
  while (scene.next_round(context.by_tier(1, 2, 10))) {
    observer& call = scene.host_call(host_call_of(context));
    call.looks_at(out);
    operation victim{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      victim = scene.note(stream, one ? "kernel writing by the host's address"
                                      : "kernel writing by the device's address");
      out.written = victim;
      context.kernels().write_pattern(stream.get(), address, out.data.words(),
                                      out.data.expected());
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect_complete(clause::VS_MAP_002, victim, call);
  }
}

}  // namespace
}  // namespace streamcts
