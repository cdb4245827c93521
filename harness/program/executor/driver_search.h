// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0
//
// Looks for programs that fail on the driver under test, and makes them small.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/program/executor/judge.h"
#include "harness/program/generate.h"

namespace streamcts::program {

/// A failure that was found, before and after it was made small.
struct found_program {
  std::string origin;           ///< as in `enumerator:17`
  std::size_t from = 0;         ///< operations before
  driver_failure failure;       ///< of the smallest program
  double seconds = 0;           ///< from the beginning to the failing run
  std::size_t evaluations = 0;  ///< candidates tried
  unsigned again = 0;           ///< how many of `again_of` further runs of the small program failed
  unsigned again_of = 0;
};

/// Makes a failing program small on the driver. A failure that left the driver stuck stays as it
/// is.
/// @param limit the time to spend
found_program make_small(judge& by, driver_failure failure, std::chrono::nanoseconds limit);

/// A list of programs, in the order in which they are tried: first, of the enumerator, one for each
/// edge, kind of source and kind of sink, the edges in turn; then the rest of it in a random order.
/// Between them come the idiom mixer and the swarm.
class program_list {
 public:
  explicit program_list(std::uint64_t seed);
  stream_program next();

 private:
  std::uint64_t seed_;
  std::vector<std::size_t> enumerated_;
  std::uint64_t count_ = 0;
};

/// Runs programs until @p limit has passed or one fails, which is then made small.
/// @param told hears the origin of each program before it is run
std::optional<found_program> search_driver(judge& by, std::uint64_t seed,
                                           std::chrono::nanoseconds limit,
                                           const std::function<void(const std::string&)>& told);

}  // namespace streamcts::program
