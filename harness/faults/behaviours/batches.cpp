// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class G: batches of copies, copies within the device that are to be synchronous, memory with another
// address on the device, memory synchronization domains.

#include <map>
#include <mutex>

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/hold.h"
#include "harness/faults/tools/host_ranges.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using namespace std::chrono_literals;

bool is_batch(const operation& op) { return op.copies != nullptr; }
bool is_in_remote_domain(const operation& op) { return op.remote_domain; }

/// Batches read their sources at another time than they were told to.
class other_source_order : public behaviour {
 public:
  other_source_order(CUmemcpySrcAccessOrder told, CUmemcpySrcAccessOrder taken)
      : told_(told), taken_(taken) {}

  CUresult enqueue(operation& op) override {
    if (!op.copies) return op.forward();
    bool changed = false;
    for (std::size_t i = 0; i < op.copies->attribute_count; ++i) {
      CUmemcpySrcAccessOrder& order = op.copies->attributes[i].srcAccessOrder;
      if (order != told_) continue;
      order = taken_;
      changed = true;
    }
    if (changed && is_busy(op.stream)) hit();
    return op.forward();
  }

 private:
  const CUmemcpySrcAccessOrder told_, taken_;
};

/// Copies within the device return at once whatever the memory's attributes.
class never_synchronous : public behaviour {
 public:
  CUresult transfer_now(transfer& t) override {
    if (!t.copy || !t.enqueue ||
        t.copy->resolved() != copy_range::direction::device_to_device) {
      return t.forward();
    }
    unsigned synchronous = 0;
    if (real().pointer_get_attribute(&synchronous, CU_POINTER_ATTRIBUTE_SYNC_MEMOPS,
                                     t.copy->destination) != CUDA_SUCCESS ||
        synchronous == 0) {
      return t.forward();
    }
    slow_down(t.stream, 20ms);
    hit();
    return (*t.enqueue)(t.stream.handle, t.stream.mode);
  }
};

/// The device is told the address of memory beside the one that was asked for.
class other_device_pointer : public behaviour {
 public:
  void allocated(const host_memory& memory) override { ranges_.add(memory); }
  CUresult release(void* address, forward_call forward) override {
    ranges_.remove(address);
    return forward();
  }
  CUresult device_pointer(CUdeviceptr* address, void* host, forward_call forward) override {
    const CUresult result = forward();
    const std::optional<host_memory> memory =
        ranges_.containing(reinterpret_cast<CUdeviceptr>(host));
    if (result != CUDA_SUCCESS || !memory || memory->from == host_memory::source::managed) {
      return result;
    }
    const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(host) - memory->begin);
    if (const CUdeviceptr other = beside(memory->bytes)) {
      hit();
      *address = other + offset;
    }
    return result;
  }

 private:
  /// Memory of the same size that nobody looks at; kept for good, kernels may write it.
  CUdeviceptr beside(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    CUdeviceptr& known = beside_[bytes];
    void* made = nullptr;
    if (known == 0 && real().mem_host_alloc(&made, bytes, CU_MEMHOSTALLOC_DEVICEMAP) ==
                          CUDA_SUCCESS) {
      if (real().mem_host_get_device_pointer(&known, made, 0) != CUDA_SUCCESS) known = 0;
    }
    return known;
  }

  host_ranges ranges_;
  std::mutex mutex_;
  std::map<std::size_t, CUdeviceptr> beside_;
};

}  // namespace

std::unique_ptr<behaviour> make::callback_ignores_batch_of_copies() {
  return overtakes({.ignored = is_batch, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::batch_overtakes_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_batch, .slowed = 20ms});
}
std::unique_ptr<behaviour> make::batch_reads_sources_after_the_call() {
  return std::make_unique<other_source_order>(CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL,
                                              CU_MEMCPY_SRC_ACCESS_ORDER_STREAM);
}
std::unique_ptr<behaviour> make::batch_reads_sources_during_the_call() {
  return std::make_unique<other_source_order>(CU_MEMCPY_SRC_ACCESS_ORDER_STREAM,
                                              CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL);
}
std::unique_ptr<behaviour> make::sync_memops_attribute_is_ignored() {
  return std::make_unique<never_synchronous>();
}
std::unique_ptr<behaviour> make::device_pointer_is_of_other_memory() {
  return std::make_unique<other_device_pointer>();
}
std::unique_ptr<behaviour> make::callback_ignores_remote_domain() {
  return overtakes({.ignored = is_in_remote_domain, .slowed = 20ms});
}

}  // namespace streamcts::faults
