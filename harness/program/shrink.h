// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Makes a failing program small.

#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>

#include "harness/program/check.h"
#include "harness/program/defects.h"
#include "harness/program/types.h"

namespace streamcts::program {

/// What makes two failures the same for the shrinker.
struct failure_signature {
  std::string_view family;  ///< of the broken clause: `CB-ORDER`
  observer::place place = observer::place::finish;
};

failure_signature signature_of(const model& m, const history& seen, const violation& v);

/// Whether a smaller program still shows the failure. Families count as one where they are two ways
/// to say one promise: order of a stream, of its callbacks and its host functions; the two ends of
/// an item are one place, and so are the host's ways to wait, to which a lost order is a wait that
/// ends too early.
bool same_failure(const failure_signature& a, const failure_signature& b);

/// Runs a valid program as often as it needs and says how it fails, or nothing if it does not.
using oracle = std::function<std::optional<failure_signature>(const stream_program&)>;

/// An oracle on the simulator: one natural run and one for each item held.
oracle simulator_oracle(defect broken);

struct shrink_limits {
  std::size_t evaluations = 1000;  ///< calls of the oracle
};

struct shrink_result {
  stream_program program;
  std::size_t evaluations = 0;
  bool failed = false;  ///< whether the given program failed at all
};

/// The smallest program found that is valid and fails alike. Each candidate is checked for validity
/// first, and its expectations are those of its own model.
shrink_result shrink(const stream_program& program, const oracle& fails,
                     const shrink_limits& most = {});

}  // namespace streamcts::program
