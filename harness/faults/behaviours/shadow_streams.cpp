// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class J: one stream, used by the driver API and by the CUDA runtime.

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string_view>

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"
#include "harness/faults/tools/conditions.h"

namespace streamcts::faults {
namespace {

using namespace std::chrono_literals;

/// Whether the code at @p address is of a CUDA runtime library.
bool is_of_runtime(const void* address) {
  static std::mutex& mutex = *new std::mutex;
  static std::map<const void*, bool>& known = *new std::map<const void*, bool>;
  const std::lock_guard lock(mutex);
  const auto [at, fresh] = known.emplace(address, false);
  Dl_info info{};
  if (fresh && dladdr(address, &info) != 0 && info.dli_fname != nullptr) {
    const std::string_view file = info.dli_fname;
    at->second = file.substr(file.rfind('/') + 1).substr(0, 9) == "libcudart";
  }
  return at->second;
}

bool by_runtime(const operation& op) { return op.caller != nullptr && is_of_runtime(op.caller); }
bool by_driver(const operation& op) { return op.caller != nullptr && !is_of_runtime(op.caller); }

}  // namespace

std::unique_ptr<behaviour> make::runtime_host_call_ignores_driver_work() {
  return overtakes({.ignored = all_of(any_of(is_kernel, is_copy), by_driver),
                    .victim = all_of(is_host_call, by_runtime),
                    .slowed = 20ms});
}
std::unique_ptr<behaviour> make::driver_host_call_ignores_runtime_work() {
  return overtakes({.ignored = all_of(any_of(is_kernel, is_copy), by_runtime),
                    .victim = all_of(is_host_call, by_driver),
                    .slowed = 20ms});
}

}  // namespace streamcts::faults
