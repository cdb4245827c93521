// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/transfer.h"

#include "harness/reference/capture.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"

namespace streamcts::reference {
namespace {

bool always_synchronizes(const stream& s, const place& p) {
  const bool by_pointer = p.memory != nullptr && p.memory->sync_memops;
  return by_pointer || (s.owner.lock()->flags & CU_CTX_SYNC_MEMOPS) != 0;
}

stream_ptr stream_of(driver_lock& lock, default_stream mode, CUstream handle, call_form form) {
  stream_ptr s = stream_for_use(lock, handle, mode);
  if (form == call_form::synchronous) refuse_unsafe_during_capture(lock);
  return s;
}

}  // namespace

place any_place(std::uintptr_t address, std::size_t bytes) {
  require(address != 0 || bytes == 0);
  allocation_ptr a = memory::find(address);
  if (a != nullptr) {
    const bool from_device = address - a->device < a->size;
    const std::uintptr_t base = from_device ? a->device : a->host;
    require(bytes <= a->size - (address - base));
  } else if (bytes > 0) {
    require(memory::find(address + bytes - 1) == nullptr);
  }
  return {address, std::move(a)};
}

place device_place(std::uintptr_t address, std::size_t bytes) {
  place p = any_place(address, bytes);
  require(!p.pageable() || bytes == 0);
  return p;
}

CUresult transfer(default_stream mode, CUstream handle, call_form form, const place& from,
                  const place& to, const copy_operation& o) {
  driver_lock lock;
  const stream_ptr s = stream_of(lock, mode, handle, form);
  const item_ptr item = perform(lock, *s, o);
  if (item == nullptr) return CUDA_SUCCESS;
  const bool waits =
      form == call_form::synchronous
          ? from.host() || to.host() || always_synchronizes(*s, from) ||
                always_synchronizes(*s, to)
          : from.pageable() || to.pageable() || (from.host() && to.host());
  if (!waits) return CUDA_SUCCESS;
  wait(lock, item);
  return fault();
}

CUresult transfer_bytes(default_stream mode, CUstream handle, call_form form, const place& from,
                        const place& to, std::size_t bytes) {
  copy_operation o;
  o.from = from.address;
  o.to = to.address;
  o.width = bytes;
  CUDA_MEMCPY3D& d = o.described;
  d.srcMemoryType = from.pageable() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
  d.dstMemoryType = to.pageable() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_UNIFIED;
  d.srcHost = reinterpret_cast<const void*>(from.address);
  d.dstHost = reinterpret_cast<void*>(to.address);
  d.srcDevice = from.address;
  d.dstDevice = to.address;
  d.WidthInBytes = bytes;
  d.Height = d.Depth = 1;
  return transfer(mode, handle, form, from, to, o);
}

CUresult fill(default_stream mode, CUstream handle, call_form form, CUdeviceptr to, unsigned value,
              unsigned element_bytes, std::size_t width, std::size_t height, std::size_t pitch) {
  require(to % element_bytes == 0 && (height <= 1 || pitch >= width * element_bytes),
          CUDA_ERROR_INVALID_VALUE);
  const std::size_t bytes =
      height == 0 || width == 0 ? 0 : (height - 1) * pitch + width * element_bytes;
  const place target = device_place(to, bytes);
  driver_lock lock;
  const stream_ptr s = stream_of(lock, mode, handle, form);
  const item_ptr item =
      perform(lock, *s, set_operation{to, value, element_bytes, width, height, pitch});
  if (item == nullptr || form == call_form::asynchronous) return CUDA_SUCCESS;
  if (!target.host() && !always_synchronizes(*s, target)) return CUDA_SUCCESS;
  wait(lock, item);
  return fault();
}

}  // namespace streamcts::reference
