// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "harness/runner/job.h"

namespace streamcts::runner {

struct plan_options {
  std::uint64_t seed = 0;
  std::uint64_t repeat = 1;
  std::uint64_t jobs = 1;
  /// Cases that share a child, at most: a bound for what one may do to the next.
  std::size_t batch = 64;
  /// Runs to be left out: those that a resumed run already has a record of.
  std::function<bool(const case_instance&, std::uint64_t repeat)> done = {};
};

/// Cuts a run into jobs: each repetition in the order of @p cases, ordinary cases in batches, a case
/// marked own-process alone. Small batches where several jobs run at once, so that all have work.
std::vector<job> make_jobs(const std::vector<const case_instance*>& cases,
                           const plan_options& options);

}  // namespace streamcts::runner
