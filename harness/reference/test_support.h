// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What the unit tests of this folder share. They call the driver's entry points, linked in.

#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "harness/reference/cuda_api.h"
#include "kernels/parameters.h"

// After cuda_api.h.
#include <gtest/gtest.h>

namespace streamcts::reference::test {

inline constexpr std::uint64_t gate_limit_ns = 20'000'000'000;

/// Polls until @p condition or ten seconds have passed.
template <typename Condition>
bool eventually(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
  return true;
}

/// The primary context, current, with a library of the kernels.
class driver_test : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  CUstream make_stream(unsigned flags = CU_STREAM_DEFAULT);
  CUevent make_event(unsigned flags = CU_EVENT_DEFAULT);
  CUfunction kernel(const char* name);
  /// Zeroed words in mapped pinned memory, freed at the end.
  template <typename Word = std::uint32_t>
  Word* pinned(std::size_t count = 1) {
    return static_cast<Word*>(pinned_bytes(count * sizeof(Word)));
  }
  void* pinned_bytes(std::size_t bytes);
  CUdeviceptr device_bytes(std::size_t bytes);

  /// Launches one thread of a kernel.
  template <typename... Args>
  void launch(CUstream s, const char* name, Args... args) {
    void* parameters[] = {static_cast<void*>(&args)..., nullptr};
    ASSERT_EQ(CUDA_SUCCESS,
              cuLaunchKernel(kernel(name), 1, 1, 1, 1, 1, 1, 0, s, parameters, nullptr));
  }

  CUcontext context_ = nullptr;

 private:
  CUlibrary library_ = nullptr;
  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;
  std::vector<void*> pinned_;
  std::vector<CUdeviceptr> device_;
};

/// A kernel that holds its stream until opened; opened at the latest by the destructor.
class gate {
 public:
  /// @p words are two words of pinned memory.
  explicit gate(std::uint32_t* words) : word_(words), begun_(words + 1) {
    __atomic_store_n(word_, kernels::gate_shut, __ATOMIC_RELEASE);
    __atomic_store_n(begun_, 0u, __ATOMIC_RELEASE);
  }
  ~gate() { open(); }
  void open() { __atomic_store_n(word_, kernels::gate_opened, __ATOMIC_RELEASE); }
  bool begun() const { return __atomic_load_n(begun_, __ATOMIC_ACQUIRE) != 0; }
  bool expired() const {
    return __atomic_load_n(word_, __ATOMIC_ACQUIRE) == kernels::gate_expired;
  }
  std::uint32_t* word() const { return word_; }
  std::uint32_t* begun_word() const { return begun_; }

 private:
  std::uint32_t* word_;
  std::uint32_t* begun_;
};

/// Counts the host calls that it is the user data of, and keeps what the last one got.
struct call_record {
  std::atomic<int> calls{0};
  std::atomic<CUresult> status{CUDA_SUCCESS};
  std::atomic<CUstream> stream{nullptr};
};
void CUDA_CB count_callback(CUstream stream, CUresult status, void* data);
void CUDA_CB count_function(void* data);

}  // namespace streamcts::reference::test
