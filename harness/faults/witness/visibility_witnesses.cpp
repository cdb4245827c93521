// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What has been written is there for whoever is ordered behind it.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t mebi = std::size_t{1} << 20;
constexpr std::size_t payload = std::size_t{256} << 10;

/// A kernel stores, a host call behind it looks at everything; twice in one stream.
void store_and_look(scene& s, words out, CUdeviceptr address, const char* what) {
  CUstream stream = s.stream();
  for (const form how : both_forms) {
    const std::uint64_t epoch = new_epoch();
    s.write(stream, address, out.size(), epoch);
    host_call_probe& probe = s.probe();
    std::atomic<bool> whole{false};
    probe.body = [&] { whole = holds(out, epoch); };
    s.call(stream, how, probe);
    s.finish();
    s.expect(whole, what);
  }
}

void callback_sees_stores(scene& s) {
  const words mapped = s.pinned(payload);
  store_and_look(s, mapped, s.on_device(mapped.data()), "stores to mapped memory were missing");
  const words portable = s.pinned(payload, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  store_and_look(s, portable, s.on_device(portable.data()),
                 "stores to portable memory were missing");
  const words combined =
      s.pinned(payload, CU_MEMHOSTALLOC_WRITECOMBINED | CU_MEMHOSTALLOC_DEVICEMAP);
  store_and_look(s, combined, s.on_device(combined.data()),
                 "stores to write-combined memory were missing");
  const words registered = s.registered(payload);
  store_and_look(s, registered, s.on_device(registered.data()),
                 "stores to registered memory were missing");
  const words large = s.pinned(5 * mebi);
  store_and_look(s, large, s.on_device(large.data()), "stores to large memory were missing");
}

void callback_sees_managed_stores(scene& s) {
  CUdevice device = 0;
  int concurrent = 0;
  MUST(cu().DeviceGet(&device, 0));
  MUST(cu().DeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                               device));
  if (!concurrent) return s.cannot_tell("no concurrent managed access");
  const words out = s.managed(payload);
  store_and_look(s, out, reinterpret_cast<CUdeviceptr>(out.data()),
                 "stores to managed memory were missing");
}

void host_sees_stores_after_waits(scene& s) {
  CUstream stream = s.stream();
  CUevent event = s.event();
  const words out = s.pinned(payload);
  struct way {
    const char* what;
    std::function<void()> wait;
  };
  const way ways[] = {
      {"stores were missing after stream synchronize",
       [&] { MUST(cu().StreamSynchronize(stream)); }},
      {"stores were missing after event synchronize", [&] { MUST(cu().EventSynchronize(event)); }},
      {"stores were missing after stream query",
       [&] { wait_until([&] { return cu().StreamQuery(stream) == CUDA_SUCCESS; }); }},
      {"stores were missing after event query",
       [&] { wait_until([&] { return cu().EventQuery(event) == CUDA_SUCCESS; }); }},
  };
  for (const way& each : ways) {
    const std::uint64_t epoch = new_epoch();
    s.write(stream, s.on_device(out.data()), out.size(), epoch);
    MUST(cu().EventRecord(event, stream));
    each.wait();
    s.expect(holds(out, epoch), each.what);
  }
}

void sync_download_is_complete(scene& s) {
  const words out = s.pinned(payload);
  CUdeviceptr source = s.device(payload);
  for (const bool unified : {false, true}) {
    const std::uint64_t epoch = new_epoch();
    s.write(CU_STREAM_LEGACY, source, out.size(), epoch);
    if (unified) {
      MUST(cu().Memcpy(reinterpret_cast<CUdeviceptr>(out.data()), source, payload));
    } else {
      MUST(cu().MemcpyDtoH(out.data(), source, payload));
    }
    s.expect(holds(out, epoch), "a synchronous download was not complete");
  }
}

void sync_memset_of_pinned_memory_is_complete(scene& s) {
  const words out = s.pinned(payload);
  MUST(cu().MemsetD32(s.on_device(out.data()), 7, payload / 4));
  bool whole = true;
  for (const std::uint64_t each : out) whole = whole && each == 0x700000007;
  s.expect(whole, "a memset of pinned memory was not complete");
}

