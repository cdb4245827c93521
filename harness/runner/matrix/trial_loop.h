// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "harness/runner/launcher.h"
#include "harness/runner/matrix/trial.h"
#include "harness/runner/signal_watch.h"
#include "reports/matrix/matrix.h"

namespace streamcts::runner {

/// What the children of all trials have in common.
struct trial_setup {
  std::string program;      ///< of the children: this program
  std::string real_driver;  ///< for STREAMCTS_REAL_DRIVER; empty for the system's
  std::filesystem::path folder;  ///< for the files of hits
};

/// Under which conditions cases meet a fault. Outlives the trials.
struct trial_conditions {
  host_order host;  ///< the faulty driver, and what is known of it without a fault
  time_limits limits;
};

/// Starts children with @p fault in front of the driver; no fault where it is empty.
/// @param hits for STREAMCTS_FAULT_HITS; empty for none
launcher fault_launcher(const trial_setup& setup, const std::string& fault,
                        const std::string& hits);

struct trial_loop_options {
  std::size_t jobs = 1;  ///< trials at once, each with one child
  std::function<void()> tick;
  std::chrono::milliseconds tick_every{500};
};

/// Runs trials, several at once. Single-threaded.
/// @param next the next trial, or null where there are no more
/// @param conditions those of a given fault
/// @param done hears of each fault as soon as all is known of it
/// Ends early, without word of the trials in progress, where a signal asks to; then @p signals says
/// so. Exceptions of the functions, and machine_error where no child can be started, pass.
void run_trials(const trial_setup& setup, const std::function<std::unique_ptr<trial>()>& next,
                const std::function<const trial_conditions&(const fault&)>& conditions,
                const std::function<void(const reports::fault_record&)>& done,
                const trial_loop_options& options, signal_watch& signals);

}  // namespace streamcts::runner
