// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Batches of copies, prefetches and discards. A batch takes its place in the stream as a whole
// (VS-COPY-006); its members are in no order, and under weak_scheduler they run in a random one.

#include <algorithm>
#include <cstring>

#include "harness/reference/capture.h"
#include "harness/reference/entry.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/transfer.h"
#include "harness/reference/variants.h"

using namespace streamcts::reference;

namespace {

// One member: a copy, and the bytes of a source that was read during the call.
struct member {
  copy_operation copy;
  std::vector<std::byte> staged;
};

stream_ptr stream_of_batch(driver_lock& lock, default_stream mode, CUstream handle) {
  stream_ptr s = stream_for_use(lock, handle, mode);
  require(s->kind != stream_kind::legacy);
  refuse_uncapturable(lock, *s);
  return s;
}

void check_order(CUmemcpySrcAccessOrder order) {
  require(order >= CU_MEMCPY_SRC_ACCESS_ORDER_STREAM && order <= CU_MEMCPY_SRC_ACCESS_ORDER_ANY);
}

// VS-COPY-008: the source may be reused when the call returns.
void read_during_call(member& m) {
  const copy_operation& o = m.copy;
  m.staged.resize(o.width * o.height * o.depth);
  copy_operation read = o;
  read.to = reinterpret_cast<std::uintptr_t>(m.staged.data());
  read.to_pitch = o.width;
  read.to_plane = o.width * o.height;
  run_copy(read);
  m.copy.from = read.to;
  m.copy.from_pitch = read.to_pitch;
  m.copy.from_plane = read.to_plane;
}

void add(std::vector<member>& batch, const copy_operation& o, CUmemcpySrcAccessOrder order) {
  check_order(order);
  batch.push_back({o, {}});
  if (order == CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL) read_during_call(batch.back());
}

CUresult enqueue_batch(default_stream mode, CUstream handle, std::vector<member> batch) {
  if (active(variant::weak_scheduler)) {
    for (std::size_t i = batch.size(); i > 1; --i) {
      std::swap(batch[i - 1], batch[random_number() % i]);
    }
  }
  driver_lock lock;
  const stream_ptr s = stream_of_batch(lock, mode, handle);
  const auto shared = std::make_shared<std::vector<member>>(std::move(batch));
  enqueue(lock, *s, make_item(lock, s->owner.lock(), executor::device, [shared] {
            for (const member& m : *shared) run_copy(m.copy);
          }));
  return CUDA_SUCCESS;
}

// Entry k of attributes is for the members from places[k] on.
void check_places(const size_t* places, size_t count, size_t members) {
  require(places != nullptr && count > 0 && count <= members && places[0] == 0);
  for (size_t k = 1; k < count; ++k) require(places[k] > places[k - 1] && places[k] < members);
}

template <typename T>
const T& entry_of(const T* entries, const size_t* places, size_t count, size_t i) {
  return entries[std::upper_bound(places, places + count, i) - places - 1];
}

CUresult copy_batch(default_stream mode, CUdeviceptr* to, CUdeviceptr* from, size_t* sizes,
                    size_t count, CUmemcpyAttributes* attributes, size_t* places,
                    size_t attribute_count, CUstream s) {
  require(to != nullptr && from != nullptr && sizes != nullptr && attributes != nullptr);
  check_places(places, attribute_count, count);
  std::vector<member> batch;
  for (size_t i = 0; i < count; ++i) {
    copy_operation o;
    o.to = any_place(to[i], sizes[i]).address;
    o.from = any_place(from[i], sizes[i]).address;
    o.width = sizes[i];
    add(batch, o, entry_of(attributes, places, attribute_count, i).srcAccessOrder);
  }
  return enqueue_batch(mode, s, std::move(batch));
}

copy_operation box_of(const CUDA_MEMCPY3D_BATCH_OP& b) {
  require(b.src.type == CU_MEMCPY_OPERAND_TYPE_POINTER &&
              b.dst.type == CU_MEMCPY_OPERAND_TYPE_POINTER,
          CUDA_ERROR_NOT_SUPPORTED);
  const CUextent3D& e = b.extent;
  require(e.width > 0 && e.height > 0 && e.depth > 0);
  const auto locate = [&](const CUmemcpy3DOperand& p, std::size_t& pitch, std::size_t& plane) {
    pitch = p.op.ptr.rowLength == 0 ? e.width : p.op.ptr.rowLength;
    plane = pitch * (p.op.ptr.layerHeight == 0 ? e.height : p.op.ptr.layerHeight);
    require(pitch >= e.width && plane >= pitch * e.height);
    return any_place(p.op.ptr.ptr, (e.depth - 1) * plane + (e.height - 1) * pitch + e.width)
        .address;
  };
  copy_operation o;
  o.width = e.width;
  o.height = e.height;
  o.depth = e.depth;
  o.from = locate(b.src, o.from_pitch, o.from_plane);
  o.to = locate(b.dst, o.to_pitch, o.to_plane);
  return o;
}

CUresult copy_boxes(default_stream mode, size_t count, CUDA_MEMCPY3D_BATCH_OP* operations,
                    unsigned long long flags, CUstream s) {
  require(count > 0 && operations != nullptr && flags == 0);
  std::vector<member> batch;
  for (size_t i = 0; i < count; ++i) {
    add(batch, box_of(operations[i]), operations[i].srcAccessOrder);
  }
  return enqueue_batch(mode, s, std::move(batch));
}

struct range {
  allocation_ptr memory;
  CUdeviceptr address;
  size_t bytes;
};

std::vector<range> managed_ranges(const CUdeviceptr* addresses, const size_t* sizes, size_t count,
                                  unsigned long long flags) {
  require(addresses != nullptr && sizes != nullptr && count > 0 && flags == 0);
  std::vector<range> ranges;
  for (size_t i = 0; i < count; ++i) {
    const allocation_ptr a = memory::find_device(addresses[i]);
    require(a != nullptr && a->kind == memory_kind::managed);
    require(sizes[i] > 0 && sizes[i] <= a->size - (addresses[i] - a->device));
    ranges.push_back({a, addresses[i], sizes[i]});
  }
  return ranges;
}

void prefetch(driver_lock&, const std::vector<range>& ranges, const CUmemLocation* locations,
              const size_t* places, size_t count) {
  require(locations != nullptr);
  check_places(places, count, ranges.size());
  for (size_t i = 0; i < ranges.size(); ++i) {
    ranges[i].memory->last_prefetch = entry_of(locations, places, count, i);
  }
}

// VS-MAN-009: contents are indeterminate, so they become rubbish: who relies on them is caught.
void discard(driver_lock& lock, stream& s, const std::vector<range>& ranges) {
  constexpr int rubbish = 0xDB;
  enqueue(lock, s, make_item(lock, s.owner.lock(), executor::device, [ranges] {
            for (const range& r : ranges) {
              std::memset(reinterpret_cast<void*>(r.address), rubbish, r.bytes);
            }
          }));
}

}  // namespace

