// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The features that are not gates. Whether what is written arrives, or whether a host call runs, is
// what the cases find out: a probe that looked would turn a broken promise into an absent feature.

#include <atomic>

#include "harness/driver/probe_internal.h"
#include "kernels/pattern.h"

namespace streamcts::driver::detail {
namespace {

void CUDA_CB count_callback(CUstream, CUresult, void* counter) {
  static_cast<std::atomic<int>*>(counter)->fetch_add(1);
}
void CUDA_CB count_host_call(void* counter) {
  static_cast<std::atomic<int>*>(counter)->fetch_add(1);
}

}  // namespace

void prober::kernel_library(arena& a) {
  load_and_launch(a, kernel_loading::library);
}
void prober::kernel_module(arena& a) {
  load_and_launch(a, kernel_loading::module);
}

void prober::load_and_launch(arena& a, kernel_loading how) {
  auto image = std::make_unique<kernel_image>(table_, how);
  kernel_set set(table_, *image);
  const stream& s = new_stream(a);
  try {
    set.warm_up(s, patience());
  } catch (...) {
    image->release();
    throw;
  }
  if (kernels_ != nullptr) return;
  image_ = std::move(image);
  kernels_ = std::make_unique<kernel_set>(table_, *image_);
}

void prober::stream_callback(arena& a) {
  auto& calls = immortal<std::atomic<int>>(0);
  const stream& s = new_stream(a);
  STREAMCTS_CHECK(table_.cuStreamAddCallback(s.get(), count_callback, &calls, 0));
  finish(a, s);
}

void prober::host_function(arena& a) {
  auto& calls = immortal<std::atomic<int>>(0);
  const stream& s = new_stream(a);
  STREAMCTS_CHECK(table_.cuLaunchHostFunc(s.get(), count_host_call, &calls));
  finish(a, s);
}

void prober::priorities(arena& a) {
  demand_attribute("stream_priorities_supported");
  if (found_.priority_least == found_.priority_greatest) {
    throw not_supported("the range of priorities is a single one");
  }
  finish(a, a.make<stream>(table_, stream_kind::high_priority));
  finish(a, a.make<stream>(table_, stream_kind::low_priority));
}

void prober::per_thread_mode(arena& a) {
  if (per_thread_.cuStreamSynchronize == nullptr || per_thread_.cuLaunchKernel == nullptr ||
      per_thread_.cuEventRecord == nullptr) {
    throw not_supported("the driver has no per-thread entry points");
  }
  if (per_thread_.cuStreamSynchronize == table_.cuStreamSynchronize) {
    throw not_supported("the per-thread entry points are the legacy ones");
  }
  finish(a, a.make<stream>(table_, stream_kind::per_thread));
  const event& done = a.make<event>(per_thread_);
  done.record(nullptr);
  if (!done.wait(patience())) throw not_supported("an event in the NULL stream did not complete");
}

void prober::write_by_kernel(arena& a, CUdeviceptr address) {
  const stream& s = new_stream(a);
  kernels().write_pattern(s, address, 64, streamcts::kernels::ramp(1), 0, {1, 32});
  finish(a, s);
}

template <host_memory Kind>
void prober::host_memory_kind(arena& a) {
  const host_buffer& buffer = a.make<host_buffer>(table_, 4096, Kind);
  if (Kind == host_memory::pinned && buffer.device_address() == 0) {
    // Not mapped: the device reaches it by copies.
    const device_buffer& source = a.make<device_buffer>(table_, 4096);
    const stream& s = new_stream(a);
    STREAMCTS_CHECK(table_.cuMemcpyDtoHAsync(buffer.data(), source.address(), 4096, s.get()));
    finish(a, s);
    return;
  }
  write_by_kernel(a, buffer.device_address());
}
template void prober::host_memory_kind<host_memory::pinned>(arena&);
template void prober::host_memory_kind<host_memory::mapped>(arena&);
template void prober::host_memory_kind<host_memory::portable>(arena&);
template void prober::host_memory_kind<host_memory::write_combined>(arena&);
template void prober::host_memory_kind<host_memory::registered>(arena&);

void prober::managed(arena& a) {
  demand_attribute("managed_memory");
  write_by_kernel(a, a.make<managed_buffer>(table_, 4096).address());
}

void prober::managed_concurrent(arena&) {
  demand_attribute("concurrent_managed_access");
}

void prober::stream_ordered_allocation(arena& a) {
  demand_attribute("memory_pools_supported");
  const stream& s = new_stream(a);
  CUdeviceptr address = 0;
  STREAMCTS_CHECK(table_.cuMemAllocAsync(&address, 4096, s.get()));
  kernels().write_pattern(s, address, 64, streamcts::kernels::ramp(1), 0, {1, 32});
  STREAMCTS_CHECK(table_.cuMemFreeAsync(address, s.get()));
  finish(a, s);
}

// A write first, and only when it has completed a wait for what it wrote: a wait that is never
// satisfied would hold its stream for ever.
void prober::memop_32(arena& a) {
  const device_buffer& word = a.make<device_buffer>(table_, 4096);
  const stream& s = new_stream(a);
  STREAMCTS_CHECK(
      table_.cuStreamWriteValue32(s.get(), word.address(), 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  finish(a, s);
  STREAMCTS_CHECK(table_.cuStreamWaitValue32(s.get(), word.address(), 1, CU_STREAM_WAIT_VALUE_EQ));
  finish(a, s);
}

void prober::memop_64(arena& a) {
  demand_attribute("can_use_64_bit_stream_mem_ops");
  const device_buffer& word = a.make<device_buffer>(table_, 4096);
  const stream& s = new_stream(a);
  STREAMCTS_CHECK(
      table_.cuStreamWriteValue64(s.get(), word.address(), 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  finish(a, s);
  STREAMCTS_CHECK(table_.cuStreamWaitValue64(s.get(), word.address(), 1, CU_STREAM_WAIT_VALUE_EQ));
  finish(a, s);
}

void prober::memop_batch(arena& a) {
  const device_buffer& words = a.make<device_buffer>(table_, 4096);
  const stream& s = new_stream(a);
  CUstreamBatchMemOpParams operations[2] = {};
  for (unsigned i = 0; i < 2; ++i) {
    operations[i].writeValue.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
    operations[i].writeValue.address = words.address() + 4 * i;
    operations[i].writeValue.value = i + 1;
    operations[i].writeValue.flags = CU_STREAM_WRITE_VALUE_DEFAULT;
  }
  STREAMCTS_CHECK(table_.cuStreamBatchMemOp(s.get(), 2, operations, 0));
  finish(a, s);
}

void prober::graph_by_hand(arena& a) {
  auto& calls = immortal<std::atomic<int>>(0);
  const device_buffer& buffer = a.make<device_buffer>(table_, 4096);
  const stream& s = new_stream(a);
  driver::graph& g = a.make<driver::graph>(table_);
  const CUgraphNode first = g.add_host(count_host_call, &calls);
  g.add_kernel(kernels().get().add, {1, 1}, first, buffer.address(), std::uint64_t{1});
  const graph_exec& exec = a.make<graph_exec>(g);
  exec.launch(s.get());
  finish(a, s);
}

void prober::graph_capture(arena& a) {
  auto& calls = immortal<std::atomic<int>>(0);
  const stream& s = new_stream(a);
  STREAMCTS_CHECK(table_.cuStreamBeginCapture(s.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  const CUresult captured = table_.cuLaunchHostFunc(s.get(), count_host_call, &calls);
  CUgraph raw = nullptr;
  STREAMCTS_CHECK(table_.cuStreamEndCapture(s.get(), &raw));
  const driver::graph& g = a.make<driver::graph>(table_, raw);
  check(captured, "cuLaunchHostFunc");
  const graph_exec& exec = a.make<graph_exec>(g);
  exec.launch(s.get());
  finish(a, s);
}

void prober::user_object(arena& a) {
  auto& calls = immortal<std::atomic<int>>(0);
  driver::graph& g = a.make<driver::graph>(table_);
  CUuserObject object = nullptr;
  STREAMCTS_CHECK(table_.cuUserObjectCreate(&object, &calls, count_host_call, 1,
                                            CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
  STREAMCTS_CHECK(table_.cuGraphRetainUserObject(g.get(), object, 1, CU_GRAPH_USER_OBJECT_MOVE));
  g.destroy();
}

void prober::multi_device(arena&) {
  if (found_.device_count < 2) throw not_supported("there is one device");
}

void prober::peer_access(arena&) {
  if (found_.device_count < 2) throw not_supported("there is one device");
  const CUdevice own = device_at(table_, found_.device_ordinal);
  for (int other = 0; other < found_.device_count; ++other) {
    int can = 0;
    if (other == found_.device_ordinal) continue;
    STREAMCTS_CHECK(table_.cuDeviceCanAccessPeer(&can, own, device_at(table_, other)));
    if (can != 0) return;
  }
  throw not_supported("cuDeviceCanAccessPeer = 0 for every other device");
}

void prober::ipc_events(arena& a) {
  demand_attribute("ipc_event_supported");
  const event& shared = a.make<event>(table_, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS);
  CUipcEventHandle exported{};
  STREAMCTS_CHECK(table_.cuIpcGetEventHandle(&exported, shared.get()));
}

void prober::runtime_host_function(stream_mode mode, CUstream stream) {
  if (runtime_ == nullptr) throw not_supported(no_runtime_);
  const runtime_table& r = runtime_->functions(mode);
  auto& calls = immortal<std::atomic<int>>(0);
  STREAMCTS_CHECK(r.cudaSetDevice(found_.device_ordinal));
  STREAMCTS_CHECK(r.cudaLaunchHostFunc(stream, count_host_call, &calls));
  cudaEvent_t done = nullptr;
  STREAMCTS_CHECK(r.cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  STREAMCTS_CHECK(r.cudaEventRecord(done, stream));
  const bool finished = poll(patience(), [&] {
    const cudaError_t result = r.cudaEventQuery(done);
    if (result != cudaErrorNotReady) check(result, "cudaEventQuery");
    return result == cudaSuccess;
  });
  if (!finished) throw not_supported("a host function by the runtime did not complete in time");
  STREAMCTS_CHECK(r.cudaEventDestroy(done));
}

void prober::runtime(arena& a) {
  runtime_host_function(stream_mode::legacy, new_stream(a).get());
}

void prober::runtime_per_thread(arena&) {
  runtime_host_function(stream_mode::per_thread, nullptr);
}

}  // namespace streamcts::driver::detail
