// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs programs on the driver under test.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/observe/gatekeeper.h"
#include "harness/program/check.h"
#include "harness/program/executor/environment.h"
#include "harness/program/executor/reading_plan.h"
#include "harness/program/history.h"

namespace streamcts::program {

/// A program with all that a run needs to know of it. Immutable.
class ready_program {
 public:
  /// @pre @p program is valid (validity.h)
  static std::shared_ptr<const ready_program> make(stream_program program);
  ready_program(const ready_program&) = delete;
  ready_program& operator=(const ready_program&) = delete;

  const stream_program& source() const { return source_; }
  /// Without outcomes of calls.
  const model& expectations() const { return model_; }
  const reading_plan& plan() const { return plan_; }

 private:
  explicit ready_program(stream_program program) : source_(std::move(program)) {
    model_.build(source_);
    plan_.build(model_);
  }

  stream_program source_;
  model model_;
  reading_plan plan_;
};

/// What came of one run.
struct run_outcome {
  history seen;
  /// What the hold was worth; `pending` where nothing was held.
  hold_result hold = hold_result::pending;
  /// The call that the driver does not support; empty where there is none. Then nothing counts.
  std::string unsupported;
};

/// Runs programs, each run with streams, events and graphs of its own. Calls are made by further
/// threads; gates are opened by one that makes no CUDA call. Every wait is bounded.
///
/// For one thread's use. After a run that did not finish the driver may still use what the run was
/// made of: the executor is of no use any more, and its destructor frees nothing.
class executor {
 public:
  /// @throws driver::call_error, driver::not_supported
  explicit executor(const environment& where);
  executor(const executor&) = delete;
  executor& operator=(const executor&) = delete;
  ~executor();

  /// Why the driver cannot run a program (a kind of memory, a call); empty where it can.
  std::string lacks(const stream_program& program) const;

  /// One run without a hold. @throws driver::call_error where streams, events, graphs or memory
  /// cannot be had
  run_outcome run(std::shared_ptr<const ready_program> program);

  /// A run for each of @p held, side by side where the program allows it. Stops after a run that
  /// did not finish. @pre the items are in the program's plan().holdable()
  std::vector<run_outcome> run(std::shared_ptr<const ready_program> program,
                               std::span<const index> held);

  /// Whether every hold of a host call is a long one, and not one in many: for making small what only
  /// such a hold has shown.
  void always_hold_long(bool yes);

  /// False after a run that did not finish.
  bool usable() const;

 private:
  class state;
  std::shared_ptr<state> state_;
};

}  // namespace streamcts::program
