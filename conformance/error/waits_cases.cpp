// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Synchronizations and queries when a kernel faults in front of what they wait for.

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>

#include "conformance/callback/fault_scene.h"
#include "conformance/clauses/clauses.h"
#include "harness/case/host_thread.h"

namespace streamcts {
namespace {

/// A wait that a thread of its own is in when the fault comes. Never freed: it may not return.
struct wait_in_thread {
  std::string_view name;
  std::function<CUresult()> call;
  host_thread* by = nullptr;
  std::atomic<bool> calling{false};
  std::atomic<bool> returned{false};
  CUresult code = CUDA_SUCCESS;

  void begin(device_session& session) {
    by = new host_thread(session);
    by->start([this] {
      calling = true;
      code = call();
      returned = true;
    });
  }
};

/// Work behind the fault, in its own stream and in one that waits for it.
void enqueue_behind(case_context& context, fault_scene& scene) {
  for (int i = 0; i < 20; ++i) context.kernels().add(scene.first(), scene.word(), 1);
  for (int i = 0; i < 10; ++i) {
    scene.enqueue(scene.first(), scene.host_call(), host_call::add_callback);
  }
  scene.join();  // records the event
  context.kernels().add(scene.second(), scene.word() + 8, 1);
}

// Promise:   ER-PROP-001. After a fault every kind of synchronization returns an error and does not hang,
//            and no query says that what was behind the fault is complete.
// Defect:    what is behind counts as done when the device gives up: CUDA_SUCCESS; or the end is never
//            noted, and a synchronization does not return.
// Any speed: the failing kernel is held until all waits have begun; queries are repeated until they answer
//            something else than NOT_READY.
STREAMCTS_CASE(waits, {.arrangement = "error/waits",
                       .clauses = {clause::ER_PROP_001},
                       .axes = {device_faults()},
                       .where = isolation::own_process,
                       .needs = {need::device_gate, need::faults}}) {
  const driver::function_table& cuda = context.cuda();
  fault_scene& scene = fault_scene::make(context);
  auto& waits = *new std::array<wait_in_thread, 4>;
  waits[0].name = "host after cuStreamSynchronize";
  waits[0].call = [&] { return cuda.cuStreamSynchronize(scene.first()); };
  waits[1].name = "host after cuEventSynchronize";
  waits[1].call = [&] { return cuda.cuEventSynchronize(scene.event()); };
  waits[2].name = "host after cuStreamSynchronize of a joined stream";
  waits[2].call = [&] { return cuda.cuStreamSynchronize(scene.second()); };
  waits[3].name = "host after cuCtxSynchronize";
  waits[3].call = [&] { return cuda.cuCtxSynchronize(); };
  scene.hold([&] {
    scene.enqueue_gate(scene.first());
    scene.enqueue_fault(scene.first(), context.get<device_fault>("fault"));
    enqueue_behind(context, scene);
  }, [&] {
    for (wait_in_thread& each : waits) each.begin(context.session());
    const auto soon = std::chrono::steady_clock::now() + context.calibration().hold();
    for (wait_in_thread& each : waits) {
      for (unsigned step = 0; !each.calling && std::chrono::steady_clock::now() < soon; ++step) {
        relax_thread(step);
      }
    }
  });
  context.count_round();
  const auto limit = std::chrono::steady_clock::now() + context.calibration().patience();
  for (wait_in_thread& each : waits) {
    for (unsigned step = 0; !each.returned && std::chrono::steady_clock::now() < limit; ++step) {
      relax_thread(step);
    }
    if (!context.expect(clause::ER_PROP_001, failure_kind::progress, each.name,
                        each.returned.load(), testing::Eq(true))) {
      return;
    }
    context.expect(clause::ER_PROP_001, failure_kind::status, each.name, each.code, IsAnError());
  }
  struct question {
    std::string_view name;
    std::function<CUresult()> ask;
  };
  const question questions[] = {
      {"cuStreamQuery", [&] { return cuda.cuStreamQuery(scene.first()); }},
      {"cuEventQuery", [&] { return cuda.cuEventQuery(scene.event()); }},
      {"cuStreamQuery of a joined stream", [&] { return cuda.cuStreamQuery(scene.second()); }},
      {"cuEventSynchronize", [&] { return cuda.cuEventSynchronize(scene.event()); }},
      {"cuStreamSynchronize", [&] { return cuda.cuStreamSynchronize(scene.first()); }},
  };
  for (const question& each : questions) {
    CUresult code = CUDA_ERROR_NOT_READY;
    for (unsigned step = 0; code == CUDA_ERROR_NOT_READY; ++step) {
      code = each.ask();
      if (std::chrono::steady_clock::now() > limit) break;
      relax_thread(step);
    }
    context.expect(clause::ER_PROP_001, failure_kind::status, each.name, code, IsFinalError());
  }
}

}  // namespace
}  // namespace streamcts
