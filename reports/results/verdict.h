// SPDX-FileCopyrightText: The streamcts authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace streamcts::results {

/// How a case ended. Nothing but `pass` is ever counted as a pass.
enum class verdict {
  pass,           ///< The promise held wherever it could have been seen to fail.
  fail,           ///< The promise was broken.
  hang,           ///< The case did not end, and the watchdog ended it.
  crash,          ///< The process died, or left before the case had ended.
  inconclusive,   ///< The window was missed, a gate expired or a resource was short.
  not_supported,  ///< The driver or the device lacks what the case needs.
  skipped,        ///< Left out on purpose; the reason is a code.
  waived,         ///< Broken, and covered by a waiver; the reason is its id.
  error,          ///< The suite itself failed; nothing is known of the promise.
};

/// All verdicts, in the order in which reports list them.
inline constexpr std::array<verdict, 9> all_verdicts{
    verdict::fail,    verdict::hang,         verdict::crash,
    verdict::error,   verdict::inconclusive, verdict::not_supported,
    verdict::skipped, verdict::waived,       verdict::pass};

/// "Pass", "Fail", "Hang", "Crash", "Inconclusive", "NotSupported", "Skipped", "Waived", "Error".
std::string_view to_string(verdict value);

/// The inverse of to_string(); nothing for any other text.
std::optional<verdict> verdict_from_string(std::string_view text);

/// True for Fail, Hang and Crash: a promise was broken and no waiver covers it.
constexpr bool is_red(verdict value) {
  return value == verdict::fail || value == verdict::hang || value == verdict::crash;
}

/// The worse of two verdicts of one case. Only two passes make a pass.
verdict worse(verdict a, verdict b);

/// How many cases ended in which way.
class verdict_counts {
 public:
  void add(verdict value) { ++counts_[static_cast<std::size_t>(value)]; }
  std::size_t operator[](verdict value) const { return counts_[static_cast<std::size_t>(value)]; }
  /// All cases that have a verdict.
  std::size_t total() const;
  /// Fail, Hang and Crash together.
  std::size_t red() const;
  bool operator==(const verdict_counts&) const = default;

 private:
  std::array<std::size_t, all_verdicts.size()> counts_{};
};

/// Exit codes of the program for a run (64, wrong usage, is the command line's).
inline constexpr int exit_held = 0;        ///< Something passed and nothing was broken.
inline constexpr int exit_broken = 1;      ///< A promise was broken.
inline constexpr int exit_no_verdict = 2;  ///< No verdict could be reached.

/// The exit code that @p counts call for. A broken promise counts whatever else happened; else an
/// Error, a planned case that was not reached, or a run in which nothing passed is no verdict.
int exit_code(const verdict_counts& counts, std::size_t not_reached);

}  // namespace streamcts::results
