// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/run_loop.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace streamcts::runner {

namespace {

using clock = worker::clock;
using worker_list = std::vector<std::unique_ptr<worker>>;

void wait_for_something(const worker_list& workers, const signal_watch& signals,
                        std::chrono::milliseconds longest) {
  std::vector<pollfd> descriptors{{signals.descriptor_to_poll(), POLLIN, 0}};
  auto until = clock::now() + longest;
  for (const auto& each : workers) {
    each->add_to(descriptors);
    until = std::min(until, each->deadline());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
  ::poll(descriptors.data(), descriptors.size(),
         static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60'000)));
}

}  // namespace

void run_jobs(job_source& source, const launcher& from, const host_order& host,
              const time_limits& limits, const loop_options& options, signal_watch& signals) {
  worker_list workers;
  while (!source.stopped() && !signals.request()) {
    while (workers.size() < options.jobs) {
      std::optional<job> more = source.next();
      if (!more) break;
      workers.push_back(
          std::make_unique<worker>(from, host, limits, std::move(*more), source));
    }
    if (workers.empty()) break;
    if (options.tick) options.tick();
    wait_for_something(workers, signals, options.tick_every);
    signals.drain();
    for (auto& each : workers) {
      if (!source.stopped()) each->attend();
    }
    std::erase_if(workers, [](const auto& each) { return each->over(); });
  }
  if (options.tick) options.tick();
}

}  // namespace streamcts::runner
