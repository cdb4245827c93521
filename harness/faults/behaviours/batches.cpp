// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class G: batches of copies, copies within the device that are to be synchronous, memory with another
// address on the device.

#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/layer/hits.h"
#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/concealment.h"
#include "harness/faults/tools/conditions.h"
#include "harness/faults/tools/hold.h"
#include "harness/faults/tools/host_ranges.h"
#include "harness/faults/tools/staging.h"
#include "harness/faults/tools/streams.h"

namespace streamcts::faults {
namespace {

using namespace std::chrono_literals;

bool is_batch(const operation& op) { return op.copies != nullptr; }

/// Batches that are to read their sources during the call read them in stream order.
class sources_read_late : public behaviour {
 public:
  CUresult enqueue(operation& op) override {
    if (!op.copies) return op.forward();
    bool changed = false;
    for (std::size_t i = 0; i < op.copies->attribute_count; ++i) {
      CUmemcpySrcAccessOrder& order = op.copies->attributes[i].srcAccessOrder;
      if (order != CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL) continue;
      order = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM;
      changed = true;
    }
    if (changed && is_busy(op.stream)) hit();
    return op.forward();
  }
};

/// Batches that are to read pinned memory in stream order send what it holds when they are enqueued.
/// What the driver behind makes of an access order does not matter: it is given other sources.
class sources_read_at_issue : public behaviour {
 public:
  void allocated(const host_memory& memory) override { ranges_.add(memory); }
  CUresult release(void* address, forward_call forward) override {
    ranges_.remove(address);
    return forward();
  }
  CUresult enqueue(operation& op) override {
    if (!op.copies) return op.forward();
    const bool behind_something = is_busy(op.stream);
    std::vector<staging::buffer> lent;
    for (std::size_t i = 0; i < op.copies->count; ++i) {
      if (op.copies->attributes_of(i).srcAccessOrder == CU_MEMCPY_SRC_ACCESS_ORDER_STREAM) {
        replace(op.copies->sources[i], op.copies->bytes[i], lent);
      }
    }
    if (behind_something && !lent.empty()) hit();
    const CUresult result = op.forward();
    for (const staging::buffer& each : lent) staging_.give_back(each, op.stream);
    return result;
  }

 private:
  void replace(CUdeviceptr& source, std::size_t bytes, std::vector<staging::buffer>& lent) {
    const std::optional<host_memory> memory = ranges_.containing(source);
    if (!memory || memory->from == host_memory::source::managed) return;
    const staging::buffer buffer = staging_.take(bytes);
    if (!buffer.bytes) return;
    const old_view_ptr now = look_at(reinterpret_cast<std::byte*>(source), bytes);
    std::memcpy(buffer.bytes, now->bytes.data(), bytes);
    source = reinterpret_cast<CUdeviceptr>(buffer.bytes);
    lent.push_back(buffer);
  }

  host_ranges ranges_;
  staging staging_;
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
  return std::make_unique<sources_read_late>();
}
std::unique_ptr<behaviour> make::batch_reads_sources_during_the_call() {
  return std::make_unique<sources_read_at_issue>();
}
std::unique_ptr<behaviour> make::sync_memops_attribute_is_ignored() {
  return std::make_unique<never_synchronous>();
}
std::unique_ptr<behaviour> make::device_pointer_is_of_other_memory() {
  return std::make_unique<other_device_pointer>();
}

}  // namespace streamcts::faults
