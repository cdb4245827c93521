// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/plan.h"

#include <algorithm>
#include <utility>

namespace streamcts::runner {

namespace {

/// Splits the cases of one repetition.
void add_jobs(const std::vector<job_case>& cases, std::size_t batch, std::vector<job>& jobs) {
  job shared;
  const auto flush = [&] {
    if (!shared.cases.empty()) jobs.push_back(std::exchange(shared, {}));
  };
  for (const job_case& each : cases) {
    if (each.instance->where == isolation::own_process) {
      jobs.push_back({{each}, 0});
      continue;
    }
    shared.cases.push_back(each);
    if (shared.cases.size() == batch) flush();
  }
  flush();
}

}  // namespace

std::vector<job> make_jobs(const std::vector<const case_instance*>& cases,
                           const plan_options& options) {
  std::vector<job> jobs;
  for (std::uint64_t repeat = 0; repeat < options.repeat; ++repeat) {
    std::vector<job_case> open;
    for (const case_instance* each : cases) {
      if (options.done && options.done(*each, repeat)) continue;
      open.push_back({each, repeat_seed(options.seed, repeat), repeat});
    }
    // With several children at once: about four batches for each.
    const std::size_t share =
        options.jobs > 1 ? std::max<std::size_t>(1, open.size() / (4 * options.jobs)) : open.size();
    add_jobs(open, std::clamp<std::size_t>(share, 1, options.batch), jobs);
  }
  return jobs;
}

}  // namespace streamcts::runner
