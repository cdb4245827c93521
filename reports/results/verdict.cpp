// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#include "reports/results/verdict.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace streamcts::results {

std::string_view to_string(verdict value) {
  switch (value) {
    case verdict::pass:
      return "Pass";
    case verdict::fail:
      return "Fail";
    case verdict::hang:
      return "Hang";
    case verdict::crash:
      return "Crash";
    case verdict::inconclusive:
      return "Inconclusive";
    case verdict::not_supported:
      return "NotSupported";
    case verdict::skipped:
      return "Skipped";
    case verdict::waived:
      return "Waived";
    case verdict::error:
      break;
  }
  return "Error";
}

std::optional<verdict> verdict_from_string(std::string_view text) {
  for (const verdict candidate : all_verdicts) {
    if (to_string(candidate) == text) return candidate;
  }
  return std::nullopt;
}

verdict worse(verdict a, verdict b) {
  static constexpr std::array from_worst{
      verdict::fail,          verdict::crash,   verdict::hang,
      verdict::error,         verdict::waived,  verdict::inconclusive,
      verdict::not_supported, verdict::skipped, verdict::pass};
  return *std::find_if(from_worst.begin(), std::prev(from_worst.end()),
                       [&](verdict candidate) { return candidate == a || candidate == b; });
}

std::size_t verdict_counts::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::size_t{0});
}

std::size_t verdict_counts::red() const {
  return (*this)[verdict::fail] + (*this)[verdict::hang] + (*this)[verdict::crash];
}

int exit_code(const verdict_counts& counts, std::size_t not_reached) {
  if (counts.red() > 0) return exit_broken;
  if (counts[verdict::error] > 0 || not_reached > 0) return exit_no_verdict;
  return counts[verdict::pass] > 0 ? exit_held : exit_no_verdict;
}

}  // namespace streamcts::results
