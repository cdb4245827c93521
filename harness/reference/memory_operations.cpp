// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Value waits and writes, as the second generation of the stream memory operations defines them.

#include "harness/reference/entry.h"
#include "harness/reference/operations.h"
#include "harness/reference/process.h"
#include "harness/reference/worker_pool.h"

namespace streamcts::reference {
namespace {

// MO-WAIT-002. Differences are taken modulo the word's size, so that the default tolerates wrap-around.
bool satisfied(std::uint64_t seen, std::uint64_t value, std::size_t size, unsigned condition) {
  switch (condition & 3) {
    case CU_STREAM_WAIT_VALUE_EQ:
      return seen == value;
    case CU_STREAM_WAIT_VALUE_AND:
      return (seen & value) != 0;
    case CU_STREAM_WAIT_VALUE_NOR: {
      const std::uint64_t all = size == 4 ? 0xFFFFFFFFu : ~std::uint64_t{0};
      return (~(seen | value) & all) != 0;
    }
    default:
      return size == 4 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(seen - value)) >= 0
                       : static_cast<std::int64_t>(seen - value) >= 0;
  }
}

void wait_for_value(std::uintptr_t address, std::uint64_t value, std::size_t size,
                    unsigned flags) {
  for (unsigned polls = 0; !satisfied(load_system(address, size), value, size, flags); ++polls) {
    if (const CUresult code = fault(); code != CUDA_SUCCESS) throw device_fault{code};
    workers().poll_pause(polls);
  }
}

// Refuses what no driver takes: managed or unknown memory, odd addresses, unknown flags.
void check_word(CUdeviceptr address, std::size_t size) {
  require(address % size == 0);
  const allocation_ptr a = memory::find_device(address);
  require(a != nullptr && a->kind != memory_kind::managed);
  require(address + size <= a->device + a->size);
}

void check_step(const CUstreamBatchMemOpParams& step) {
  constexpr unsigned wait_flags = 3u | CU_STREAM_WAIT_VALUE_FLUSH;
  switch (step.operation) {
    case CU_STREAM_MEM_OP_WAIT_VALUE_32:
    case CU_STREAM_MEM_OP_WAIT_VALUE_64:
      require((step.waitValue.flags & ~wait_flags) == 0);
      return check_word(step.waitValue.address,
                        step.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ? 4 : 8);
    case CU_STREAM_MEM_OP_WRITE_VALUE_32:
    case CU_STREAM_MEM_OP_WRITE_VALUE_64:
      // Writes are always behind a system-wide fence (MO-WRITE-001).
      require((step.writeValue.flags & CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) == 0,
              CUDA_ERROR_NOT_SUPPORTED);
      require(step.writeValue.flags == 0);
      return check_word(step.writeValue.address,
                        step.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? 4 : 8);
    case CU_STREAM_MEM_OP_BARRIER:
      return require(step.memoryBarrier.flags <= CU_STREAM_MEMORY_BARRIER_TYPE_GPU);
    case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
      return require(step.flushRemoteWrites.flags == 0);
    default:
      refuse(CUDA_ERROR_INVALID_VALUE);
  }
}

CUresult enqueue_batch(default_stream mode, CUstream handle,
                       std::vector<CUstreamBatchMemOpParams> steps) {
  for (const CUstreamBatchMemOpParams& step : steps) check_step(step);
  driver_lock lock;
  const stream_ptr s = stream_for_use(lock, handle, mode);
  perform(lock, *s, memory_operation_batch{std::move(steps), s->owner.lock()->handle});
  return CUDA_SUCCESS;
}

CUstreamBatchMemOpParams wait_step(CUdeviceptr address, std::uint64_t value, unsigned flags,
                                   bool wide) {
  CUstreamBatchMemOpParams step{};
  step.operation = wide ? CU_STREAM_MEM_OP_WAIT_VALUE_64 : CU_STREAM_MEM_OP_WAIT_VALUE_32;
  step.waitValue.address = address;
  step.waitValue.value64 = value;
  step.waitValue.flags = flags;
  return step;
}

CUstreamBatchMemOpParams write_step(CUdeviceptr address, std::uint64_t value, unsigned flags,
                                    bool wide) {
  CUstreamBatchMemOpParams step{};
  step.operation = wide ? CU_STREAM_MEM_OP_WRITE_VALUE_64 : CU_STREAM_MEM_OP_WRITE_VALUE_32;
  step.writeValue.address = address;
  step.writeValue.value64 = value;
  step.writeValue.flags = flags;
  return step;
}

}  // namespace

void check_memory_operations(const std::vector<CUstreamBatchMemOpParams>& steps) {
  for (const CUstreamBatchMemOpParams& step : steps) check_step(step);
}

// MO-BATCH-001: in array order. Barriers and flushes need nothing: each write is released.
void run_memory_operations(const memory_operation_batch& batch) {
  for (const CUstreamBatchMemOpParams& step : batch.steps) {
    switch (step.operation) {
      case CU_STREAM_MEM_OP_WAIT_VALUE_32:
        wait_for_value(step.waitValue.address, step.waitValue.value, 4, step.waitValue.flags);
        break;
      case CU_STREAM_MEM_OP_WAIT_VALUE_64:
        wait_for_value(step.waitValue.address, step.waitValue.value64, 8, step.waitValue.flags);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_32:
        store_system(step.writeValue.address, step.writeValue.value, 4);
        break;
      case CU_STREAM_MEM_OP_WRITE_VALUE_64:
        store_system(step.writeValue.address, step.writeValue.value64, 8);
        break;
      default:
        break;
    }
  }
}

}  // namespace streamcts::reference

using namespace streamcts::reference;

STREAMCTS_STREAM_ENTRY(cuStreamWaitValue32_v2, _ptsz,
                       (CUstream s, CUdeviceptr address, cuuint32_t value, unsigned flags),
                       (s, address, value, flags)) {
  return enqueue_batch(mode, s, {wait_step(address, value, flags, false)});
}
STREAMCTS_STREAM_ENTRY(cuStreamWaitValue64_v2, _ptsz,
                       (CUstream s, CUdeviceptr address, cuuint64_t value, unsigned flags),
                       (s, address, value, flags)) {
  return enqueue_batch(mode, s, {wait_step(address, value, flags, true)});
}
STREAMCTS_STREAM_ENTRY(cuStreamWriteValue32_v2, _ptsz,
                       (CUstream s, CUdeviceptr address, cuuint32_t value, unsigned flags),
                       (s, address, value, flags)) {
  return enqueue_batch(mode, s, {write_step(address, value, flags, false)});
}
STREAMCTS_STREAM_ENTRY(cuStreamWriteValue64_v2, _ptsz,
                       (CUstream s, CUdeviceptr address, cuuint64_t value, unsigned flags),
                       (s, address, value, flags)) {
  return enqueue_batch(mode, s, {write_step(address, value, flags, true)});
}
STREAMCTS_STREAM_ENTRY(cuStreamBatchMemOp_v2, _ptsz,
                       (CUstream s, unsigned count, CUstreamBatchMemOpParams* steps,
                        unsigned flags),
                       (s, count, steps, flags)) {
  constexpr unsigned most = 256;
  require(steps != nullptr && count > 0 && count <= most && flags == 0);
  return enqueue_batch(mode, s, {steps, steps + count});
}
