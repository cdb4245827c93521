// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Host functions behind a kernel that faults.

#include "conformance/axes.h"
#include "conformance/callback/fault_scene.h"
#include "conformance/clauses/clauses.h"

namespace streamcts {
namespace {

// Promise:   HF-ERR-001. When an error has occurred in the context, pending host functions are not
//            called, neither in the stream that failed nor in one that waits for it.
// Defect:    host functions are called whatever has happened. Their count is 1.
// Any speed: the failing kernel waits behind a gate until all are enqueued; counts are read once the
//            error has been reported and some time has passed in which they could have been called.
STREAMCTS_CASE(not_after_fault, {.arrangement = "hostfunc/not_after_fault",
                                 .clauses = {clause::HF_ERR_001},
                                 .axes = {device_faults()},
                                 .where = isolation::own_process,
                                 .needs = {need::device_gate, need::faults}}) {
  fault_scene& scene = fault_scene::make(context);
  host_call_slot& first = scene.host_call();
  host_call_slot& second = scene.host_call();
  host_call_slot& joined = scene.host_call();
  scene.hold([&] {
    scene.enqueue_gate(scene.first());
    scene.enqueue_fault(scene.first(), context.get<device_fault>("fault"));
    scene.enqueue(scene.first(), first, host_call::launch_host_func);
    scene.enqueue(scene.first(), second, host_call::launch_host_func);
    scene.join();
    scene.enqueue(scene.second(), joined, host_call::launch_host_func);
  });
  context.count_round();
  scene.await_error();
  (void)context.cuda().cuStreamSynchronize(scene.first());
  (void)context.cuda().cuStreamSynchronize(scene.second());
  scene.linger();
  for (host_call_slot* each : {&first, &second, &joined}) {
    context.expect(clause::HF_ERR_001, failure_kind::value,
                   each == &joined ? "host function of a joined stream"
                                   : "host function behind the fault",
                   each->times(), testing::Eq(0u));
  }
}

}  // namespace
}  // namespace streamcts
