// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <gmock/gmock.h>

#include <cstdint>
#include <ostream>
#include <string_view>

#include "harness/case/outcome.h"
#include "harness/driver/result.h"
#include "harness/observe/gate.h"
#include "harness/observe/sentinel.h"

// Matchers in which cases say what is promised. GoogleMock describes both sides of a mismatch.

namespace streamcts {

void PrintTo(const sighting& what, std::ostream* out);

/// Every word of the payload carries this round's pattern: the writes in front have happened and are
/// visible.
MATCHER(IsComplete, negation ? "is not this round's pattern in every word"
                             : "this round's pattern in every word") {
  return arg.good();
}

/// A payload of later work: still all sentinel.
MATCHER(IsUntouched, negation ? "has been written" : "the sentinel in every word: not written yet") {
  return arg.good();
}

/// A marker of later work: still zero, that work has not begun.
MATCHER(HasNotBegun, negation ? "has begun" : "a marker of zero: the later work has not begun") {
  return arg == 0u;
}

/// A query's answer.
MATCHER(IsNotReady, negation ? "is complete" : "not ready") { return !arg; }

/// The code of a call that must succeed.
MATCHER(Succeeds, negation ? "an error" : "CUDA_SUCCESS") {
  *result_listener << driver::result_name(arg);
  return arg == CUDA_SUCCESS;
}

/// What the gate of the victim said when a wait had returned.
MATCHER(IsNotHeld, negation ? "the victim still held" : "a return after the victim's end") {
  return arg != gate::state::shut;
}

/// Whether a host call was over when a wait for it had returned.
MATCHER(HasEnded, negation ? "a host call that goes on" : "the host call to have ended") {
  return arg;
}

void PrintTo(gate::state what, std::ostream* out);

/// What kind of defect a wrong sighting shows. While the victim is shut, whatever is missing was
/// looked at too early; once it is open, all that precedes may have finished and the data is stale,
/// torn or missing. A hint for the reader, not a verdict.
failure_kind kind_of(const sighting& what, gate::state victim);

}  // namespace streamcts
