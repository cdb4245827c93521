// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/driver/keep.h"

#include <mutex>
#include <utility>
#include <vector>

namespace streamcts::driver {

void keep_for_ever(std::shared_ptr<const void> thing) {
  static auto& kept = *new std::vector<std::shared_ptr<const void>>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(thing));
}

}  // namespace streamcts::driver
