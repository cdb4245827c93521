// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The program's own memory: registered, or reached by the device as it is.

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <vector>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

constexpr std::size_t bytes = std::size_t{2} << 20;
constexpr std::size_t words = bytes / sizeof(std::uint64_t);

/// Where the memory comes from.
enum class origin { heap, mapping, huge_pages, file };
std::string_view name(origin what) {
  constexpr std::array<std::string_view, 4> names = {"heap", "mapping", "huge_pages", "file"};
  return names[static_cast<std::size_t>(what)];
}

/// Memory of the program, aligned to pages and, for huge pages, to 2 MiB.
class own_memory {
 public:
  explicit own_memory(origin from) {
    if (from == origin::heap) {
      heap_.resize(words + page / 8);
      void* at = heap_.data();
      std::size_t space = heap_.size() * 8;
      begin_ = static_cast<std::uint64_t*>(std::align(page, bytes, at, space));
      return;
    }
    int file = -1;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    if (from == origin::file) {
      file = memfd_create("streamcts", MFD_CLOEXEC);
      if (file < 0 || ftruncate(file, mapped) != 0) return;
      flags = MAP_SHARED;
    }
    at_ = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, flags, file, 0);
    if (file >= 0) close(file);
    if (at_ == MAP_FAILED) return;
    if (from == origin::huge_pages) (void)madvise(at_, mapped, MADV_HUGEPAGE);
    void* at = at_;
    std::size_t space = mapped;
    begin_ = static_cast<std::uint64_t*>(std::align(bytes, bytes, at, space));
  }
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;
  ~own_memory() {
    if (at_ != MAP_FAILED) munmap(at_, mapped);
  }
  bool made() const { return begin_ != nullptr; }
  std::span<std::uint64_t> view() const { return {begin_, words}; }

 private:
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t mapped = 2 * bytes;
  std::vector<std::uint64_t> heap_;
  void* at_ = MAP_FAILED;
  std::uint64_t* begin_ = nullptr;
};

/// Registered as long as it lives.
class registration {
 public:
  registration(const driver::function_table& cuda, void* at) : cuda_(cuda), at_(at) {
    STREAMCTS_CHECK(cuda.cuMemHostRegister(at, bytes, CU_MEMHOSTREGISTER_DEVICEMAP));
  }
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;
  ~registration() { (void)cuda_.cuMemHostUnregister(at_); }

 private:
  const driver::function_table& cuda_;
  void* at_;
};

/// A kernel writes the lower half by @p address, a copy the upper one; a host call looks at both.
void write_and_look(case_context& context, clause_id promise, std::span<std::uint64_t> memory,
                    CUdeviceptr address, bool with_copy) {
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::blocking);
  const driver::device_buffer source(context.cuda(), bytes / 2);
  kernels::pattern previous{kernels::sentinel, 0};
  const std::size_t half = words / 2;
  while (scene.next_round(context.by_tier(1, 3, 30))) {
    const kernels::pattern expected = kernels::ramp(context.next_epoch());
    fill_with_sentinel(memory);
    observer& call = scene.host_call(host_call_of(context));
    sighting upper, lower;
    call.first([&] {
      if (with_copy) upper = look(memory.subspan(half), expected, previous);
      lower = look(memory.first(half), expected, previous);
    });
    operation victim{}, copied{};
    scene.hold_work([&] {
      scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      victim = scene.note(stream, "kernel writing the lower half");
      context.kernels().write_pattern(stream.get(), address, half, expected);
      if (with_copy) {
        context.kernels().write_pattern(stream.get(), source.address(), half, expected);
        copied = scene.note(stream, "copy into the upper half");
        STREAMCTS_CHECK(context.cuda().cuMemcpyDtoHAsync(memory.data() + half, source.address(),
                                                         half * 8, stream.get()));
      }
      scene.enqueue(stream, call);
    });
    scene.drain();
    scene.expect(promise, victim, call.op(), kind_of(lower, gate::state::opened), lower,
                 IsComplete());
    if (with_copy) {
      scene.expect(promise, copied, call.op(), kind_of(upper, gate::state::opened), upper,
                   IsComplete());
    }
    previous = expected;
  }
}

// Promise:   VS-REG-001. What kernels and copies write into registered memory a host call sees by the
//            program's own pointer, wherever the memory comes from.
// Defect:    the device writes into a buffer of the driver's that is copied back when the memory is
//            unregistered. The host call finds the sentinel.
// Any speed: everything waits behind a gate until the host call is enqueued.
STREAMCTS_CASE(registered, {.arrangement = "visibility/registered",
                            .clauses = {clause::VS_REG_001},
                            .axes = {host_calls(),
                                     make_axis<origin>("origin", {origin::heap, origin::mapping,
                                                                  origin::huge_pages})},
                            .needs = {need::device_gate, need::registered_memory}}) {
  const driver::function_table& cuda = context.cuda();
  const own_memory memory(context.get<origin>("origin"));
  if (!memory.made()) context.inconclusive("resource: the memory cannot be had");
  const registration held(cuda, memory.view().data());
  CUdeviceptr address = 0;
  STREAMCTS_CHECK(cuda.cuMemHostGetDevicePointer(&address, memory.view().data(), 0));
  write_and_look(context, clause::VS_REG_001, memory.view(), address, true);
}

// Promise:   VS-PAGE-001. Where the device can use pageable memory, a host call sees what kernels in front
//            of it have written into ordinary memory.
// Defect:    written pages come back only when the host faults after a synchronization. The host call finds
//            the sentinel.
// Any speed: the kernel waits behind a gate until the host call is enqueued.
STREAMCTS_CASE(pageable, {.arrangement = "visibility/pageable",
                          .clauses = {clause::VS_PAGE_001},
                          .axes = {host_calls(), make_axis<origin>("origin", {origin::heap,
                                                                              origin::mapping,
                                                                              origin::file})},
                          .needs = {need::device_gate}}) {
  if (context.capabilities().attribute("pageable_memory_access") == 0) {
    context.not_supported("pageable_memory_access = 0");
  }
  const own_memory memory(context.get<origin>("origin"));
  if (!memory.made()) context.inconclusive("resource: the memory cannot be had");
  write_and_look(context, clause::VS_PAGE_001, memory.view(),
                 reinterpret_cast<CUdeviceptr>(memory.view().data()), false);
}

}  // namespace
}  // namespace streamcts
