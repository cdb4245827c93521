// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of copies, synchronous copies within the device, memory synchronization domains.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t payload = std::size_t{256} << 10;

CUdeviceptr address_of(const void* host) { return reinterpret_cast<CUdeviceptr>(host); }

/// Two copies, half of the payload each.
void copy_in_batch(CUstream stream, CUdeviceptr to, CUdeviceptr from,
                   CUmemcpySrcAccessOrder order) {
  CUdeviceptr targets[] = {to, to + payload / 2};
  CUdeviceptr sources[] = {from, from + payload / 2};
  std::size_t sizes[] = {payload / 2, payload / 2};
  CUmemcpyAttributes attributes{};
  attributes.srcAccessOrder = order;
  std::size_t first = 0;
  MUST(cu().MemcpyBatchAsync(targets, sources, sizes, 2, &attributes, &first, 1, stream));
}

void batch_is_in_stream_order(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(payload);
  CUdeviceptr source = s.device(payload);
  for (const form how : both_forms) {
    fill_sentinel(out);
    const std::uint64_t epoch = new_epoch();
    held& gate = s.hold_and_write(stream, source, out.size(), epoch);
    copy_in_batch(stream, address_of(out.data()), source, CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
    host_call_probe& probe = s.probe();
    std::atomic<bool> whole{false};
    probe.body = [&] { whole = holds(out, epoch); };
    s.call(stream, how, probe);
    gate.open();
    s.finish();
    s.expect(whole, "a host call behind a batch did not find all of its copies");
  }
}

void batch_reads_sources_during_call(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(payload);
  CUdeviceptr target = s.device(payload);
  std::vector<std::uint64_t> source(out.size());
  const std::uint64_t epoch = new_epoch();
  fill(source, epoch);
  held& gate = s.hold(stream);
  copy_in_batch(stream, target, address_of(source.data()),
                CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL);
  fill_sentinel(source);
  gate.open();
  MUST(cu().MemcpyDtoHAsync(out.data(), target, payload, stream));
  s.finish();
  s.expect(holds(out, epoch), "a batch read its sources after the call");
}

void batch_reads_sources_in_stream_order(scene& s) {
  CUstream stream = s.stream();
  const words source = s.pinned(payload), out = s.pinned(payload);
  CUdeviceptr target = s.device(payload);
  const std::uint64_t epoch = new_epoch();
  fill_sentinel(source);
  held& gate = s.hold(stream);
  host_call_probe& writer = s.probe();
  writer.body = [&] { fill(source, epoch); };
  s.call(stream, form::launch_host_func, writer);
  copy_in_batch(stream, target, address_of(source.data()), CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
  MUST(cu().MemcpyDtoHAsync(out.data(), target, payload, stream));
  gate.open();
  s.finish();
  s.expect(holds(out, epoch), "a batch did not see what a host call in front wrote");
}

void sync_memops_copy_is_synchronous(scene& s) {
  CUstream other = s.stream();
  const words out = s.pinned(payload);
  CUdeviceptr from = s.device(payload), to = s.device(payload);
  unsigned on = 1;
  MUST(cu().PointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, from));
  MUST(cu().PointerSetAttribute(&on, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS, to));
  const std::uint64_t epoch = new_epoch();
  s.write(CU_STREAM_LEGACY, from, out.size(), epoch);
  MUST(cu().MemcpyDtoD(to, from, payload));
  s.copy_words(other, s.on_device(out.data()), to, out.size());
  s.finish();
  s.expect(holds(out, epoch), "a copy of memory with the sync-memops attribute was not complete");
}

void device_pointer_is_of_the_memory(scene& s) {
  const words out = s.pinned(payload);
  const std::uint64_t epoch = new_epoch();
  s.write(CU_STREAM_LEGACY, s.on_device(out.data()), out.size(), epoch);
  s.finish();
  s.expect(holds(out, epoch), "stores by the device's address were elsewhere");
}

void callback_sees_stores_of_remote_domain(scene& s) {
  CUstream stream = s.stream();
  const words out = s.pinned(payload);
  for (const form how : both_forms) {
    fill_sentinel(out);
    const std::uint64_t epoch = new_epoch();
    held& gate = s.hold(stream);
    s.write_in_remote_domain(stream, s.on_device(out.data()), out.size(), epoch);
    host_call_probe& probe = s.probe();
    std::atomic<bool> whole{false};
    probe.body = [&] { whole = holds(out, epoch); };
    s.call(stream, how, probe);
    gate.open();
    s.finish();
    s.expect(whole, "stores of a kernel of the remote domain were missing");
  }
}

const witness list[] = {
    {"batch_is_in_stream_order", batch_is_in_stream_order},
    {"batch_reads_sources_during_call", batch_reads_sources_during_call},
    {"batch_reads_sources_in_stream_order", batch_reads_sources_in_stream_order},
    {"sync_memops_copy_is_synchronous", sync_memops_copy_is_synchronous},
    {"device_pointer_is_of_the_memory", device_pointer_is_of_the_memory},
    {"callback_sees_stores_of_remote_domain", callback_sees_stores_of_remote_domain},
};

}  // namespace

std::span<const witness> batch_witnesses() { return list; }

}  // namespace streamcts::faults::witness
