// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "harness/runner/matrix/trial_loop.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "harness/runner/environment.h"
#include "harness/runner/matrix/hits_file.h"

namespace streamcts::runner {

namespace {

using clock = worker::clock;

/// A trial with its child.
class running_trial {
 public:
  running_trial(const trial_setup& setup, std::unique_ptr<trial> what,
                const trial_conditions& conditions, std::size_t number)
      : conditions_(conditions),
        trial_(std::move(what)),
        hits_(setup.folder / fmt::format("hits-{}", number)),
        from_(fault_launcher(setup, trial_->of().id, hits_.path())) {}

  /// Starts the next child where none runs. @return false where the trial is over
  bool go_on() {
    if (worker_ && worker_->over()) worker_.reset();
    if (worker_ && trial_->interrupted()) worker_.reset();  // which kills it
    if (worker_) return true;
    std::optional<job> more = trial_->next();
    if (!more) return false;
    worker_ = std::make_unique<worker>(from_, conditions_.host, conditions_.limits,
                                       std::move(*more), *trial_);
    return true;
  }

  worker& child() { return *worker_; }
  reports::fault_record result() const { return trial_->result(hits_.count()); }

 private:
  const trial_conditions& conditions_;
  std::unique_ptr<trial> trial_;
  hits_file hits_;
  launcher from_;
  std::unique_ptr<worker> worker_;  ///< first to go: its last words are for the trial
};

using trial_list = std::vector<std::unique_ptr<running_trial>>;

void wait_for_something(const trial_list& trials, const signal_watch& signals,
                        std::chrono::milliseconds longest) {
  std::vector<pollfd> descriptors{{signals.descriptor_to_poll(), POLLIN, 0}};
  auto until = clock::now() + longest;
  for (const auto& each : trials) {
    each->child().add_to(descriptors);
    until = std::min(until, each->child().deadline());
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now());
  ::poll(descriptors.data(), descriptors.size(),
         static_cast<int>(std::clamp<std::chrono::milliseconds::rep>(left.count(), 0, 60'000)));
}

}  // namespace

launcher fault_launcher(const trial_setup& setup, const std::string& fault,
                        const std::string& hits) {
  return launcher({setup.program,
                   {"child"},
                   child_environment(current_environment(),
                                     {{"STREAMCTS_FAULT", fault},
                                      {"STREAMCTS_FAULT_HITS", hits},
                                      {"STREAMCTS_REAL_DRIVER", setup.real_driver}})});
}

void run_trials(const trial_setup& setup, const std::function<std::unique_ptr<trial>()>& next,
                const std::function<const trial_conditions&(const fault&)>& conditions,
                const std::function<void(const reports::fault_record&)>& done,
                const trial_loop_options& options, signal_watch& signals) {
  trial_list trials;
  std::size_t number = 0;
  bool more = true;
  while (!signals.request()) {
    while (more && trials.size() < options.jobs) {
      std::unique_ptr<trial> started = next();
      more = started != nullptr;
      if (!more) break;
      const trial_conditions& under = conditions(started->of());
      trials.push_back(
          std::make_unique<running_trial>(setup, std::move(started), under, number++));
    }
    for (auto& each : trials) {
      if (each->go_on()) continue;
      done(each->result());
      each.reset();
    }
    const bool some_ended = std::erase(trials, nullptr) > 0;
    if (options.tick) options.tick();
    if (some_ended && more) continue;  // its place is free
    if (trials.empty()) break;
    wait_for_something(trials, signals, options.tick_every);
    signals.drain();
    for (auto& each : trials) each->child().attend();
  }
}

}  // namespace streamcts::runner
