// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The second version of the host-function launch, which takes a sync mode: drivers from 13.2 on.

#include <fmt/format.h>

#include <atomic>
#include <deque>
#include <utility>

#include "conformance/axes.h"
#include "conformance/clauses/clauses.h"
#include "harness/driver/result.h"

namespace streamcts {
namespace {

/// How the thread that runs host functions waits for the next one. The values are those of the call.
enum class sync_mode { blocking = 0, spin_wait = 1 };
std::string_view name(sync_mode what) {
  return what == sync_mode::blocking ? "blocking" : "spin_wait";
}
axis sync_modes() {
  return make_axis<sync_mode>("mode", {sync_mode::blocking, sync_mode::spin_wait});
}

/// Not in the headers that this is built with.
using launch_function = CUresult(CUDAAPI*)(CUstream, CUhostFn, void*, unsigned);
constexpr int first_version = 13020;

void* look_up(const case_context& context, const char* name, int version) {
  void* found = nullptr;
  CUdriverProcAddressQueryResult answer{};
  const CUresult code =
      context.cuda().cuGetProcAddress(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &answer);
  return code == CUDA_SUCCESS ? found : nullptr;
}

/// Ends the case where the driver has no such call. A look-up with a version above the driver's own is
/// an error, and one without the second version answers with the first.
launch_function second_version(case_context& context) {
  const int version = context.capabilities().driver_version;
  if (version < first_version) {
    context.not_supported(fmt::format("driver version = {}, below {}", version, first_version));
  }
  void* found = look_up(context, "cuLaunchHostFunc", first_version);
  if (found == look_up(context, "cuLaunchHostFunc", 10000)) found = nullptr;
  if (found == nullptr) found = look_up(context, "cuLaunchHostFunc_v2", first_version);
  if (found == nullptr) context.not_supported("cuLaunchHostFunc_v2 = absent");
  return reinterpret_cast<launch_function>(found);
}

/// One host function: what it saw, and what it waits for.
struct task {
  const product* input = nullptr;
  gate* hold = nullptr;
  control_word later;
  sighting seen;
  std::uint32_t later_seen = 0;
  std::atomic<std::uint32_t> times{0};
};

void CUDA_CB perform(void* data) {
  task& own = *static_cast<task*>(data);
  if (own.input != nullptr) own.seen = own.input->data.look();
  if (own.hold != nullptr) {
    own.hold->hold_this_thread();
    own.later_seen = own.later.load();
  }
  own.times.fetch_add(1, std::memory_order_acq_rel);
}

operation enqueue(arrangement& scene, launch_function launch, lane& on, task& what, sync_mode mode) {
  const operation made = scene.note(on, fmt::format("host function ({})", name(mode)));
  driver::check(launch(on.get(), &perform, &what, static_cast<unsigned>(mode)),
                "cuLaunchHostFunc_v2");
  return made;
}

/// The tasks of a case, kept until the process ends: a late execution must still find its own.
task& next_task() {
  static auto* const kept = new std::deque<task>;
  return kept->emplace_back();
}

// Promise:   HF-V2-001. The sync mode of a host function changes neither that it starts after what is in
//            front of it, nor that it runs once, in order with host functions of the other mode.
// Defect:    spinning host functions run on a thread of their own that keeps no order. One finds the
//            sentinel, or runs before the one in front of it.
// Any speed: the kernel is held until all host functions had their chance.
STREAMCTS_CASE(mode_keeps_order, {.arrangement = "hostfunc/mode_keeps_order",
                                  .clauses = {clause::HF_V2_001},
                                  .axes = {sync_modes()},
                                  .needs = {need::device_gate, need::mapped_memory}}) {
  const launch_function launch = second_version(context);
  const sync_mode mode = context.get<sync_mode>("mode");
  const sync_mode other = mode == sync_mode::blocking ? sync_mode::spin_wait : sync_mode::blocking;
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  product& out = scene.buffer(memory_kind::mapped);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    task& first = next_task();
    task& second = next_task();
    first.input = second.input = &out;
    operation victim{}, first_op{}, second_op{};
    scene.hold_work([&] {
      victim = scene.victim(stream, out);
      first_op = enqueue(scene, launch, stream, first, mode);
      second_op = enqueue(scene, launch, stream, second, other);
    });
    scene.drain();
    for (const auto& [each, op] : {std::pair{&first, first_op}, std::pair{&second, second_op}}) {
      if (!scene.expect(clause::HF_V2_001, victim, op, failure_kind::lost, each->times.load(),
                        testing::Eq(1u))) {
        return;
      }
      scene.expect(clause::HF_V2_001, victim, op, kind_of(each->seen, gate::state::shut), each->seen,
                   IsComplete());
    }
  }
}

// Promise:   HF-V2-001. The sync mode does not change that later work waits for the host function.
// Defect:    a spinning host function does not hold back its stream. It finds the kernel's mark set.
// Any speed: the host function is held until the kernel had its chance.
STREAMCTS_CASE(mode_keeps_blocking, {.arrangement = "hostfunc/mode_keeps_blocking",
                                     .clauses = {clause::HF_V2_001},
                                     .axes = {sync_modes()},
                                     .needs = {need::device_gate, need::host_gate,
                                               need::mapped_memory}}) {
  const launch_function launch = second_version(context);
  const sync_mode mode = context.get<sync_mode>("mode");
  arrangement scene(context);
  lane& stream = scene.stream(driver::stream_kind::non_blocking);
  while (scene.next_round(context.by_tier(2, 4, 50))) {
    task& held = next_task();
    held.later = scene.marker();
    operation op{}, behind{};
    scene.hold_work([&] {
      held.hold = &scene.victim_gate();
      op = enqueue(scene, launch, stream, held, mode);
      behind = scene.signal(stream, held.later);
    });
    scene.drain();
    scene.expect(clause::HF_V2_001, op, behind, failure_kind::early, held.later_seen, HasNotBegun());
  }
}

}  // namespace
}  // namespace streamcts
