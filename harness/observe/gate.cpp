// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/observe/gate.h"

#include <thread>

#include "harness/driver/result.h"
#include "kernels/parameters.h"

namespace streamcts {

namespace {

void CUDA_CB hold_in_host_function(void* data) { static_cast<gate*>(data)->hold_this_thread(); }

}  // namespace

std::string_view name(gate_kind kind) {
  switch (kind) {
    case gate_kind::mapped_flag: return "mapped_flag";
    case gate_kind::host_function: return "host_function";
    case gate_kind::value_wait: return "value_wait";
  }
  return "unknown";
}

void relax_thread(unsigned step) noexcept {
  if (step < 50) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

gate::gate(control_word word, control_word begun, std::chrono::nanoseconds timeout)
    : word_(word), begun_(begun), timeout_(timeout) {
  word_.store(kernels::gate_shut);
  begun_.store(0);
}

void gate::enqueue(const driver::function_table& cuda, const driver::kernel_set& kernels,
                   CUstream stream, gate_kind kind) {
  switch (kind) {
    case gate_kind::mapped_flag:
      kernels.gate(stream, word_.device(), begun_.device(), 1,
                   static_cast<std::uint64_t>(timeout_.count()));
      return;
    case gate_kind::host_function:
      STREAMCTS_CHECK(cuda.cuLaunchHostFunc(stream, &hold_in_host_function, this));
      return;
    case gate_kind::value_wait:
      STREAMCTS_CHECK(cuda.cuStreamWaitValue32(stream, word_.device(), kernels::gate_opened,
                                               CU_STREAM_WAIT_VALUE_EQ));
      return;
  }
}

void gate::hold_this_thread() noexcept {
  begun_.store(1);
  const auto start = std::chrono::steady_clock::now();
  for (unsigned step = 0; word_.load() == kernels::gate_shut; ++step) {
    if (std::chrono::steady_clock::now() - start > timeout_) {
      word_.replace(kernels::gate_shut, kernels::gate_expired);
      return;
    }
    relax_thread(step);
  }
}

gate::state gate::now() const {
  switch (word_.load()) {
    case kernels::gate_shut: return state::shut;
    case kernels::gate_opened: return state::opened;
    default: return state::expired;
  }
}

}  // namespace streamcts
