// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Class A: host calls that start before something that they must wait for.

#include "harness/faults/behaviours/overtakes.h"
#include "harness/faults/catalogue.h"

namespace streamcts::faults {

using namespace std::chrono_literals;

std::unique_ptr<behaviour> make::callback_ignores_kernel() {
  return overtakes({.ignored = is_kernel});
}

std::unique_ptr<behaviour> make::host_function_ignores_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_launch_host_func});
}

std::unique_ptr<behaviour> make::add_callback_ignores_kernel() {
  return overtakes({.ignored = is_kernel, .victim = is_add_callback});
}

std::unique_ptr<behaviour> make::callback_ignores_download() {
  return overtakes({.ignored = is_download, .slowed = 20ms});
}

}  // namespace streamcts::faults
