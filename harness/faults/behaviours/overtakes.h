// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <chrono>

#include "harness/faults/layer/behaviour.h"
#include "harness/faults/tools/trail.h"

namespace streamcts::faults {

/// Something that does not wait for what stands directly in front of it in its stream: it runs
/// beside the stream, behind the state before the run of ignored operations. Everything later still
/// waits for both.
struct overtaking {
  condition ignored;                ///< the operations that may make up that run
  condition victim = is_host_call;  ///< what overtakes
  /// Ignored operations start this much late, where they would else be over too soon to see.
  std::chrono::milliseconds slowed{0};
  unsigned run_of_at_least = 1;  ///< shorter runs are waited for
  /// Called first for every operation.
  std::function<void(operation&)> prepare = [](operation&) {};
};

std::unique_ptr<behaviour> overtakes(overtaking what);

}  // namespace streamcts::faults
