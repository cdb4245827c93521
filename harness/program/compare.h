// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// The model against the simulator: two definitions of the same documents, written apart.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/program/check.h"
#include "harness/program/generate.h"
#include "harness/program/simulator.h"

namespace streamcts::program {

/// Counts of a comparison.
struct comparison {
  std::uint64_t programs = 0;
  std::uint64_t runs = 0;
  std::uint64_t exact = 0;  ///< runs in which what had to wait was compared both ways
  /// The first disagreement: origin, schedule, seed and what differed; empty if there was none.
  std::string disagreement;
  stream_program culprit;
};

/// Runs programs on the simulator without a defect. In each run no check may fail; and where one
/// item is held until nothing else moves, exactly the items that the model orders behind it, and no
/// others, must not have begun, and exactly the calls that cover it must not have returned.
class comparer {
 public:
  /// Compares one program; false at the first disagreement, which result() then describes.
  bool compare(const stream_program& program, std::uint64_t seed);
  const comparison& result() const { return result_; }

 private:
  bool run(const run_options& options);
  bool exact(const history& seen, const run_options& options);
  bool differ(const run_options& options, std::string what);

  model model_;
  simulator simulator_;
  comparison result_;
};

}  // namespace streamcts::program
