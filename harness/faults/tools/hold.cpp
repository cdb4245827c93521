// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/hold.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>

#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/background.h"

namespace streamcts::faults {
namespace {

using std::chrono::steady_clock;

/// The device writes `reached` when the stream arrives and waits for `opened`. Values only grow, so
/// that a late waiter of an earlier use is still satisfied.
struct slot {
  std::uint32_t reached;
  std::uint32_t opened;
};
constexpr int slot_count = 512;

struct slot_page {
  std::mutex mutex;
  slot* slots = nullptr;
  bool tried = false;
  bool busy[slot_count] = {};
  std::uint32_t uses[slot_count] = {};
  int next = 0;
};
slot_page& page() {
  static slot_page& instance = *new slot_page;
  return instance;
}

void allocate_slots(slot_page& p) {
  const capture_exemption exempt;
  p.tried = true;
  void* memory = nullptr;
  if (!real().stream_wait_value32[stream_mode::legacy] ||
      real().mem_host_alloc(&memory, slot_count * sizeof(slot),
                            CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP) !=
          CUDA_SUCCESS) {
    return;
  }
  p.slots = static_cast<slot*>(memory);
  for (int i = 0; i < slot_count; ++i) p.slots[i] = {0, 0};
}

/// @return the number of a free slot with its use count raised, or -1.
int take_slot(std::uint32_t* use) {
  slot_page& p = page();
  const std::lock_guard lock(p.mutex);
  if (!p.tried) allocate_slots(p);
  if (!p.slots) return -1;
  for (int i = 0; i < slot_count; ++i) {
    const int at = (p.next + i) % slot_count;
    if (p.busy[at]) continue;
    p.next = at + 1;
    p.busy[at] = true;
    *use = ++p.uses[at];
    return at;
  }
  return -1;
}

void free_slot(int at) {
  const std::lock_guard lock(page().mutex);
  page().busy[at] = false;
}

CUdeviceptr address_of(const std::uint32_t& word) {
  return reinterpret_cast<CUdeviceptr>(&word);
}

void sleep_in_stream(void* milliseconds) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(milliseconds)));
}

}  // namespace

void slow_down(const stream_ref& stream, std::chrono::milliseconds by) {
  std::uint32_t use = 0;
  const int at = take_slot(&use);
  slot* const words = at < 0 ? nullptr : page().slots + at;
  if (!words || real().stream_write_value32[stream.mode](stream.handle, address_of(words->reached),
                                                         use, 0) != CUDA_SUCCESS) {
    if (at >= 0) free_slot(at);
    real().launch_host_func[stream.mode](stream.handle, &sleep_in_stream,
                                         reinterpret_cast<void*>(by.count()));
    return;
  }
  real().stream_wait_value32[stream.mode](stream.handle, address_of(words->opened), use,
                                          CU_STREAM_WAIT_VALUE_GEQ);
  auto due = steady_clock::time_point::max();
  in_background([=]() mutable {
    const auto now = steady_clock::now();
    if (due == steady_clock::time_point::max() &&
        std::atomic_ref(words->reached).load(std::memory_order_acquire) >= use) {
      due = now + by;
    }
    if (now < due) return false;
    std::atomic_ref(words->opened).store(use, std::memory_order_release);
    free_slot(at);
    return true;
  });
}

}  // namespace streamcts::faults
