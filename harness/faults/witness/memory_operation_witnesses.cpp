// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream memory operations, and threads whose context is destroyed.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

/// Value waits have no time limit: the word they wait for is a gate, which the scene's keeper opens at
/// last, also where enqueuing the wait does not return before. @p begun must not be set while it is shut.
void must_stay_shut(scene& s, held& gate, const std::uint32_t* begun, const char* what) {
  s.must_not_happen(gate, [&] { return look(begun) != 0; }, what);
  s.finish();
}

void value_wait_is_cyclic(scene& s) {
  CUstream stream = s.stream();
  std::uint32_t* const begun = s.control_word();
  std::uint32_t* const word = s.control_word();
  *word = 0xFFFFFFFFu;  // two before 1, cyclically
  held& gate = s.gate_on(word);
  MUST(cu().StreamWaitValue32(stream, scene::on_device(word), 1, CU_STREAM_WAIT_VALUE_GEQ));
  s.signal(stream, begun);
  must_stay_shut(s, gate, begun, "2^32 - 1 was taken for more than 1");
}

void wide_value_wait_sees_all(scene& s) {
  CUstream stream = s.stream();
  std::uint32_t* const begun = s.control_word();
  const words both = s.pinned(64);
  auto* const halves = reinterpret_cast<std::uint32_t*>(both.data());
  halves[0] = 7;
  halves[1] = 0;
  held& gate = s.gate_on(&halves[1]);  // open: the high half is right, too
  constexpr std::uint64_t wanted = (std::uint64_t{1} << 32) | 7;
  MUST(cu().StreamWaitValue64(stream, scene::on_device(both.data()), wanted,
                              CU_STREAM_WAIT_VALUE_EQ));
  s.signal(stream, begun);
  must_stay_shut(s, gate, begun, "64 bits were taken for equal by their low half");
}

CUstreamBatchMemOpParams write_of(CUdeviceptr address, std::uint64_t value) {
  CUstreamBatchMemOpParams made{};
  made.writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  made.writeValue.address = address;
  made.writeValue.value64 = value;
  return made;
}

void batch_keeps_its_order(scene& s) {
  CUstream stream = s.stream();
  std::uint32_t* const begun = s.control_word();
  std::uint32_t* const word = s.control_word();
  held& gate = s.gate_on(word);
  CUstreamBatchMemOpParams steps[2] = {};
  steps[0].waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  steps[0].waitValue.address = scene::on_device(word);
  steps[0].waitValue.value64 = 1;
  steps[0].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  steps[1] = write_of(scene::on_device(begun), 1);
  MUST(cu().StreamBatchMemOp(stream, 2, steps, 0));
  must_stay_shut(s, gate, begun, "a batch wrote before its wait was satisfied");
}

void batch_waits_for_kernel(scene& s) {
  CUstream stream = s.stream();
  std::uint32_t* const begun = s.control_word();
  held& gate = s.hold(stream);
  CUstreamBatchMemOpParams step = write_of(scene::on_device(begun), 1);
  MUST(cu().StreamBatchMemOp(stream, 1, &step, 0));
  s.must_not_happen(gate, [&] { return look(begun) != 0; },
                    "a batch wrote before the kernel in front of it had ended");
}

void destroyed_context_is_told(scene& s) {
  CUdevice device = 0;
  CUcontext old = nullptr, made = nullptr;
  MUST(cu().DeviceGet(&device, 0));
  MUST(cu().CtxGetCurrent(&old));
  s.stream();
  MUST(cu().CtxCreate(&made, nullptr, 0, device));
  MUST(cu().CtxSetCurrent(old));
  std::atomic<int> step{0};
  CUresult result = CUDA_SUCCESS;
  std::thread other([&] {
    cu().CtxSetCurrent(made);
    step = 1;
    wait_until([&] { return step == 2; });
    CUstream stream = nullptr;
    result = cu().StreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    if (result == CUDA_SUCCESS) cu().StreamDestroy(stream);
  });
  const bool set = wait_until([&] { return step == 1; });
  const CUresult destroyed = cu().CtxDestroy(made);
  step = 2;
  other.join();
  cu().CtxSetCurrent(old);
  MUST(destroyed);
  if (!set) return s.cannot_tell("a thread did not start in time");
  s.expect(result == CUDA_ERROR_CONTEXT_IS_DESTROYED,
           "a thread did not hear that its context was destroyed");
}

const witness list[] = {
    {"value_wait_is_cyclic", value_wait_is_cyclic},
    {"wide_value_wait_sees_all", wide_value_wait_sees_all},
    {"batch_keeps_its_order", batch_keeps_its_order},
    {"batch_waits_for_kernel", batch_waits_for_kernel},
    {"destroyed_context_is_told", destroyed_context_is_told},
};

}  // namespace

std::span<const witness> memory_operation_witnesses() { return list; }

}  // namespace streamcts::faults::witness
