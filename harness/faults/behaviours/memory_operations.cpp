// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class J: conditions of value waits, batches; and threads whose context was destroyed.

#include <algorithm>
#include <atomic>
#include <vector>

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"

namespace streamcts::faults {
namespace {

bool is_batch(const operation& op) { return op.is(operation_kind::value_batch); }

/// The host's address of mapped memory, or null.
const void* host_address(CUdeviceptr address) {
  void* host = nullptr;
  if (!real().pointer_get_attribute ||
      real().pointer_get_attribute(&host, CU_POINTER_ATTRIBUTE_HOST_POINTER, address) !=
          CUDA_SUCCESS) {
    return nullptr;
  }
  return host;
}

/// A greater-or-equal wait that holds for unsigned numbers when it is enqueued is taken for satisfied.
class unsigned_wait : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!is_value_wait(op) || op.operand.address == 0 ||
        (op.operand.flags & 3u) != CU_STREAM_WAIT_VALUE_GEQ) {
      return op.forward();
    }
    const void* const at = host_address(op.operand.address);
    if (!at) return op.forward();
    const auto* const low = static_cast<const std::uint32_t*>(at);
    const cuuint64_t seen =
        op.operand.wide
            ? __atomic_load_n(static_cast<const cuuint64_t*>(at), __ATOMIC_ACQUIRE)
            : __atomic_load_n(low, __ATOMIC_ACQUIRE);
    if (seen < op.operand.value) return op.forward();
    hit();
    return CUDA_SUCCESS;
  }
};

/// A 64-bit wait looks at the low half alone, where that can be satisfied.
class low_half_wait : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    const auto low = static_cast<cuuint32_t>(op.operand.value);
    if (!is_value_wait(op) || !op.operand.wide || op.operand.address == 0 ||
        low == op.operand.value || low == 0 || !real().stream_wait_value32[op.stream.mode]) {
      return op.forward();
    }
    hit();
    return real().stream_wait_value32[op.stream.mode](op.stream.handle, op.operand.address, low,
                                                      op.operand.flags);
  }
};

/// The writes of a batch come before its waits.
class writes_first : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!is_batch(op) || !op.batch) return op.forward();
    std::vector<CUstreamBatchMemOpParams> steps(op.batch, op.batch + op.batch_count);
    const auto is_write = [](const CUstreamBatchMemOpParams& step) {
      return step.operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
             step.operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
    };
    if (std::is_partitioned(steps.begin(), steps.end(), is_write)) return op.forward();
    std::stable_partition(steps.begin(), steps.end(), is_write);
    hit();
    return real().stream_batch_mem_op[op.stream.mode](op.stream.handle, op.batch_count,
                                                      steps.data(), 0);
  }
};

/// A thread whose context was destroyed works in another one.
class context_replaced : public behaviour {
 public:
  CUresult create_stream(CUstream*, unsigned, int, forward_call forward) override {
    const CUresult result = forward();
    CUcontext current = nullptr;
    if (result == CUDA_SUCCESS) {
      // The first one that was seen: the primary context of most programs, which outlives others.
      if (real().ctx_get_current(&current) == CUDA_SUCCESS) {
        CUcontext none = nullptr;
        known_.compare_exchange_strong(none, current);
      }
      return result;
    }
    CUcontext const other = known_.load();
    if (result != CUDA_ERROR_CONTEXT_IS_DESTROYED || !other) return result;
    real().ctx_push_current(other);
    hit();
    return forward();
  }

 private:
  std::atomic<CUcontext> known_{nullptr};
};

}  // namespace

std::unique_ptr<behaviour> make::value_wait_compares_unsigned() {
  return std::make_unique<unsigned_wait>();
}
std::unique_ptr<behaviour> make::wide_value_wait_sees_low_half() {
  return std::make_unique<low_half_wait>();
}
std::unique_ptr<behaviour> make::value_batch_writes_before_waiting() {
  return std::make_unique<writes_first>();
}
std::unique_ptr<behaviour> make::value_batch_overtakes_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_batch});
}
std::unique_ptr<behaviour> make::destroyed_context_is_replaced() {
  return std::make_unique<context_replaced>();
}

}  // namespace streamcts::faults
