// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/outcome.h"
#include "harness/case/registry.h"
#include "reports/results/record.h"
#include "reports/results/verdict.h"

namespace streamcts::runner {

/// One run of one case.
struct job_case {
  const case_instance* instance = nullptr;
  std::uint64_t seed = 0;    ///< of the run or repeat; the case's own comes of it and the id
  std::uint64_t repeat = 0;  ///< which repetition of the run, from 0
};

/// What one child is to do: these cases, in this order.
struct job {
  std::vector<job_case> cases;
  std::uint64_t tag = 0;  ///< for whoever ordered it
};

/// How one run of a case ended.
struct case_end {
  results::verdict verdict = results::verdict::error;
  std::string reason;
  double seconds = 0;
  /// What the case left behind; a case whose child died or hung has none.
  std::optional<case_outcome> outcome;
  std::vector<std::string> stacks;
  std::string stdout_tail;
  std::string stderr_tail;
};

/// The seed that a case gets: another one for each case, the same in each run with @p seed.
std::uint64_t case_seed(std::uint64_t seed, std::string_view id);
/// The seed of a repetition; that of repetition 0 is the run's own.
std::uint64_t repeat_seed(std::uint64_t run_seed, std::uint64_t repeat);

}  // namespace streamcts::runner
