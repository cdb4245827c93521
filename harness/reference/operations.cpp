// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/operations.h"

#include <cstring>

#include "harness/reference/capture.h"
#include "harness/reference/process.h"
#include "harness/reference/scheduler.h"
#include "harness/reference/variants.h"
#include "harness/reference/visibility.h"
#include "harness/reference/write_buffer.h"

namespace streamcts::reference {
namespace {

template <typename... Cases>
struct overloaded : Cases... {
  using Cases::operator()...;
};

bool waits(const memory_operation_batch& batch) {
  for (const CUstreamBatchMemOpParams& step : batch.steps) {
    if (step.operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
        step.operation == CU_STREAM_MEM_OP_WAIT_VALUE_64) {
      return true;
    }
  }
  return false;
}

// Where a copy or memset puts its bytes: host-visible memory only through a write buffer if writes
// become visible late, else straight.
class destination {
 public:
  explicit destination(std::uintptr_t to) {
    const bool late = active(variant::visibility_late);
    const allocation_ptr a = late ? memory::find_device(to) : nullptr;
    if (a != nullptr && a->host_visible()) buffer_ = std::make_unique<write_buffer>();
  }
  void write(std::uintptr_t to, const void* from, std::size_t bytes) {
    if (buffer_ != nullptr) {
      buffer_->store_range(to, from, bytes);
    } else {
      std::memmove(reinterpret_cast<void*>(to), from, bytes);
    }
  }
  ~destination() {
    if (buffer_ != nullptr) retire(std::move(buffer_));
  }

 private:
  std::unique_ptr<write_buffer> buffer_;
};

}  // namespace

void run_copy(const copy_operation& o) {
  destination to(o.to);
  for (std::size_t z = 0; z < o.depth; ++z) {
    for (std::size_t y = 0; y < o.height; ++y) {
      to.write(o.to + z * o.to_plane + y * o.to_pitch,
               reinterpret_cast<const void*>(o.from + z * o.from_plane + y * o.from_pitch),
               o.width);
    }
  }
}

void run_set(const set_operation& o) {
  destination to(o.to);
  std::vector<unsigned char> row(o.width * o.element_bytes);
  for (std::size_t i = 0; i < o.width; ++i) {
    std::memcpy(row.data() + i * o.element_bytes, &o.value, o.element_bytes);
  }
  for (std::size_t y = 0; y < o.height; ++y) to.write(o.to + y * o.pitch, row.data(), row.size());
}

// CB-STATUS-002, CB-ONCE-003: after a fault every callback is still run, once, with the error.
// HF-ERR-001: host functions are not.
void run_host_call(const host_operation& o) {
  const CUresult status = fault();
  if (o.callback != nullptr) {
    const host_call_scope scope(host_call_kind::callback);
    o.callback(o.stream, status, o.data);
  } else if (status == CUDA_SUCCESS) {
    const host_call_scope scope(host_call_kind::function);
    o.function(o.data);
  }
}

item_ptr make_item(driver_lock& lock, const std::shared_ptr<context>& c, const operation& o) {
  const auto item = [&](executor by, std::function<void()> run) {
    return make_item(lock, c, by, std::move(run));
  };
  return std::visit(
      overloaded{
          [&](const kernel_launch& k) { return item(executor::device, [k] { run_kernel(k); }); },
          [&](const copy_operation& k) { return item(executor::device, [k] { run_copy(k); }); },
          [&](const set_operation& k) { return item(executor::device, [k] { run_set(k); }); },
          [&](const host_operation& k) { return item(executor::host, [k] { run_host_call(k); }); },
          [&](const memory_operation_batch& k) {
            return item(waits(k) ? executor::poller : executor::device,
                        [k] { run_memory_operations(k); });
          },
          [&](const auto&) { return item(executor::nobody, nullptr); },
      },
      o);
}

item_ptr perform(driver_lock& lock, stream& s, operation o) {
  if (capture_operation(lock, s, o)) return nullptr;
  const item_ptr item = make_item(lock, s.owner.lock(), o);
  enqueue(lock, s, item);
  return item;
}

}  // namespace streamcts::reference
