// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/handle.h"

#include <atomic>

namespace streamcts::driver {
namespace {
std::atomic<destroy_failure_hook> current_hook{nullptr};
}

destroy_failure_hook set_destroy_failure_hook(destroy_failure_hook hook) noexcept {
  return current_hook.exchange(hook);
}

void report_destroy(const char* call, CUresult code) noexcept {
  if (code == CUDA_SUCCESS) return;
  if (const auto hook = current_hook.load()) hook(call, code);
}

}  // namespace streamcts::driver
