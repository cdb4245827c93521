// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// What makes a program one that may be run: no undefined behaviour, no deadlock, bounded, and the
// same answer on every correct driver. Generators make only valid programs; the parser's callers
// and the shrinker ask.

#pragma once

#include <optional>
#include <string>

#include "harness/program/check.h"
#include "harness/program/types.h"

namespace streamcts::program {

/// Why a program may not be run.
struct program_error {
  index op = none;  ///< the operation at fault, where there is one
  std::string message;
  std::string remedy;
};

/// Checks everything that needs no order: indices, limits, kinds of memory, threads, use after
/// destruction, the shape of graphs.
std::optional<program_error> structural_error(const stream_program& program);

/// Checks the rest: accesses of a buffer that nothing orders, and attached memory used elsewhere.
/// @param m was built from the program, which has no structural_error().
std::optional<program_error> semantic_error(const model& m);

/// Both.
std::optional<program_error> program_error_of(const stream_program& program);

/// Whether an item may be held while the rest of the program is enqueued. Not so where a copy of
/// pageable memory lies behind it: its call may wait inside the driver for everything in front of
/// it, with locks taken.
bool can_hold(const model& m, std::size_t item);

}  // namespace streamcts::program
