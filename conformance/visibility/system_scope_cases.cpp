// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host and device at the same time: single accesses, message passing, atomics of system scope.

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <vector>

#include "conformance/visibility/memory_clauses.h"
#include "harness/driver/result.h"
#include "kernels/parameters.h"

namespace streamcts {
namespace {

void require_sm_70(case_context& context) {
  if (context.capabilities().compute_major < 7) {
    context.not_supported(
        fmt::format("compute capability = {}.{}", context.capabilities().compute_major,
                    context.capabilities().compute_minor));
  }
}

std::uint64_t load(std::uint64_t& word) {
  return std::atomic_ref<std::uint64_t>(word).load(std::memory_order_relaxed);
}

std::uint64_t nanoseconds(std::chrono::nanoseconds what) {
  return static_cast<std::uint64_t>(what.count());
}

/// Waits until @p word is @p value, at most as long as patience says.
bool await(case_context& context, control_word word, std::uint32_t value) {
  const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
  for (unsigned step = 0; word.load() != value; ++step) {
    if (std::chrono::steady_clock::now() > limit) return false;
    relax_thread(step);
  }
  return true;
}

// Promise:   VS-MAP-005. An aligned store of the device to mapped memory is one access for the host.
// Defect:    stores of eight bytes are made in two halves. The host sees one half of a value and the other
//            half of its complement.
// Any speed: the kernel alternates until the host has seen it change many times; each look is one load. A
//            bridge that splits rarely is seen rarely.
STREAMCTS_CASE(single_access, {.arrangement = "visibility/single_access",
                               .clauses = {clause::VS_MAP_005},
                               .needs = {need::mapped_memory},
                               .without_hold = "the kernel runs while the host samples; rounds in which "
                                               "it saw no change are inconclusive"}) {
  require_sm_70(context);
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& page = scene.buffer(memory_kind::mapped);
  constexpr int least = 3;
  const int wanted = context.by_tier(200, 20'000, 1'000'000);
  while (scene.next_round(context.by_tier(1, 2, 4))) {
    const std::uint64_t value = page.data.expected().base;
    std::uint64_t& word = page.data.host_words()[payload::visibility_words / 2];
    const control_word stop = scene.marker();
    const operation made = scene.note(stream, "kernel storing a value and its complement");
    context.kernels().alternate(stream.get(), page.data.target() + payload::visibility_words / 2 * 8,
                                value, stop.device(),
                                nanoseconds(context.calibration().gate_timeout()));
    const auto start = std::chrono::steady_clock::now();
    int changes = 0;
    std::uint64_t last = kernels::sentinel, mixed = 0;
    const auto goes_on = [&] {
      const auto passed = std::chrono::steady_clock::now() - start;
      if (changes < least) return passed < context.calibration().gate_timeout() / 2;
      return changes < wanted && passed < 4 * context.calibration().hold();
    };
    while (mixed == 0 && goes_on()) {
      const std::uint64_t seen = load(word);
      if (seen != value && seen != ~value && seen != kernels::sentinel) mixed = seen;
      if (seen != last) ++changes;
      last = seen;
    }
    stop.store(kernels::gate_opened);
    scene.drain();
    scene.expect(clause::VS_MAP_005, made, made, failure_kind::torn, mixed, testing::Eq(0u));
    if (changes < least) context.inconclusive("the host saw the word change less than three times");
  }
}

axis shared_memories() {
  return make_axis<memory_kind>("memory", {memory_kind::mapped, memory_kind::managed,
                                           memory_kind::registered, memory_kind::portable});
}

std::vector<clause_id> message_clauses(const parameters& values) {
  return {values.get<memory_kind>("memory") == memory_kind::managed ? clause::VS_SYS_001
                                                                     : clause::VS_MAP_007};
}

// Promise:   VS-MAP-007, VS-SYS-001. What a kernel stores before it releases a flag of system scope, a host
//            thread that acquires the flag sees while the kernel still runs.
// Defect:    stores overtake the flag on their way. The host finds the sentinel, or the message before.
// Any speed: the kernel waits for the host's answer, which the host gives after it has looked; the flag
//            orders the two whenever the host sees it.
STREAMCTS_CASE(message, {.arrangement = "visibility/message_to_host",
                         .clauses = {clause::VS_MAP_007, clause::VS_SYS_001},
                         .clauses_of = message_clauses,
                         .axes = {shared_memories()},
                         .needs_of = needs_of_memory,
                         .without_hold = "the kernel itself waits until the host has looked"}) {
  require_sm_70(context);
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_of(context));
  while (scene.next_round(context.by_tier(4, 50, 5000))) {
    const control_word flag = scene.marker();
    const control_word answer = scene.marker();
    const operation sent = scene.note(stream, "kernel sending a message");
    const auto before = std::chrono::steady_clock::now();
    context.kernels().message(stream.get(), out.data.target(), out.data.words(),
                              out.data.expected(), flag.device(), 1, answer.device(),
                              nanoseconds(context.calibration().gate_timeout()));
    if (std::chrono::steady_clock::now() - before > context.calibration().enqueue_cap()) {
      context.inconclusive("the launch waited for the kernel");
    }
    const bool came = await(context, flag, 1);
    const sighting seen = out.data.look();
    answer.store(1);
    scene.drain();
    if (!came) context.inconclusive("the flag was not seen while the kernel ran");
    const operation read = scene.note(stream, "host after acquiring the flag");
    scene.expect(promise, sent, read, kind_of(seen, gate::state::opened), seen, IsComplete());
  }
}

// Promise:   VS-MAP-008, VS-SYS-001. A running kernel that acquires a flag at system scope sees what the
//            host wrote before it released the flag.
// Defect:    the device reads host memory from what it had at launch. The copy holds the sentinel.
// Any speed: the host writes only once the kernel says that it runs, and the kernel copies only once it has
//            acquired the flag.
STREAMCTS_CASE(to_device, {.arrangement = "visibility/message_to_device",
                           .clauses = {clause::VS_MAP_008, clause::VS_SYS_001},
                           .clauses_of = [](const parameters& values) {
                             return std::vector{values.get<memory_kind>("memory") ==
                                                        memory_kind::managed
                                                    ? clause::VS_SYS_001
                                                    : clause::VS_MAP_008};
                           },
                           .axes = {shared_memories()},
                           .needs = {need::device_gate, need::mapped_memory},
                           .needs_of = needs_of_memory,
                           .without_hold = "the kernel itself waits until the host has written"}) {
  require_sm_70(context);
  const clause_id promise = context.instance().clauses.front();
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& in = scene.buffer(memory_of(context));
  product& out = scene.buffer(memory_kind::mapped);
  // Device work of an earlier kernel, so that the device has seen the range's old contents.
  while (scene.next_round(context.by_tier(3, 30, 2000))) {
    out.data.begin_round(in.data.expected());
    scene.note(stream, "kernel reading the old contents");
    context.kernels().copy_words(stream.get(), out.data.target(), in.data.target(), in.data.words());
    const control_word flag = scene.marker();
    const control_word begun = scene.marker();
    const operation read = scene.note(stream, "running kernel that waits for the flag");
    out.written = read;
    context.kernels().gated_copy(stream.get(), flag.device(), begun.device(), 1,
                                 nanoseconds(context.calibration().gate_timeout()),
                                 out.data.target(), in.data.target(), in.data.words());
    const bool runs = await(context, begun, 1);
    fill_with_pattern(in.data.host_words(), in.data.expected());
    const bool in_time = flag.replace(kernels::gate_shut, kernels::gate_opened);
    scene.drain();
    if (!runs || !in_time) context.inconclusive("the kernel was not waiting when the host had written");
    const sighting seen = out.data.look();
    scene.expect(promise, read, read, kind_of(seen, gate::state::opened), seen, IsComplete());
  }
}

// Promise:   VS-SYS-001. Where host and device may use memory at the same time, atomics of system scope are
//            atomic between them.
// Defect:    the device adds by a load and a store, or a page moves without the other side's knowing. The
//            sum is less than the number of additions.
// Any speed: the sum does not depend on who comes when; additions that do not overlap merely hide the
//            defect.
STREAMCTS_CASE(atomics, {.arrangement = "visibility/atomics",
                         .clauses = {clause::VS_SYS_001},
                         .needs = {need::managed_memory},
                         .without_hold = "host and device add at the same time; the sum is looked at"}) {
  constexpr unsigned blocks = 2, threads = 32;
  const auto times = static_cast<std::uint64_t>(context.by_tier(200, 2'000, 20'000));
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& page = scene.buffer(memory_kind::managed);
  while (scene.next_round(context.by_tier(2, 4, 10))) {
    std::uint64_t& counter = page.data.host_words().front();
    std::atomic_ref<std::uint64_t> sum(counter);
    sum.store(0);
    const operation added = scene.note(stream, "kernel counting");
    context.kernels().count(stream.get(), page.data.target(), times, {blocks, threads});
    for (std::uint64_t i = 0; i < times * 8; ++i) sum.fetch_add(1, std::memory_order_relaxed);
    stream.stream.synchronize();
    const operation read = scene.host_after(stream, "host after cuStreamSynchronize");
    scene.expect(clause::VS_SYS_001, added, read, failure_kind::lost, sum.load(),
                 testing::Eq(times * (blocks * threads + 8)));
  }
}

/// Puts a kernel into @p stream that writes @p out in the given memory synchronization domain.
void write_in_domain(case_context& context, CUstream stream, const payload& out,
                     CUlaunchMemSyncDomain domain) {
  CUlaunchAttribute attribute{};
  attribute.id = CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN;
  attribute.value.memSyncDomain = domain;
  CUlaunchConfig config{};
  config.gridDimX = 32;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = 128;
  config.hStream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  CUdeviceptr address = out.target();
  std::uint64_t words = out.words(), late = 0;
  kernels::pattern pattern = out.expected();
  void* parameters[] = {&address, &words, &pattern.base, &pattern.step, &late};
  STREAMCTS_CHECK(context.cuda().cuLaunchKernelEx(
      &config, context.kernels().get().write_pattern.launchable(), parameters, nullptr));
}

// Promise:   VS-SYS-003. Whatever the memory synchronization domain of a kernel, its results are there for
//            host calls behind it, in its own stream and in one that waits for it.
// Defect:    only the default domain is flushed before a host call starts. It finds the sentinel in what
//            the kernel of the other domain wrote.
// Any speed: all kernels wait behind a gate until both host calls are enqueued.
STREAMCTS_CASE(domains, {.arrangement = "visibility/domains",
                         .clauses = {clause::VS_SYS_003},
                         .axes = {host_calls()},
                         .needs = {need::device_gate, need::mapped_memory}}) {
  if (!context.cuda().cuLaunchKernelEx) context.not_supported("cuLaunchKernelEx is absent");
  if (context.capabilities().compute_major < 9) context.not_supported("compute capability below 9.0");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  lane& joined = scene.stream(driver::stream_kind::non_blocking);
  mark& event = scene.event();
  product& usual = scene.buffer(memory_kind::mapped);
  product& remote = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(1, 4, 40))) {
    observer& own = scene.host_call(host_call_of(context));
    observer& other = scene.host_call(host_call_of(context));
    for (observer* each : {&own, &other}) {
      each->looks_at(remote);
      each->looks_at(usual);
    }
    operation victim{};
    scene.hold_work([&] {
      victim = scene.note(stream, "gate");
      scene.victim_gate().enqueue(context.cuda(), context.kernels(), stream.get(),
                                  gate_kind::mapped_flag);
      usual.written = scene.note(stream, "kernel of the default domain");
      write_in_domain(context, stream.get(), usual.data, CU_LAUNCH_MEM_SYNC_DOMAIN_DEFAULT);
      remote.written = scene.note(stream, "kernel of the remote domain");
      write_in_domain(context, stream.get(), remote.data, CU_LAUNCH_MEM_SYNC_DOMAIN_REMOTE);
      scene.enqueue(stream, own);
      scene.record(event, stream);
      scene.wait(joined, event);
      scene.enqueue(joined, other);
    });
    scene.drain();
    scene.expect_complete(clause::VS_SYS_003, victim, own);
    scene.expect_complete(clause::VS_SYS_003, victim, other);
  }
}

}  // namespace
}  // namespace streamcts