STREAMCTS_STREAM_ENTRY(cuMemcpyBatchAsync, _ptsz,
                       (CUdeviceptr * to, CUdeviceptr* from, size_t* sizes, size_t count,
                        CUmemcpyAttributes* attributes, size_t* places, size_t attribute_count,
                        size_t* failed, CUstream s),
                       (to, from, sizes, count, attributes, places, attribute_count, failed, s)) {
  if (failed != nullptr) *failed = SIZE_MAX;  // no single copy is to blame
  return copy_batch(mode, to, from, sizes, count, attributes, places, attribute_count, s);
}

STREAMCTS_STREAM_ENTRY(cuMemcpyBatchAsync_v2, _ptsz,
                       (CUdeviceptr * to, CUdeviceptr* from, size_t* sizes, size_t count,
                        CUmemcpyAttributes* attributes, size_t* places, size_t attribute_count,
                        CUstream s),
                       (to, from, sizes, count, attributes, places, attribute_count, s)) {
  return copy_batch(mode, to, from, sizes, count, attributes, places, attribute_count, s);
}

STREAMCTS_STREAM_ENTRY(cuMemcpy3DBatchAsync, _ptsz,
                       (size_t count, CUDA_MEMCPY3D_BATCH_OP* operations, size_t* failed,
                        unsigned long long flags, CUstream s),
                       (count, operations, failed, flags, s)) {
  if (failed != nullptr) *failed = SIZE_MAX;
  return copy_boxes(mode, count, operations, flags, s);
}

STREAMCTS_STREAM_ENTRY(cuMemcpy3DBatchAsync_v2, _ptsz,
                       (size_t count, CUDA_MEMCPY3D_BATCH_OP* operations,
                        unsigned long long flags, CUstream s),
                       (count, operations, flags, s)) {
  return copy_boxes(mode, count, operations, flags, s);
}

STREAMCTS_STREAM_ENTRY(cuMemPrefetchBatchAsync, _ptsz,
                       (CUdeviceptr * addresses, size_t* sizes, size_t count,
                        CUmemLocation* locations, size_t* places, size_t location_count,
                        unsigned long long flags, CUstream handle),
                       (addresses, sizes, count, locations, places, location_count, flags,
                        handle)) {
  const std::vector<range> ranges = managed_ranges(addresses, sizes, count, flags);
  driver_lock lock;
  const stream_ptr s = stream_of_batch(lock, mode, handle);
  prefetch(lock, ranges, locations, places, location_count);
  perform(lock, *s, empty_operation{});
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuMemDiscardBatchAsync, _ptsz,
                       (CUdeviceptr * addresses, size_t* sizes, size_t count,
                        unsigned long long flags, CUstream handle),
                       (addresses, sizes, count, flags, handle)) {
  const std::vector<range> ranges = managed_ranges(addresses, sizes, count, flags);
  driver_lock lock;
  discard(lock, *stream_of_batch(lock, mode, handle), ranges);
  return CUDA_SUCCESS;
}

STREAMCTS_STREAM_ENTRY(cuMemDiscardAndPrefetchBatchAsync, _ptsz,
                       (CUdeviceptr * addresses, size_t* sizes, size_t count,
                        CUmemLocation* locations, size_t* places, size_t location_count,
                        unsigned long long flags, CUstream handle),
                       (addresses, sizes, count, locations, places, location_count, flags,
                        handle)) {
  const std::vector<range> ranges = managed_ranges(addresses, sizes, count, flags);
  driver_lock lock;
  const stream_ptr s = stream_of_batch(lock, mode, handle);
  prefetch(lock, ranges, locations, places, location_count);
  discard(lock, *s, ranges);
  return CUDA_SUCCESS;
}
