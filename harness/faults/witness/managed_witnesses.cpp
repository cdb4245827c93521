// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Managed memory behind prefetches, discards, attachments and other host calls.

#include "harness/faults/witness/scene.h"

namespace streamcts::faults::witness {
namespace {

constexpr std::size_t payload = std::size_t{256} << 10;

bool has_concurrent_access(scene& s) {
  CUdevice device = 0;
  int concurrent = 0;
  MUST(cu().DeviceGet(&device, 0));
  MUST(cu().DeviceGetAttribute(&concurrent, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS,
                               device));
  if (!concurrent) s.cannot_tell("no concurrent managed access");
  return concurrent != 0;
}

CUdeviceptr address_of(words w) { return reinterpret_cast<CUdeviceptr>(w.data()); }

void attach(CUstream stream, words what, unsigned how) {
  MUST(cu().StreamAttachMemAsync(stream, address_of(what), 0, how));
}

/// A kernel stores, something else follows, a host call looks.
void store_and_look(scene& s, CUstream stream, words out, const std::function<void()>& between,
                    const char* what) {
  for (const form how : both_forms) {
    fill_sentinel(out);
    const std::uint64_t epoch = new_epoch();
    s.write(stream, address_of(out), out.size(), epoch);
    between();
    host_call_probe& probe = s.probe();
    std::atomic<bool> whole{false};
    probe.body = [&] { whole = holds(out, epoch); };
    s.call(stream, how, probe);
    s.finish();
    s.expect(whole, what);
  }
}

void prefetch_keeps_contents(scene& s) {
  if (!has_concurrent_access(s)) return;
  CUstream stream = s.stream();
  const words out = s.managed(payload);
  CUmemLocation host{};
  host.type = CU_MEM_LOCATION_TYPE_HOST;
  store_and_look(s, stream, out,
                 [&] { MUST(cu().MemPrefetchAsync(address_of(out), payload, host, 0, stream)); },
                 "stores in front of a prefetch were missing");
}

void writes_behind_discard_stay(scene& s) {
  if (!has_concurrent_access(s)) return;
  CUstream stream = s.stream();
  const words out = s.managed(std::size_t{4} << 20);
  CUdeviceptr begin = address_of(out);
  std::size_t bytes = out.size_bytes();
  MUST(cu().MemDiscardBatchAsync(&begin, &bytes, 1, 0, stream));
  store_and_look(s, stream, out, [] {}, "stores behind a discard were missing");
}

void managed_memory_stays_between_callbacks(scene& s) {
  if (!has_concurrent_access(s)) return;
  CUstream stream = s.stream();
  const words out = s.managed(payload);
  host_call_probe& between = s.probe();
  for (int i = 0; i < 2; ++i) {
    store_and_look(s, stream, out, [&] { s.call(stream, form::add_callback, between); },
                   "stores were missing in the second of two host calls");
  }
}

void attached_memory_is_seen_in_callback(scene& s) {
  if (!has_concurrent_access(s)) return;
  CUstream stream = s.stream();
  const words out = s.managed(payload);
  attach(stream, out, CU_MEM_ATTACH_SINGLE);
  store_and_look(s, stream, out, [] {}, "stores to attached memory were missing");
}

void attaching_keeps_stream_order(scene& s) {
  if (!has_concurrent_access(s)) return;
  const words out = s.managed(payload);
  for (const form how : both_forms) {
    CUstream stream = s.stream();
    held& gate = s.hold(stream);
    attach(stream, out, CU_MEM_ATTACH_HOST);
    host_call_probe& probe = s.probe();
    s.call(stream, how, probe);
    s.must_not_start(gate, probe, "a host call behind an attachment did not wait for the kernel");
    s.finish();
  }
}

void attaching_to_null_stream_fails(scene& s) {
  const words out = s.managed(payload);
  const CUresult result =
      cu().StreamAttachMemAsync(nullptr, address_of(out), 0, CU_MEM_ATTACH_SINGLE);
  s.expect(result != CUDA_SUCCESS, "memory was attached to the NULL stream alone");
}

void attachment_ends_with_its_stream(scene& s) {
  const words out = s.managed(payload);
  CUstream gone = nullptr;
  MUST(cu().StreamCreate(&gone, CU_STREAM_NON_BLOCKING));
  attach(gone, out, CU_MEM_ATTACH_SINGLE);
  MUST(cu().StreamSynchronize(gone));
  MUST(cu().StreamDestroy(gone));
  MUST(cu().CtxSynchronize());
  const CUresult result =
      cu().StreamAttachMemAsync(s.stream(), address_of(out), 0, CU_MEM_ATTACH_SINGLE);
  s.expect(result == CUDA_SUCCESS, "memory of a destroyed stream could not be attached again");
}

const witness list[] = {
    {"prefetch_keeps_contents", prefetch_keeps_contents},
    {"writes_behind_discard_stay", writes_behind_discard_stay},
    {"managed_memory_stays_between_callbacks", managed_memory_stays_between_callbacks},
    {"attached_memory_is_seen_in_callback", attached_memory_is_seen_in_callback},
    {"attaching_keeps_stream_order", attaching_keeps_stream_order},
    {"attaching_to_null_stream_fails", attaching_to_null_stream_fails},
    {"attachment_ends_with_its_stream", attachment_ends_with_its_stream},
};

}  // namespace

std::span<const witness> managed_witnesses() { return list; }

}  // namespace streamcts::faults::witness
