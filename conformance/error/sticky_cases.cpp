// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What calls answer once a kernel has faulted.

#include <functional>
#include <string_view>
#include <vector>

#include "conformance/callback/fault_scene.h"
#include "conformance/clauses/clauses.h"
#include "harness/case/host_thread.h"

namespace streamcts {
namespace {

device_fault fault_of(const case_context& context) { return context.get<device_fault>("fault"); }

/// A call that gives the device work, waits for it or asks for it.
struct call {
  std::string_view name;
  std::function<CUresult()> make;
};

/// What the calls work with: made before the fault, never freed.
struct tools {
  const driver::function_table& cuda;
  const driver::kernel_set& kernels;
  CUstream stream;
  CUdeviceptr device;
  void* pinned;
  CUevent event;
  mutable std::uint64_t one = 1;

  CUresult launch() const {
    void* parameters[] = {const_cast<CUdeviceptr*>(&device), &one};
    return cuda.cuLaunchKernel(kernels.get().add.launchable(), 1, 1, 1, 1, 1, 1, 0, stream,
                               parameters, nullptr);
  }
};

void CUDA_CB ignore_callback(CUstream, CUresult, void*) {}
void CUDA_CB ignore_function(void*) {}

std::vector<call> calls_of(const tools& with) {
  const driver::function_table& cuda = with.cuda;
  return {
      {"cuStreamSynchronize", [&] { return cuda.cuStreamSynchronize(with.stream); }},
      {"cuLaunchKernel", [&] { return with.launch(); }},
      {"cuMemcpyHtoDAsync",
       [&] { return cuda.cuMemcpyHtoDAsync(with.device, with.pinned, 8, with.stream); }},
      {"cuMemcpyDtoH", [&] { return cuda.cuMemcpyDtoH(with.pinned, with.device, 8); }},
      {"cuMemsetD8Async",
       [&] { return cuda.cuMemsetD8Async(with.device, 1, 8, with.stream); }},
      {"cuMemAlloc",
       [&] {
         CUdeviceptr made = 0;
         return cuda.cuMemAlloc(&made, 4096);
       }},
      {"cuMemHostAlloc",
       [&] {
         void* made = nullptr;
         return cuda.cuMemHostAlloc(&made, 4096, 0);
       }},
      {"cuStreamCreate",
       [&] {
         CUstream made = nullptr;
         return cuda.cuStreamCreate(&made, CU_STREAM_NON_BLOCKING);
       }},
      {"cuEventRecord", [&] { return cuda.cuEventRecord(with.event, with.stream); }},
      {"cuStreamAddCallback",
       [&] { return cuda.cuStreamAddCallback(with.stream, ignore_callback, nullptr, 0); }},
      {"cuLaunchHostFunc",
       [&] { return cuda.cuLaunchHostFunc(with.stream, ignore_function, nullptr); }},
      {"cuStreamQuery", [&] { return cuda.cuStreamQuery(with.stream); }},
      {"cuCtxSynchronize", [&] { return cuda.cuCtxSynchronize(); }},
  };
}

/// The codes that @p thread gets of all calls, in order.
std::vector<CUresult> try_all(host_thread& thread, const std::vector<call>& calls) {
  std::vector<CUresult> codes;
  thread.run([&] {
    for (const call& each : calls) codes.push_back(each.make());
  });
  return codes;
}

std::string_view code_name(CUresult code) { return driver::result_name(code); }

/// Lets a kernel fault, and then makes all calls in this thread and in another, with both streams, twice.
/// @p judge says of each code whether it is right.
void try_after_fault(case_context& context, clause_id promise) {
  fault_scene& scene = fault_scene::make(context);
  auto& other = *new host_thread(context.session());
  auto& own = *new host_thread(context.session());
  const auto& pinned = *new driver::host_buffer(context.cuda(), 4096);
  other.run([] {});
  own.run([] {});
  scene.hold([&] {
    scene.enqueue_gate(scene.first());
    scene.enqueue_fault(scene.first(), fault_of(context));
  });
  context.count_round();
  const CUresult first = context.cuda().cuStreamSynchronize(scene.first());
  context.observe("code after the fault", std::string(code_name(first)));
  if (!context.expect(promise, failure_kind::status, "host after cuStreamSynchronize", first,
                      IsAnError())) {
    return;
  }
  if (promise == clause::ER_STICKY_004) {
    context.expect(promise, failure_kind::status, "host after cuStreamSynchronize", code_name(first),
                   testing::Eq(code_name(CUDA_ERROR_ASSERT)));
  }
  for (const CUstream stream : {scene.first(), scene.second(), scene.first()}) {
    const tools with{context.cuda(), context.kernels(), stream, scene.word(), pinned.data(),
                     scene.event(), 1};
    const std::vector<call> calls = calls_of(with);
    for (host_thread* thread : {&own, &other}) {
      const std::vector<CUresult> codes = try_all(*thread, calls);
      for (std::size_t i = 0; i < codes.size(); ++i) {
        if (!context.expect(promise, failure_kind::status, calls[i].name, code_name(codes[i]),
                            testing::Eq(code_name(first)))) {
          return;
        }
      }
    }
  }
}

axis sticky_faults() {
  return make_axis<device_fault>("fault", {device_fault::illegal_address,
                                           {device_fault::misaligned, tier::standard},
                                           device_fault::trap});
}

// Promise:   ER-STICKY-001. Once a kernel has hit an illegal or misaligned address or a trap, the next
//            synchronization reports it, and all further work in the process gets the same error, in every
//            thread and stream.
// Defect:    the error is cleared once it was reported, or kept for one stream or thread: CUDA_SUCCESS; or
//            another code than the first.
// Any speed: the codes are looked at after a synchronization has returned.
STREAMCTS_CASE(sticky, {.arrangement = "error/sticky",
                        .clauses = {clause::ER_STICKY_001},
                        .axes = {sticky_faults()},
                        .where = isolation::own_process,
                        .needs = {need::device_gate, need::faults}}) {
  try_after_fault(context, clause::ER_STICKY_001);
}

// Promise:   ER-STICKY-004. A failed assertion on the device makes the context useless: synchronization and
//            all further work in it answer with the assertion's code.
// Defect:    the assertion is swallowed: CUDA_SUCCESS; or it is reported once.
// Any speed: the codes are looked at after a synchronization has returned.
STREAMCTS_CASE(assertion, {.arrangement = "error/assertion",
                           .clauses = {clause::ER_STICKY_004},
                           .axes = {make_axis<device_fault>("fault", {device_fault::assertion})},
                           .where = isolation::own_process,
                           .needs = {need::device_gate, need::faults}}) {
  try_after_fault(context, clause::ER_STICKY_004);
}

}  // namespace
}  // namespace streamcts
