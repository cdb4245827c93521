// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/faults/tools/hold.h"

#include <mutex>
#include <thread>

#include "harness/faults/layer/real_driver.h"
#include "harness/faults/tools/background.h"

namespace streamcts::faults {
namespace {

using std::chrono::steady_clock;

/// Words in pinned memory that streams write and wait for. Values only grow, so that a late waiter
/// of an earlier use is still satisfied.
struct slot {
  std::uint32_t marked;
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

std::uint32_t value_of(std::uint32_t& word) {
  return std::atomic_ref(word).load(std::memory_order_acquire);
}

void sleep_in_stream(void* milliseconds) {
  std::this_thread::sleep_for(
      std::chrono::milliseconds(reinterpret_cast<std::intptr_t>(milliseconds)));
}

}  // namespace

std::shared_ptr<stall> stall::make() {
  std::uint32_t use = 0;
  const int at = take_slot(&use);
  if (at < 0) return nullptr;
  std::shared_ptr<stall> made(new stall(at, use));
  // A stream may open it long after everybody has forgotten it: only then is the place free.
  in_background([made] {
    if (!made->is_open()) return false;
    free_slot(made->slot_);
    return true;
  });
  return made;
}

bool stall::hold(const stream_ref& stream) {
  const std::uint32_t& word = page().slots[slot_].opened;
  return real().stream_wait_value32[stream.mode](stream.handle, address_of(word), use_,
                                                 CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS;
}

void stall::open() {
  std::atomic_ref(page().slots[slot_].opened).store(use_, std::memory_order_release);
}

void stall::open_from(const stream_ref& stream) {
  const std::uint32_t& word = page().slots[slot_].opened;
  if (real().stream_write_value32[stream.mode](stream.handle, address_of(word), use_, 0) !=
      CUDA_SUCCESS) {
    open();
  }
}

bool stall::is_open() const { return value_of(page().slots[slot_].opened) >= use_; }

bool stall::mark(const stream_ref& stream) {
  const std::uint32_t& word = page().slots[slot_].marked;
  return real().stream_write_value32[stream.mode](stream.handle, address_of(word), use_, 0) ==
         CUDA_SUCCESS;
}

bool stall::is_marked() const { return value_of(page().slots[slot_].marked) >= use_; }

void slow_down(const stream_ref& stream, std::chrono::milliseconds by) {
  const std::shared_ptr<stall> gate = stall::make();
  if (!gate || !gate->mark(stream)) {
    if (gate) gate->open();
    real().launch_host_func[stream.mode](stream.handle, &sleep_in_stream,
                                         reinterpret_cast<void*>(by.count()));
    return;
  }
  if (!gate->hold(stream)) {
    gate->open();
    return;
  }
  in_background([gate, by, due = steady_clock::time_point::max()]() mutable {
    const auto now = steady_clock::now();
    if (due == steady_clock::time_point::max() && gate->is_marked()) due = now + by;
    if (now < due) return false;
    gate->open();
    return true;
  });
}

}  // namespace streamcts::faults