void host_to_host_copy_is_complete(scene& s) {
  CUstream stream = s.stream();
  const words source = s.pinned(payload), out = s.pinned(payload);
  const std::uint64_t epoch = new_epoch();
  fill(source, epoch);
  MUST(cu().MemcpyAsync(reinterpret_cast<CUdeviceptr>(out.data()),
                        reinterpret_cast<CUdeviceptr>(source.data()), payload, stream));
  s.expect(holds(out, epoch), "a host-to-host copy was not complete");
}

void sync_upload_source_may_be_reused(scene& s) {
  const words source = s.pinned(payload);
  CUdeviceptr target = s.device(payload);
  const std::uint64_t epoch = new_epoch();
  fill(source, epoch);
  MUST(cu().MemcpyHtoD(target, source.data(), payload));
  fill_sentinel(source);
  std::vector<std::uint64_t> arrived(source.size());
  MUST(cu().MemcpyDtoH(arrived.data(), target, payload));
  s.expect(holds(arrived, epoch), "a synchronous upload read its source after it had returned");
}

void upload_reads_source_in_stream_order(scene& s) {
  CUstream stream = s.stream();
  const words pinned = s.pinned(payload);
  CUdeviceptr first = s.device(payload), second = s.device(payload);
  const std::uint64_t epoch = new_epoch();
  held& gate = s.hold_and_write(stream, first, pinned.size(), epoch);
  MUST(cu().MemcpyDtoHAsync(pinned.data(), first, payload, stream));
  MUST(cu().MemcpyHtoDAsync(second, pinned.data(), payload, stream));
  gate.open();
  s.finish();
  std::vector<std::uint64_t> arrived(pinned.size());
  MUST(cu().MemcpyDtoH(arrived.data(), second, payload));
  s.expect(holds(arrived, epoch), "an upload read its source before earlier work had written it");
}

void upload_sends_present_contents(scene& s) {
  CUstream stream = s.stream();
  const words source = s.pinned(payload);
  CUdeviceptr target = s.device(payload);
  for (int round = 0; round < 2; ++round) {
    const std::uint64_t epoch = new_epoch();
    fill(source, epoch);
    MUST(cu().MemcpyHtoDAsync(target, source.data(), payload, stream));
    MUST(cu().StreamSynchronize(stream));
    std::vector<std::uint64_t> arrived(source.size());
    MUST(cu().MemcpyDtoH(arrived.data(), target, payload));
    s.expect(holds(arrived, epoch), "an upload did not send what its source held");
  }
}

void kernel_sees_callback_stores(scene& s) {
  CUstream stream = s.stream();
  const words mapped = s.pinned(payload);
  CUdeviceptr out = s.device(payload);
  for (const form how : both_forms) {
    const std::uint64_t epoch = new_epoch();
    host_call_probe& probe = s.probe();
    probe.body = [&] { fill(mapped, epoch); };
    held& gate = s.hold(stream);
    s.call(stream, how, probe);
    s.copy_words(stream, out, s.on_device(mapped.data()), mapped.size());
    gate.open();
    s.finish();
    std::vector<std::uint64_t> arrived(mapped.size());
    MUST(cu().MemcpyDtoH(arrived.data(), out, payload));
    s.expect(holds(arrived, epoch), "a kernel did not see the stores of the host call before it");
  }
}

const witness list[] = {
    {"callback_sees_stores", callback_sees_stores},
    {"callback_sees_managed_stores", callback_sees_managed_stores},
    {"host_sees_stores_after_waits", host_sees_stores_after_waits},
    {"sync_download_is_complete", sync_download_is_complete},
    {"sync_memset_of_pinned_memory_is_complete", sync_memset_of_pinned_memory_is_complete},
    {"host_to_host_copy_is_complete", host_to_host_copy_is_complete},
    {"sync_upload_source_may_be_reused", sync_upload_source_may_be_reused},
    {"upload_reads_source_in_stream_order", upload_reads_source_in_stream_order},
    {"upload_sends_present_contents", upload_sends_present_contents},
    {"kernel_sees_callback_stores", kernel_sees_callback_stores},
};

}  // namespace

std::span<const witness> visibility_witnesses() { return list; }

}  // namespace streamcts::faults::witness
