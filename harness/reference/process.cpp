// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/reference/process.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>

#include "harness/reference/work_item.h"

namespace streamcts::reference {
namespace {

std::atomic<CUresult> first_fault{CUDA_SUCCESS};
std::atomic<bool> in_exit{false};
std::atomic<std::uint64_t> random_state{0x9E3779B97F4A7C15};

void leave() { in_exit = true; }

}  // namespace

std::mutex& driver_lock::mutex() {
  static std::mutex& only = *new std::mutex;  // never destroyed: threads use it during exit
  return only;
}

CUresult fault() { return first_fault.load(std::memory_order_acquire); }

void set_fault(CUresult code) {
  CUresult none = CUDA_SUCCESS;
  first_fault.compare_exchange_strong(none, code);
}

void clear_fault_for_test() { first_fault = CUDA_SUCCESS; }

// Handlers run in the reverse order of their registration: before the destruction of whatever the
// program had before it initialized the driver. What runs at that moment is let run.
void watch_exit() {
  static const int registered = std::atexit(leave);
  static_cast<void>(registered);
}

bool exiting() { return in_exit.load(std::memory_order_relaxed); }

void park_if_exiting() {
  while (exiting()) pause();
}

std::uint32_t random_number() {
  std::uint64_t x = random_state.fetch_add(0x9E3779B97F4A7C15, std::memory_order_relaxed);
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return static_cast<std::uint32_t>(x >> 32);
}

}  // namespace streamcts::reference
