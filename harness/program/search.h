// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Ways to run a program so that a defect shows.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/program/check.h"
#include "harness/program/simulator.h"

namespace streamcts::program {

enum class strategy : std::uint8_t {
  natural,        ///< one run, by latencies alone
  random_delays,  ///< one run, half of the items delayed
  equal_delays,   ///< one run, every item delayed by as much
  random_many,    ///< as many runs with random delays as `hold_each` makes
  hold_each,      ///< one natural run, and one for each item held
  count
};
std::string_view to_string(strategy s);

/// A failing run on the simulator.
struct failing_run {
  run_options options;
  history seen;
  violation found;  ///< the first
};

/// Runs programs on the simulator with one defect. Memory is kept from program to program.
class searcher {
 public:
  /// @p program must be valid and outlive the searches.
  void load(const stream_program& program);
  /// The first run of a strategy in which a check fails.
  std::optional<failing_run> search(defect broken, strategy how, std::uint64_t seed);
  /// Whether there is one.
  bool kills(defect broken, strategy how, std::uint64_t seed);

  const model& expectations() const { return model_; }

 private:
  bool run(const run_options& options);
  bool any_run(defect broken, strategy how, std::uint64_t seed);

  model model_;
  simulator simulator_;
  run_options last_;
  bool assumed_ = false;
};

}  // namespace streamcts::program
